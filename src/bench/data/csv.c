#include "bench/data/csv.h"

#include <string.h>

#include "base/text.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static char *without_quotes(char *field)
{
	size_t len = strlen(field);

	if (len < 2 || field[0] != '"' || field[len - 1] != '"')
		return field;
	field[len - 1] = '\0';
	return field + 1;
}

size_t bench_csv_split(char *line, char *fields[BENCH_CSV_COLUMNS_MAX])
{
	size_t count = 0;

	for (char *rest = line; rest != NULL && count < BENCH_CSV_COLUMNS_MAX;)
		fields[count++] = without_quotes(pl_text_trim(strsep(&rest, ",")));
	return count;
}

int bench_csv_find(char *const *fields, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(fields[i], name) == 0)
			return (int)i;
	}
	return -1;
}

int bench_csv_check(const char *path, const char *text, size_t len, struct pl_err *err)
{
	const char *nul = memchr(text, '\0', len);
	size_t line_no = 1;

	if (nul == NULL)
		return 0;
	for (const char *at = text; (at = memchr(at, '\n', (size_t)(nul - at))) != NULL; at++)
		line_no++;
	return pl_err_invalid(err, "%s:%zu: found a NUL byte, expected text", path, line_no);
}

char *bench_csv_start(char *text)
{
	return pl_text_starts(text, BYTE_ORDER_MARK) ? text + strlen(BYTE_ORDER_MARK) : text;
}
