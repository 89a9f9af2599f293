#include "dash/range.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* Parses digits only; clamps a number that exceeds every file size. Returns -1 if there are none. */
static int64_t read_number(const char **at)
{
	int64_t number = -1;

	for (; **at >= '0' && **at <= '9'; (*at)++) {
		int64_t digit = **at - '0';
		number = number < 0 ? 0 : number;
		number = number > (INT64_MAX - digit) / 10 ? INT64_MAX : number * 10 + digit;
	}
	return number;
}

static bool is_over(const char *at)
{
	return at[strspn(at, " \t")] == '\0';
}

enum dash_range dash_range_read(const char *text, int64_t bytes, int64_t *ret_from,
				int64_t *ret_len)
{
	if (text == NULL || strncasecmp(text, "bytes=", strlen("bytes=")) != 0)
		return DASH_RANGE_WHOLE;
	text += strlen("bytes=");
	text += strspn(text, " \t");
	int64_t first = read_number(&text);
	if (*text++ != '-')
		return DASH_RANGE_WHOLE;
	int64_t last = read_number(&text);
	if (!is_over(text) || (first < 0 && last < 0) || (first >= 0 && last >= 0 && last < first))
		return DASH_RANGE_WHOLE;
	if (first < 0) { /* the last bytes of the file */
		first = last < bytes ? bytes - last : 0;
		last = last == 0 ? -1 : bytes - 1;
	} else if (last < 0 || last >= bytes) {
		last = bytes - 1;
	}
	if (first > last)
		return DASH_RANGE_UNSATISFIABLE;
	*ret_from = first;
	*ret_len = last - first + 1;
	return DASH_RANGE_PART;
}
