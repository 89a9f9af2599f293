/*
 * Exports any text, and any JSON, as a cell of CSV and before one: a strict reader of RFC 4180
 * returns it unchanged, and no cell starts as a spreadsheet formula.
 */
#include "query/export/export_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/fields/fields.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BYTES_MAX (1u << 20)

static void must(bool holds)
{
	if (!holds)
		abort();
}

static bool is_danger(const char *text)
{
	static const char *const wide[] = { "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D",
					    "\xEF\xBC\xA0" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(wide); i++) {
		if (pl_text_starts(text, wide[i]))
			return true;
	}
	return text[0] != '\0' && strchr("=+-@\t\r\n", text[0]) != NULL;
}

/* The only field of a line; aborts where it is none. */
static void read_field(const char *line, struct pl_buf *ret)
{
	if (line[0] != '"') {
		must(line[strcspn(line, ",\"\r\n")] == '\0');
		pl_buf_add_text(ret, line);
		return;
	}
	for (line++;; line++) {
		must(*line != '\0');
		if (*line == '"' && *++line != '"')
			break;
		pl_buf_add_char(ret, *line);
	}
	must(*line == '\0');
}

static void check_text(const char *text)
{
	const struct mirror_cell cell = { .state = RES_VALUE_PRESENT,
					  .kind = RES_VALUE_TEXT,
					  .text = text };
	auto_buf line = PL_BUF(BYTES_MAX);
	auto_buf field = PL_BUF(BYTES_MAX);

	query_export_csv_cell(&line, &cell);
	read_field(pl_buf_text(&line), &field);
	const char *reported = pl_buf_text(&field);
	/* neither nothing nor null */
	must(!is_danger(reported) && reported[0] != '\0' && strcmp(reported, "null") != 0);
	must(strcmp(reported[0] == '\'' ? reported + 1 : reported, text) == 0);
}

static void check_json(const char *bytes, size_t len)
{
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *json = NULL;
	auto_json json_t *retry = NULL;
	auto_buf text = PL_BUF(BYTES_MAX);

	if (pl_json_parse(bytes, len, "x", &json, &err) < 0)
		return;
	query_export_csv_json(&text, json);
	must(pl_json_parse(pl_buf_text(&text), text.len, "x", &retry, &err) == 0);
	must(json_equal(json, retry));
	for (const char *piece = pl_buf_text(&text); piece != NULL;) {
		const char *end = strpbrk(piece, ",;");
		/* of a number it may be the sign */
		const char *first = piece[0] == '"' ? piece + 1 : piece;
		if (piece != pl_buf_text(&text))
			must(!is_danger(first));
		piece = end != NULL ? end + 1 : NULL;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = pl_strndup((const char *)data, size);

	if (size > 10000)
		return 0;
	check_text(text);
	check_json((const char *)data, size);
	return 0;
}
