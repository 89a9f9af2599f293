/*
 * Any bytes as JSON that Python wrote: the value has no number that is not one and is written as JSON that
 * reads back equal; each replaced number has a pointer. What JSON accepts is accepted here too.
 */
#include "result/flat/python_json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_replaced(const json_t *replaced)
{
	PL_JSON_EACH(one, replaced) {
		const char *pointer = pl_json_get_text(one, "pointer");
		const char *found = pl_json_get_text(one, "found");
		must(pointer != NULL && (pointer[0] == '/' || pointer[0] == '\0'));
		must(found != NULL &&
		     (strcmp(found, "NaN") == 0 || strcmp(found, "Infinity") == 0 ||
		      strcmp(found, "-Infinity") == 0));
	}
}

static void check_value(const json_t *json)
{
	auto_json json_t *retry = NULL;
	auto_free char *text = pl_json_to_text(json, PL_JSON_COMPACT);
	struct pl_err err = PL_ERR_INIT;

	must(text != NULL && pl_text_is_utf8(text));
	must(pl_json_parse_texts(text, strlen(text), "again", &retry, &err) == 0);
	must(json_equal(json, retry));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *copy = pl_memdup(data, size);
	auto_json json_t *plain = NULL, *json = NULL, *replaced = NULL;
	struct pl_err err = PL_ERR_INIT;
	int is_json = pl_json_parse_texts(copy, size, "plain", &plain, PL_ERR_IGNORED);

	if (res_python_json_parse(copy, size, "input", &json, &replaced, &err) < 0) {
		must(is_json < 0 && json == NULL && replaced == NULL);
		must(pl_text_starts(err.text, "input:"));
		return 0;
	}
	check_replaced(replaced);
	check_value(json);
	if (is_json == 0)
		must(json_equal(plain, json) && json_array_size(replaced) == 0);
	return 0;
}
