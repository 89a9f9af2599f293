/* Any bytes as conversations: each has a message that is not of the assistant, or one error names the file. */
#include "bench/data/turns.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* the file's reader puts a NUL after the bytes */
	auto_free char *text = pl_alloc(size + 1);
	auto_entries entries = { 0 };
	const struct vllm_bench bench = { .dataset_path = (char *)"x.jsonl" };
	struct pl_err err = PL_ERR_INIT;

	if (size > 0)
		memcpy(text, data, size);
	if (bench_entries_parse(&bench_dataset_turns, &bench, text, size, &entries, &err) < 0) {
		must(entries.count == 0);
		must(err.code == PL_ERR_INVALID && pl_text_starts(err.text, "x.jsonl:"));
		return 0;
	}
	must(entries.count > 0);
	for (size_t i = 0; i < entries.count; i++) {
		const json_t *messages = json_object_get(entries.items[i].object, "messages");
		size_t own = 0;
		PL_JSON_EACH(message, messages) {
			const char *role = pl_json_get_text(message, "role");
			must(role != NULL);
			own += !pl_text_equal(role, "assistant") && !pl_text_equal(role, "system");
		}
		must(own > 0);
	}
	return 0;
}
