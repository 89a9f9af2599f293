/* Any JSON as a result: each command has a text or a reason, and no variable of this process is in it. */
#include "result/commands.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check(const json_t *document, bool is_vllm)
{
	auto_json json_t *all = res_commands(document, is_vllm);
	auto_free char *text = pl_json_to_text(all, PL_JSON_COMPACT);

	must(json_array_size(json_object_get(all, "commands")) == 4);
	PL_JSON_EACH(command, json_object_get(all, "commands")) {
		bool has_text = json_is_string(json_object_get(command, "text"));
		must(has_text != json_is_string(json_object_get(command, "reason")));
		must(has_text || json_is_false(json_object_get(command, "complete")));
	}
	must(strstr(text, "fuzz-variable-value") == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_json json_t *document = json_loadb((const char *)data, size, 0, NULL);

	setenv("V", "fuzz-variable-value", 1);
	if (!json_is_object(document) || memmem(data, size, "fuzz-variable-value", 19) != NULL)
		return 0;
	check(document, false);
	check(document, true);
	return 0;
}
