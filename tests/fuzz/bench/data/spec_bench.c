/*
 * Any bytes as a SpecBench file, with and without a category: each question has its first turn, or one
 * error names the line. A category selects some of the questions.
 */
#include "bench/data/dataset_priv.h"

#include <stdlib.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Returns how many questions the file has; 0: an error. */
static size_t parse(const uint8_t *data, size_t size, const char *category)
{
	/* exactly the bytes, so that the sanitizer sees a read past them */
	auto_free char *copy = pl_memdup(data, size);
	auto_entries entries = { 0 };
	const struct vllm_bench bench = { .dataset_path = (char *)"x.jsonl",
					  .spec_bench_category = (char *)category };
	struct pl_err err = PL_ERR_INIT;

	if (bench_entries_parse(&bench_dataset_spec_bench, &bench, copy, size, &entries, &err) <
	    0) {
		must(entries.count == 0);
		must(err.code == PL_ERR_INVALID && pl_text_starts(err.text, "x.jsonl:"));
		return 0;
	}
	must(entries.count > 0);
	for (size_t i = 0; i < entries.count; i++)
		must(entries.items[i].prompt != NULL && entries.items[i].completion == NULL &&
		     entries.items[i].output_tokens == RES_NO_COUNT);
	return entries.count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t all = parse(data, size, NULL);

	must(parse(data, size, "coding") <= all);
	return 0;
}
