#include "dash/import/prices.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/file.h"
#include "base/text.h"
#include "dash/import/csv.h"
#include "store/analysis/prices.h"

#define FILE_BYTES_MAX     (1u << 20)
#define FIELD_BYTES_MAX    300
#define CURRENCY_BYTES_MAX 8

/* Checks a text of at least one byte. */
static int check_text(const struct dash_csv *csv, size_t column, size_t bytes_max,
		      struct pl_err *err)
{
	const char *text = dash_csv_field(csv, column);

	if (text[0] == '\0' || strlen(text) > bytes_max)
		return dash_csv_refuse(csv, column, err, "found %zu bytes, expected 1 to %zu",
				       strlen(text), bytes_max);
	return pl_text_is_utf8(text) ? 0 : dash_csv_refuse(csv, column, err, "expected UTF-8");
}

static int add_price(const struct dash_csv *csv, size_t gpu_column, size_t price_column,
		     json_t *prices, json_t *seen, struct pl_err *err)
{
	const char *gpu = dash_csv_field(csv, gpu_column);
	double per_hour;

	if (check_text(csv, gpu_column, FIELD_BYTES_MAX, err) < 0)
		return -1;
	if (!dash_csv_number(csv, price_column, &per_hour))
		return dash_csv_refuse(csv, price_column, err,
				       "found '%s', expected a number of at least 0",
				       dash_csv_field(csv, price_column));
	if (json_object_get(seen, gpu) != NULL)
		return dash_csv_refuse(csv, gpu_column, err,
				       "found '%s' twice, expected one price per GPU", gpu);
	if (json_array_size(prices) == STORE_PRICES_MAX)
		return dash_csv_refuse_row(csv, err, "found more than %d GPUs", STORE_PRICES_MAX);
	json_object_set_new(seen, gpu, json_true());
	json_array_append_new(prices, json_pack("{s:s, s:f}", "gpu", gpu, "per_hour", per_hour));
	return 0;
}

/* Sets the currency, which is that of the rows before. */
static int set_currency(const struct dash_csv *csv, size_t column, json_t *all, struct pl_err *err)
{
	const char *currency = dash_csv_field(csv, column),
		   *before = pl_json_get_text(all, "currency");

	if (check_text(csv, column, CURRENCY_BYTES_MAX, err) < 0)
		return -1;
	if (before != NULL && strcmp(before, currency) != 0)
		return dash_csv_refuse(csv, column, err,
				       "found '%s', expected '%s' as in the lines before", currency,
				       before);
	json_object_set_new(all, "currency", json_string(currency));
	return 0;
}

int dash_prices_parse(const char *text, const char *name, json_t **ret, struct pl_err *err)
{
	auto_json json_t *all = json_pack("{s:[]}", "prices");
	auto_json json_t *seen = json_object();
	json_t *prices = json_object_get(all, "prices");
	size_t gpu, per_hour, currency;
	auto_csv csv;
	int result;

	if (dash_csv_open(&csv, name, text, err) < 0 ||
	    dash_csv_find(&csv, "gpu", true, &gpu, err) < 0 ||
	    dash_csv_find(&csv, "per_hour", true, &per_hour, err) < 0 ||
	    dash_csv_find(&csv, "currency", false, &currency, err) < 0)
		return -1;
	while ((result = dash_csv_next(&csv, err)) > 0) {
		if (add_price(&csv, gpu, per_hour, prices, seen, err) < 0 ||
		    (currency != SIZE_MAX && set_currency(&csv, currency, all, err) < 0))
			return -1;
	}
	if (result == 0)
		*ret = pl_take(all);
	return result;
}

int dash_prices_read(const char *path, json_t **ret, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len;

	if (pl_file_read(path, FILE_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	if (strlen(text) != len) {
		auto_free char *shown = pl_clean_line(path);
		return pl_err_invalid(err, "prices '%s': found a zero byte, expected text", shown);
	}
	return dash_prices_parse(text, path, ret, err);
}
