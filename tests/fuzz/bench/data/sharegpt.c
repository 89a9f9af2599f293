/*
 * Any bytes as a ShareGPT file: conversations come out whole, or one message that names the source.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly the bytes: what reads on is seen by the sanitizer. */
	auto_free char *copy = pl_memdup(data, size);
	auto_entries entries = { 0 };
	const struct vllm_bench bench = { .dataset_path = (char *)"x.json" };
	struct pl_err err = PL_ERR_INIT;

	if (bench_entries_parse(&bench_dataset_sharegpt, &bench, copy, size, &entries, &err) < 0) {
		must(entries.count == 0);
		must(err.code == PL_ERR_INVALID && pl_text_starts(err.text, "x.json:"));
		return 0;
	}
	must(entries.count > 0 && entries.with_media <= entries.count);
	for (size_t i = 0; i < entries.count; i++)
		must(entries.items[i].prompt != NULL && entries.items[i].completion != NULL);
	return 0;
}
