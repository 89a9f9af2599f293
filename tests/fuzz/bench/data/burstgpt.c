/* Any bytes as a BurstGPT trace: each row has whole numbers of tokens, or one error names the line. */
#include "bench/data/dataset_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* the file's reader puts a NUL after the bytes, and the parser stops there */
	auto_free char *text = pl_alloc(size + 1);
	auto_entries entries = { 0 };
	const struct vllm_bench bench = { .dataset_path = (char *)"x.csv" };
	struct pl_err err = PL_ERR_INIT;

	if (size > 0)
		memcpy(text, data, size);
	if (bench_entries_parse(&bench_dataset_burstgpt, &bench, text, size, &entries, &err) < 0) {
		must(entries.count == 0);
		must(err.code == PL_ERR_INVALID && pl_text_starts(err.text, "x.csv:"));
		return 0;
	}
	must(entries.count > 0);
	for (size_t i = 0; i < entries.count; i++) {
		const struct bench_entry *entry = &entries.items[i];
		must(entry->prompt == NULL && entry->completion == NULL);
		must(entry->input_tokens >= 0 && entry->input_tokens <= 1000000000);
		must(entry->output_tokens > 0 && entry->output_tokens <= 1000000000);
	}
	return 0;
}
