#include "mirror/unify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"

#define INT64_LIMIT 9223372036854775808.0 /* 2^63 */

/* Returns the end of the string that starts at the quote. */
static const char *end_of_string(const char *at)
{
	at++;
	while (*at != '\0' && *at != '"')
		at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
	return *at != '\0' ? at + 1 : at;
}

/* Returns whether these characters are a whole number that is not written as an integer. */
static bool is_whole_float(const char *text, size_t len, int64_t *ret)
{
	char number[PL_F64_TEXT_BYTES];
	double value;

	if (len >= sizeof(number))
		return false;
	memcpy(number, text, len);
	number[len] = '\0';
	if (strpbrk(number, ".eE") == NULL || !pl_text_to_f64(number, &value) ||
	    !(fabs(value) < INT64_LIMIT) || trunc(value) < value || trunc(value) > value)
		return false;
	*ret = (int64_t)value;
	return true;
}

char *mirror_json_unify(const char *text)
{
	const char *rest = text; /* not copied yet */
	auto_buf out = PL_BUF(SIZE_MAX);
	int64_t whole;

	for (const char *at = text; *at != '\0';) {
		size_t len = strspn(at, "-+.0123456789eE");
		if (*at == '"') {
			at = end_of_string(at);
			continue;
		}
		if (len > 0 && is_whole_float(at, len, &whole)) {
			char *end = pl_buf_reserve(&out, (size_t)(at - rest) + PL_I64_TEXT_BYTES);
			memcpy(end, rest, (size_t)(at - rest));
			end = pl_text_put_i64(end + (at - rest), whole);
			out.len = (size_t)(end - out.data);
			rest = at + len;
		}
		at += len > 0 ? len : 1;
	}
	if (rest == text)
		return NULL;
	pl_buf_add_text(&out, rest);
	return pl_buf_take(&out);
}
