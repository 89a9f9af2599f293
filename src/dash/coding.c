#include "dash/coding.h"

#include <string.h>
#include <strings.h>

#include "base/gz.h"
#include "base/text.h"
#include "base/zst.h"
#include "dash/problem.h"

typedef int undo_fn(const void *packed, size_t len, size_t max_bytes, const char *name,
		    char **ret_text, size_t *ret_len, struct pl_err *err);

static const struct {
	const char *name;
	undo_fn *undo; /* NULL: it is plain */
} codings[] = {
	{ "identity", NULL },
	{ "gzip", pl_gz_unpack },
	{ "x-gzip", pl_gz_unpack }, /* RFC 9110, 8.4.1.3 */
	{ "zstd", pl_zst_unpack },
};

/* SIZE_MAX: it is none of them. */
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

	*ret_bytes = NULL;
	if (dash_coding_is_plain(coding))
		return true;
	if (codings[find(coding)].undo(bytes, len, (size_t)bytes_max, "body", ret_bytes, ret_len,
				       &err) == 0)
		return true;
	if (pl_text_ends(err.text, " bytes unpacked"))
		dash_refuse(answer, 413,
			    "the body is larger than %llu bytes unpacked, the most that this takes",
			    (unsigned long long)bytes_max);
	else
		dash_refuse_error(answer, &err);
	return false;
}
