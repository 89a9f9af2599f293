/*
 * Any bytes as a dataset of recordings: records come out whole, or one message that names the source.
 */
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

static void parse(char *text, size_t len, bool need_output_tokens)
{
	/* -1: each record tells its own */
	const struct vllm_bench bench = { .dataset_path = (char *)"x.jsonl",
					  .output_len = OPTION_NO_I64,
					  .custom_output_len = need_output_tokens ? -1 : 1 };
	auto_entries entries = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (bench_entries_parse(&bench_dataset_custom_audio, &bench, text, len, &entries, &err) <
	    0) {
		must(entries.count == 0);
		/* a path that the line names may be missing */
		must(err.code == PL_ERR_INVALID || err.code == PL_ERR_IO);
		must(pl_text_starts(err.text, "x.jsonl:"));
		return;
	}
	must(entries.count > 0);
	for (size_t i = 0; i < entries.count; i++) {
		must(entries.items[i].prompt != NULL && entries.items[i].completion == NULL);
		must(entries.items[i].media != NULL && entries.items[i].messages == NULL);
		must(need_output_tokens ? entries.items[i].output_tokens >= 1
					: entries.items[i].output_tokens == RES_NO_COUNT);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly the bytes: what reads on is seen by the sanitizer. */
	auto_free char *copy = pl_memdup(data, size);

	parse(copy, size, false);
	parse(copy, size, true);
	return 0;
}
