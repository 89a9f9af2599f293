#include "bench/load/peer_text.h"

#include <string.h>

#include "base/redact.h"
#include "base/text.h"
#include "io/jwalk.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* Returns the length of the UTF-8 character at `at`, 0 if there is none. */
static size_t utf8_len(const unsigned char *at, size_t room)
{
	/* The check needs a separate text: the following bytes may be truncated or invalid. */
	char copy[5] = "";
	size_t len = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;

	if (len > room)
		return 0;
	memcpy(copy, at, len);
	return strlen(copy) == len && pl_text_is_utf8(copy) ? len : 0;
}

static bool is_control(const unsigned char *at, size_t len)
{
	if (len == 1)
		return (at[0] < 0x20 && at[0] != '\n' && at[0] != '\t') || at[0] == 0x7f;
	/* C1, which some terminals obey */
	return len == 2 && at[0] == 0xc2 && at[1] < 0xa0;
}

static bool is_space(unsigned char c)
{
	return c <= ' ' || c == 0x7f;
}

size_t bench_peer_text(const char *bytes, size_t len, char *out, size_t room)
{
	/* a peer's text may have been cut off at a limit, in the middle of a secret */
	auto_free char *copy = pl_redact_is_needed() ? pl_memdup(bytes, len) : NULL;
	if (copy != NULL)
		len = pl_redact_cut(copy, len, PL_REDACT_OTHERS);
	const unsigned char *at = (const unsigned char *)(copy != NULL ? copy : bytes);
	size_t used = 0;

	while (len > 0 && is_space(at[len - 1]))
		len--;
	const unsigned char *end = at + len;
	while (at < end && is_space(*at))
		at++;
	while (at < end) {
		size_t step = *at != '\0' ? utf8_len(at, (size_t)(end - at)) : 1;
		const char *from = (const char *)at;
		size_t from_len = step;
		if (step == 0) {
			step = 1;
			from = REPLACEMENT;
			from_len = strlen(REPLACEMENT);
		} else if (is_control(at, step)) {
			from = " ";
			from_len = 1;
		}
		if (used + from_len >= room)
			break;
		memcpy(out + used, from, from_len);
		used += from_len;
		at += step;
	}
	out[used] = '\0';
	return used;
}

/* The best text so far; a message takes precedence over the kind of an error. */
struct search {
	char *out;
	size_t room;
	int rank; /* 0: none */
};

static int rank_of(const struct io_jwalk *walk)
{
	if (io_jwalk_is(walk, "message") || io_jwalk_is(walk, "msg") || io_jwalk_is(walk, "detail"))
		return 2;
	return io_jwalk_is(walk, "error") || io_jwalk_is(walk, "errors") ? 1 : 0;
}

static void take_string(const struct io_jwalk *walk, int rank, struct search *search)
{
	if (rank <= search->rank || walk->len == 0)
		return;
	auto_free char *text = pl_alloc(walk->len + 1);
	size_t len = io_jwalk_decode(walk, text, walk->len + 1);
	if (len != (size_t)-1 && bench_peer_text(text, len, search->out, search->room) > 0)
		search->rank = rank;
}

static void search_value(struct io_jwalk *walk, int rank, struct search *search);

static void search_object(struct io_jwalk *walk, struct search *search)
{
	while (io_jwalk_next(walk) == IO_JWALK_KEY)
		search_value(walk, rank_of(walk), search);
}

/* Reads one value. Ignores the values of keys without a rank. */
static void search_value(struct io_jwalk *walk, int rank, struct search *search)
{
	enum io_jwalk_token token = io_jwalk_next(walk);
	bool container = token == IO_JWALK_OBJECT || token == IO_JWALK_ARRAY;

	/*
	 * An error may be truncated anywhere (BENCH_ERROR_BYTES_MAX); text found before that
	 * counts.
	 */
	if (token == IO_JWALK_STRING)
		take_string(walk, rank, search);
	if (!container)
		return;
	if (rank == 0) {
		(void)io_jwalk_skip(walk);
		return;
	}
	if (token == IO_JWALK_OBJECT) {
		search_object(walk, search);
		return;
	}
	unsigned depth = walk->depth;
	for (;;) {
		const char *before = walk->at;
		search_value(walk, rank, search);
		if (walk->depth < depth || walk->at == before)
			return;
	}
}

bool bench_peer_message(const char *bytes, size_t len, char *out, size_t room)
{
	struct search search = { .out = out, .room = room };
	const char *end = bytes + len;
	struct io_jwalk walk;

	while (bytes < end && is_space((unsigned char)*bytes))
		bytes++;
	if (end - bytes > 5 && memcmp(bytes, "data:", 5) == 0)
		bytes += 5;
	io_jwalk_init(&walk, bytes, (size_t)(end - bytes));
	if (io_jwalk_next(&walk) == IO_JWALK_OBJECT)
		search_object(&walk, &search);
	return search.rank > 0;
}

size_t bench_peer_words(const char *bytes, size_t len, char *out, size_t room)
{
	if (bench_peer_message(bytes, len, out, room))
		return strlen(out);
	return bench_peer_text(bytes, len, out, room);
}
