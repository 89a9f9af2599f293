#include <math.h>
#include <string.h>

#include "base/text.h"
#include "query/export/export_priv.h"
#include "query/out_priv.h"
#include "result/fields/fields.h"

void query_export_i64(struct pl_buf *out, int64_t number)
{
	char *at = pl_buf_reserve(out, PL_I64_TEXT_BYTES);

	if (at == NULL)
		return;
	out->len += (size_t)(pl_text_put_i64(at, number) - at);
	out->data[out->len] = '\0';
}

/* Writes whole numbers without a point. */
static void add_number(struct pl_buf *out, double number)
{
	if (out_is_whole(number)) {
		query_export_i64(out, (int64_t)number);
		return;
	}
	char *at = pl_buf_reserve(out, PL_F64_TEXT_BYTES);
	if (at == NULL)
		return;
	out->len += (size_t)(pl_text_put_f64(at, number) - at);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Quotes characters at which some programs split lines in addition to commas. */
void query_export_csv_text(struct pl_buf *out, const char *text)
{
	size_t len = strlen(text);
	bool is_plain = text[strcspn(text, ",;\t\"\r\n")] == '\0' &&
			(len == 0 || (text[0] != ' ' && text[len - 1] != ' '));

	if (is_plain) {
		pl_buf_add(out, text, len);
		return;
	}
	pl_buf_add_char(out, '"');
	while (*text != '\0') {
		len = strcspn(text, "\"");
		pl_buf_add(out, text, len);
		text += len;
		if (*text == '"') {
			pl_buf_add(out, "\"\"", 2);
			text++;
		}
	}
	pl_buf_add_char(out, '"');
}

/* Returns whether it could be read as something else: a formula, an empty cell, null, or a marked text. */
static bool needs_mark(const char *text)
{
	/* full-width characters that some spreadsheets treat like = + - @ */
	static const char *const wide[] = { "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D",
					    "\xEF\xBC\xA0" };

	if (text[0] == '\0' || strchr("=+-@'\t\r\n", text[0]) != NULL || strcmp(text, "null") == 0)
		return true;
	for (size_t i = 0; i < PL_ARRAY_SIZE(wide); i++) {
		if (pl_text_starts(text, wide[i]))
			return true;
	}
	return false;
}

static void add_marked(struct pl_buf *out, const char *text)
{
	/* a quoted text has its mark inside the quotes */
	auto_buf marked = PL_BUF(PL_JSON_BYTES_MAX);

	pl_buf_add_char(&marked, '\'');
	pl_buf_add_text(&marked, text);
	query_export_csv_text(out, pl_buf_text(&marked));
}

void query_export_csv_number(struct pl_buf *out, double number)
{
	/* to a spreadsheet, -inf is a formula with an unknown name */
	if (isinf(number) && number < 0)
		pl_buf_add_char(out, '\'');
	add_number(out, number);
}

void query_export_csv_marked(struct pl_buf *out, const char *text)
{
	if (needs_mark(text))
		add_marked(out, text);
	else
		query_export_csv_text(out, text);
}

void query_export_csv_cell(struct pl_buf *out, const struct mirror_cell *cell)
{
	if (cell->state == RES_VALUE_NOT_RECORDED)
		return;
	if (cell->state == RES_VALUE_NULL) {
		pl_buf_add(out, "null", 4);
		return;
	}
	switch ((enum res_value_kind)cell->kind) {
	case RES_VALUE_NUMBER:
		query_export_csv_number(out, cell->number);
		break;
	case RES_VALUE_YES:
		pl_buf_add_text(out, cell->number > 0 ? "true" : "false");
		break;
	case RES_VALUE_TEXT:
		query_export_csv_marked(out, cell->text);
		break;
	case RES_VALUE_JSON:
		query_export_csv_text(out, cell->text);
		break;
	}
}

/* ---- header ---------------------------------------------------------------------------------- */

void query_export_csv_json(struct pl_buf *out, const json_t *json)
{
	auto_free char *text = json != NULL ? pl_json_to_text(json, PL_JSON_COMPACT)
					    : pl_strdup("null");
	bool in_text = false;

	for (const char *at = text; *at != '\0'; at++) {
		if (*at == '"')
			in_text = !in_text;
		if (in_text && *at == '\\') {
			pl_buf_add(out, at++, 2);
			continue;
		}
		if (in_text && (*at == ',' || *at == ';'))
			pl_buf_addf(out, "\\u%04x", (unsigned)*at);
		else
			pl_buf_add_char(out, *at);
		if (!in_text && *at == ',')
			pl_buf_add_char(out, ' ');
	}
}

void query_export_csv_link(struct pl_buf *out, const char *link)
{
	for (; *link != '\0'; link++)
		pl_buf_addf(out, *link == ',' || *link == ';' ? "%%%02X" : "%c",
			    (unsigned char)*link);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void query_export_json_number(struct pl_buf *out, double number)
{
	if (isinf(number))
		pl_buf_add_text(out, number > 0 ? "\"inf\"" : "\"-inf\"");
	else
		add_number(out, number);
}

void query_export_json_cell(struct pl_buf *out, const struct mirror_cell *cell)
{
	if (cell->state == RES_VALUE_NULL) {
		pl_buf_add(out, "null", 4);
		return;
	}
	switch ((enum res_value_kind)cell->kind) {
	case RES_VALUE_NUMBER:
		query_export_json_number(out, cell->number);
		break;
	case RES_VALUE_YES:
		pl_buf_add_text(out, cell->number > 0 ? "true" : "false");
		break;
	case RES_VALUE_TEXT:
		pl_text_add_json(out, cell->text, strlen(cell->text), false);
		break;
	case RES_VALUE_JSON:
		pl_buf_add_text(out, cell->text);
		break;
	}
}
