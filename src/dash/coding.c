#include "dash/coding.h"

#include <string.h>
#include <strings.h>

#include "base/gz.h"
#include "base/text.h"
#include "base/zst.h"
#include "dash/problem.h"

/* Smaller responses are sent uncompressed, because they fit in one packet anyway. */
#define PACK_BYTES_MIN 1024
/* Levels for one client: about 1 ms per 100 KB, a third of it for zstd. */
#define GZIP_LEVEL         1
#define GZIP_LASTING_LEVEL 9

typedef int undo_fn(const void *packed, size_t len, size_t max_bytes, const char *name,
		    char **ret_text, size_t *ret_len, struct pl_err *err);

static const struct {
	const char *name;
	undo_fn *undo; /* NULL: plain */
} codings[] = {
	{ "identity", NULL },
	{ "gzip", pl_gz_unpack },
	{ "x-gzip", pl_gz_unpack }, /* RFC 9110, 8.4.1.3 */
	{ "zstd", pl_zst_unpack },
};

/* Returns SIZE_MAX for an unknown coding. */
static size_t find(const char *coding)
{
	for (size_t i = 0; coding != NULL && i < PL_ARRAY_SIZE(codings); i++) {
		if (strcasecmp(coding, codings[i].name) == 0)
			return i;
	}
	return SIZE_MAX;
}

bool dash_coding_is_plain(const char *coding)
{
	size_t i = find(coding);

	return coding == NULL || (i != SIZE_MAX && codings[i].undo == NULL);
}

bool dash_coding_is_known(const char *coding)
{
	return coding == NULL || find(coding) != SIZE_MAX;
}

bool dash_coding_undo(const char *coding, const char *bytes, size_t len, uint64_t bytes_max,
		      char **ret_bytes, size_t *ret_len, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	char size[PL_BYTES_TEXT_BYTES];

	*ret_bytes = NULL;
	if (dash_coding_is_plain(coding))
		return true;
	if (codings[find(coding)].undo(bytes, len, (size_t)bytes_max, "body", ret_bytes, ret_len,
				       &err) == 0)
		return true;
	if (pl_text_ends(err.text, " after decompression"))
		dash_refuse(
			answer, 413,
			"the body is larger than %s after decompression, the limit of this route",
			pl_text_from_bytes(bytes_max, size));
	else
		dash_refuse_error(answer, &err);
	return false;
}

/* ---- responses ----------------------------------------------------------------------------- */

/* The best compression first. */
static const struct {
	enum dash_coding coding;
	const char *name;
} preferred[] = {
	{ DASH_CODING_BROTLI, "br" },
	{ DASH_CODING_ZSTD, "zstd" },
	{ DASH_CODING_GZIP, "gzip" },
};

const char *dash_coding_name(enum dash_coding coding)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(preferred); i++) {
		if (preferred[i].coding == coding)
			return preferred[i].name;
	}
	return NULL;
}

static const char *past(const char *at, const char *characters)
{
	return at + strspn(at, characters);
}

/* Returns the weight after a coding's name, in thousandths; a malformed one counts as 0. */
static int read_weight(const char *at)
{
	double weight;

	at = past(at, " \t");
	if (*at == ',' || *at == '\0')
		return 1000;
	if (*at != ';')
		return 0;
	at = past(at + 1, " \t");
	if ((*at | 0x20) != 'q' || at[1] != '=')
		return 0;
	auto_free char *text = pl_strndup(at + 2, strspn(at + 2, "0123456789."));
	return pl_text_to_f64(text, &weight) && weight <= 1 ? (int)(weight * 1000) : 0;
}

/* Returns the weight of a coding, in thousandths; -1: not in the header. */
static int weight_of(const char *accept, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = past(accept, " \t,"); *at != '\0';
	     at = past(at + strcspn(at, ","), " \t,")) {
		size_t token = strcspn(at, " \t,;");
		if (token == len && strncasecmp(at, name, len) == 0)
			return read_weight(at + token);
	}
	return -1;
}

enum dash_coding dash_coding_choose(const char *accept, unsigned offered)
{
	enum dash_coding best = DASH_CODING_PLAIN;
	int best_weight = 0;

	if (accept == NULL)
		return DASH_CODING_PLAIN;
	int any = weight_of(accept, "*");
	int plain = weight_of(accept, "identity");
	for (size_t i = 0; i < PL_ARRAY_SIZE(preferred); i++) {
		int weight = weight_of(accept, preferred[i].name);
		if (weight < 0)
			weight = any;
		if ((offered >> preferred[i].coding & 1) == 0 || weight <= best_weight)
			continue;
		best = preferred[i].coding;
		best_weight = weight;
	}
	/* unless it is named itself, plain is less wanted than all named codings */
	return plain > best_weight ? DASH_CODING_PLAIN : best;
}

static void pack(const struct dash_shared *shared, enum dash_coding coding, struct dash_packed *ret)
{
	if (coding == DASH_CODING_GZIP)
		ret->bytes = pl_gz_pack(shared->bytes, shared->len,
					shared->is_lasting ? GZIP_LASTING_LEVEL : GZIP_LEVEL,
					&ret->len);
	else if (shared->is_lasting)
		ret->bytes = pl_zst_pack_small(shared->bytes, shared->len, &ret->len);
	else
		ret->bytes = pl_zst_pack_brief(shared->bytes, shared->len, &ret->len);
}

void dash_coding_pack(const char *accept, struct dash_answer *answer)
{
	const unsigned offered = 1u << DASH_CODING_GZIP | 1u << DASH_CODING_ZSTD;
	enum dash_coding coding;

	if (answer->type == NULL || !pl_text_ends(answer->type, "json") || answer->stream != NULL ||
	    answer->has_fd)
		return;
	/* problems are brief, and each has the id of its own request */
	if (answer->status >= 400)
		return;
	answer->varies = true;
	coding = dash_coding_choose(accept, offered);
	if (answer->encoding != NULL || coding == DASH_CODING_PLAIN || answer->fixed != NULL ||
	    answer->len < PACK_BYTES_MIN)
		return;
	dash_answer_make_shared(answer);
	struct dash_packed *packed = &answer->shared->packed[coding];
	pthread_mutex_lock(&answer->shared->lock);
	if (packed->bytes == NULL)
		pack(answer->shared, coding, packed);
	pthread_mutex_unlock(&answer->shared->lock);
	answer->coding = coding;
	answer->encoding = dash_coding_name(coding);
	answer->len = packed->len;
}
