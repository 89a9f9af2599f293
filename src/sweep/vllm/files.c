/*
 * Files of a sweep as vLLM writes them: JSON as json.dumps(), a table as pandas' to_csv().
 */
#include <string.h>

#include "base/file.h"
#include "base/redact.h"
#include "base/text.h"
#include "sweep/summary.h"
#include "sweep/vllm/vsweep_priv.h"
#include "vllm/python_text.h"

#define CSV_BYTES_MAX (1u << 30)

int sweep_vllm_write_json(const json_t *json, const char *path, struct pl_err *err)
{
	auto_json json_t *redacted = pl_redact_json(json, PL_REDACT_OURS);
	auto_free char *text = pl_json_to_text(redacted, PL_JSON_PYTHON_4);

	return pl_file_write(path, text, strlen(text), err);
}

/* A column's numbers are all whole, all real once one is or one is missing, or not numbers. */
enum column { WHOLE, REAL, MIXED };

static enum column column_of(const json_t *rows, const char *key)
{
	bool missing = false, real = false, some = false;

	PL_JSON_EACH(row, rows) {
		const json_t *value = json_object_get(row, key);
		bool none = value == NULL || json_is_null(value);
		if (!none && !json_is_number(value))
			return MIXED;
		missing = missing || none;
		real = real || json_is_real(value);
		some = some || !none;
	}
	if (!some)
		return MIXED;
	return missing || real ? REAL : WHOLE;
}

static void add_cell(struct pl_buf *text, const char *plain)
{
	pl_buf_add_char(text, ',');
	sweep_csv_add(text, plain);
}

static void add_value(struct pl_buf *text, const json_t *value, enum column column)
{
	char number[PL_F64_TEXT_BYTES];

	if (value == NULL || json_is_null(value)) {
		add_cell(text, "");
	} else if (column == REAL) {
		pl_text_from_f64(json_number_value(value), number);
		add_cell(text, number);
	} else {
		auto_free char *plain = vllm_python_text(value);
		add_cell(text, plain);
	}
}

/* {key: kind}, in the order in which the rows have them. */
static json_t *columns_of(const json_t *rows)
{
	json_t *columns = json_object();

	PL_JSON_EACH(row, rows) {
		PL_JSON_EACH_MEMBER(key, value, row) {
			if (json_object_get(columns, key) == NULL)
				json_object_set_new(columns, key,
						    json_integer((json_int_t)column_of(rows, key)));
		}
	}
	return columns;
}

int sweep_vllm_write_csv(const json_t *rows, const char *path, struct pl_err *err)
{
	auto_json json_t *columns = columns_of(rows);
	auto_buf text = PL_BUF(CSV_BYTES_MAX);

	PL_JSON_EACH_MEMBER(key, kind, columns)
		add_cell(&text, key);
	pl_buf_add_char(&text, '\n');
	PL_JSON_EACH(row, rows) {
		pl_buf_addf(&text, "%zu", row_at);
		PL_JSON_EACH_MEMBER(key, kind, columns)
			add_value(&text, json_object_get(row, key),
				  (enum column)json_integer_value(kind));
		pl_buf_add_char(&text, '\n');
	}
	return pl_file_write(path, pl_buf_text(&text), text.len, err);
}
