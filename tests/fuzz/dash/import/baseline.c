/* Any bytes as a baseline: rows in the form of the contract, or one message says why not. */
#include "dash/import/baseline.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_row(const json_t *row)
{
	must(json_is_string(json_object_get(row, "model")));
	must(json_is_string(json_object_get(row, "gpu")));
	must(json_object_size(row) == 12);
	PL_JSON_EACH_MEMBER(id, number, json_object_get(row, "values")) {
		must(strchr(id, '.') != NULL && json_is_number(number));
		must(isfinite(json_number_value(number)) && json_number_value(number) >= 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = pl_strndup((const char *)data, size);
	auto_json json_t *rows = json_array();
	auto_json json_t *ignored = json_array();
	struct pl_err err = PL_ERR_INIT;

	if (memchr(data, 0, size) != NULL)
		size = strlen(text);
	if (dash_baseline_parse(text, size, "input", rows, ignored, &err) < 0) {
		must(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
		return 0;
	}
	must(json_array_size(rows) > 0);
	PL_JSON_EACH(row, rows)
		check_row(row);
	return 0;
}
