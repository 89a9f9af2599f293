/*
 * Any bytes as an event stream: fed whole and in pieces (their size is the first byte) the same
 * events come out and the same is left over.
 */
#include "io/sse.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Are bytes of an unfinished event held? By the standard they are dropped at the end. */
static bool is_dirty(const struct io_sse *sse)
{
	return sse->has_data || (sse->line.len > 0 && sse->line.data[0] != ':');
}

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Writes each length first, so that no data looks like the mark between two events. */
static int report(void *user, const char *data, size_t len)
{
	struct pl_buf *story = user;

	must(pl_buf_add(story, &len, sizeof(len)) && pl_buf_add(story, data, len));
	return 0;
}

static bool feed(struct pl_buf *story, const char *bytes, size_t len, size_t piece)
{
	struct pl_err err = PL_ERR_INIT;
	struct io_sse sse;

	pl_buf_init(story, 1 << 26);
	io_sse_init(&sse, report, story);
	for (size_t at = 0; at < len; at += piece) {
		if (piece > len - at)
			piece = len - at;
		char *copy = pl_memdup(bytes + at, piece);
		must(io_sse_feed(&sse, copy, piece, &err) == 0);
		free(copy);
	}
	bool dirty = is_dirty(&sse);
	io_sse_done(&sse);
	return dirty;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_buf whole = { 0 };
	auto_buf pieces = { 0 };

	if (size < 2)
		return 0;
	const char *bytes = (const char *)data + 1;
	bool dirty = feed(&whole, bytes, size - 1, size - 1);
	must(dirty == feed(&pieces, bytes, size - 1, 1 + data[0] % 32));
	must(whole.len == pieces.len);
	must(whole.len == 0 || memcmp(whole.data, pieces.data, whole.len) == 0);
	return 0;
}
