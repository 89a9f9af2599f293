/*
 * Any bytes as a JSON document: what is accepted is written in every style and reads back equal.
 */
#include "base/json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *json = NULL;

	if (pl_json_parse((const char *)data, size, "fuzz", &json, &err) < 0) {
		assert(json == NULL && strncmp(err.text, "fuzz:", 5) == 0);
		return 0;
	}
	for (int style = PL_JSON_COMPACT; style <= PL_JSON_INDENT; style++) {
		char *text = pl_json_to_text(json, (enum pl_json_style)style);
		json_t *retry = NULL;
		int result = pl_json_parse(text, strlen(text), "again", &retry, &err);
		assert(result == 0 && json_equal(json, retry));
		for (const char *at = text; style == PL_JSON_PYTHON && *at != '\0'; at++)
			assert(*at >= 0x20 && *at < 0x7F);
		json_decref(retry);
		free(text);
	}
	json_decref(json);
	return 0;
}
