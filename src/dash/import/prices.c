#include "dash/import/prices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/file.h"
#include "base/text.h"
#include "store/analysis/prices.h"

#define FILE_BYTES_MAX     (1u << 20)
#define FIELD_BYTES_MAX    300
#define CURRENCY_BYTES_MAX 8
#define COLUMNS_MAX        64

enum { GPU, PER_HOUR, CURRENCY, COLUMN_COUNT };
static const char *const column_names[COLUMN_COUNT] = { "gpu", "per_hour", "currency" };

struct reader {
	const char *at; /* next byte */
	long line;      /* of the file, from 1 */
};

/* Reads a field and the comma after it. Returns 1 if another field follows, 0 after the last one of the line. */
static int read_field(struct reader *reader, struct pl_buf *ret, struct pl_err *err)
{
	const char *at = reader->at;

	pl_buf_clear(ret);
	while (*at == ' ' || *at == '\t')
		at++;
	if (*at == '"') {
		for (at++; *at != '\0' && *at != '\n'; at++) {
			if (*at == '"' && at[1] != '"')
				break;
			at += *at == '"';
			pl_buf_add_char(ret, *at);
		}
		if (*at != '"')
			return pl_err_invalid(err, "line %ld: found no closing quote",
					      reader->line);
		at++;
		at += strspn(at, " \t\r");
		if (*at != ',' && *at != '\n' && *at != '\0')
			return pl_err_invalid(err,
					      "line %ld: unexpected text after a closing quote",
					      reader->line);
	} else {
		size_t len = strcspn(at, ",\n"), used = len;
		while (used > 0 && strchr(" \t\r", at[used - 1]) != NULL)
			used--;
		pl_buf_add(ret, at, used);
		at += len;
	}
	int result = *at == ',';
	reader->line += *at == '\n';
	reader->at = *at == '\0' ? at : at + 1;
	return result;
}

/* Skips lines without a row. Returns false at the end of the file. */
static bool has_row(struct reader *reader)
{
	for (;;) {
		size_t blank = strspn(reader->at, " \t\r");
		char first = reader->at[blank];
		if (first == '\0')
			return false;
		if (first != '#' && first != '\n')
			return true;
		size_t len = strcspn(reader->at, "\n");
		reader->at += len + (reader->at[len] == '\n');
		reader->line++;
	}
}

/* Reads the fields of a line into `texts`. is_head: they name the columns, and set `places`. */
static int read_row(struct reader *reader, int *places, bool is_head, struct pl_buf *texts,
		    struct pl_err *err)
{
	auto_buf field = PL_BUF(FILE_BYTES_MAX);
	int result = 1;

	for (int i = 0; i < COLUMN_COUNT; i++)
		pl_buf_clear(&texts[i]);
	for (int at = 0; result > 0; at++) {
		if (at == COLUMNS_MAX)
			return pl_err_invalid(err, "line %ld: found more than %d columns",
					      reader->line, COLUMNS_MAX);
		result = read_field(reader, &field, err);
		if (result < 0)
			return -1;
		for (int i = 0; i < COLUMN_COUNT; i++) {
			if (is_head && strcmp(pl_buf_text(&field), column_names[i]) == 0)
				places[i] = at;
			else if (!is_head && places[i] == at)
				pl_buf_add(&texts[i], field.data, field.len);
		}
	}
	return 0;
}

static int add_price(json_t *prices, json_t *seen, struct pl_buf *texts, long line,
		     struct pl_err *err)
{
	const char *gpu = pl_buf_text(&texts[GPU]), *number = pl_buf_text(&texts[PER_HOUR]);
	auto_free char *shown = pl_clean_line(gpu);
	auto_free char *shown_number = pl_clean_line(number);
	double per_hour;

	if (texts[GPU].len == 0 || texts[GPU].len > FIELD_BYTES_MAX)
		return pl_err_invalid(err, "line %ld: gpu: found %zu bytes, expected 1 to %d", line,
				      texts[GPU].len, FIELD_BYTES_MAX);
	if (!pl_text_to_f64(number, &per_hour) || !isfinite(per_hour) || per_hour < 0)
		return pl_err_invalid(
			err, "line %ld: per_hour: found '%s', expected a number of at least 0",
			line, shown_number);
	if (json_object_get(seen, gpu) != NULL)
		return pl_err_invalid(err, "line %ld: found '%s' twice, expected one price per GPU",
				      line, shown);
	if (json_array_size(prices) == STORE_PRICES_MAX)
		return pl_err_invalid(err, "line %ld: found more than %d GPUs", line,
				      STORE_PRICES_MAX);
	json_t *name = json_string(gpu);
	if (name == NULL)
		return pl_err_invalid(err, "line %ld: gpu: expected UTF-8", line);
	json_object_set_new(seen, gpu, json_true());
	json_array_append_new(prices, json_pack("{s:o, s:f}", "gpu", name, "per_hour", per_hour));
	return 0;
}

/* Sets the currency, which is that of the rows before. */
static int set_currency(json_t *all, struct pl_buf *texts, long line, struct pl_err *err)
{
	const char *currency = pl_buf_text(&texts[CURRENCY]),
		   *before = pl_json_get_text(all, "currency");
	auto_free char *shown = pl_clean_line(currency);

	if (texts[CURRENCY].len == 0 || texts[CURRENCY].len > CURRENCY_BYTES_MAX)
		return pl_err_invalid(err, "line %ld: currency: found %zu bytes, expected 1 to %d",
				      line, texts[CURRENCY].len, CURRENCY_BYTES_MAX);
	if (before != NULL && strcmp(before, currency) != 0)
		return pl_err_invalid(
			err, "line %ld: currency: found '%s', expected '%s' as in the lines before",
			line, shown, before);
	json_t *text = json_string(currency);
	if (text == NULL)
		return pl_err_invalid(err, "line %ld: currency: expected UTF-8", line);
	json_object_set_new(all, "currency", text);
	return 0;
}

static int read_all(struct reader *reader, struct pl_buf *texts, json_t *all, struct pl_err *err)
{
	auto_json json_t *seen = json_object();
	json_t *prices = json_object_get(all, "prices");
	int places[COLUMN_COUNT] = { -1, -1, -1 };

	if (!has_row(reader) || read_row(reader, places, true, texts, err) < 0 || places[GPU] < 0 ||
	    places[PER_HOUR] < 0)
		return pl_err_invalid(err,
				      "expected a first line with the columns gpu and per_hour");
	while (has_row(reader)) {
		long line = reader->line;
		if (read_row(reader, places, false, texts, err) < 0 ||
		    add_price(prices, seen, texts, line, err) < 0 ||
		    (places[CURRENCY] >= 0 && set_currency(all, texts, line, err) < 0))
			return -1;
	}
	return 0;
}

int dash_prices_read(const char *path, json_t **ret, struct pl_err *err)
{
	auto_free char *text = NULL;
	auto_free char *shown = pl_clean_line(path);
	auto_json json_t *all = json_pack("{s:[]}", "prices");
	struct pl_buf texts[COLUMN_COUNT] = { PL_BUF(FILE_BYTES_MAX), PL_BUF(FILE_BYTES_MAX),
					      PL_BUF(FILE_BYTES_MAX) };
	size_t len;
	int result;

	if (pl_file_read(path, FILE_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	if (strlen(text) != len)
		return pl_err_invalid(err, "prices '%s': found a zero byte, expected text", shown);
	struct reader reader = { .at = strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? text + 3 : text,
				 .line = 1 };
	result = read_all(&reader, texts, all, err);
	for (int i = 0; i < COLUMN_COUNT; i++)
		pl_buf_done(&texts[i]);
	if (result < 0)
		return pl_err_wrap(err, "prices '%s'", shown);
	*ret = pl_take(all);
	return 0;
}
