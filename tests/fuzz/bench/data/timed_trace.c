/* Any bytes as a trace: each request has tokens and a time, or one error names the file. */
#include "bench/data/dataset_priv.h"

#include <math.h>
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
	/* the file's reader puts a NUL after the bytes */
	auto_free char *text = pl_alloc(size + 1);
	auto_entries entries = { 0 };
	const struct vllm_bench bench = {
		.dataset_path = (char *)"x.trace",
		.timed_trace_label_timestamp = (char *)"timestamp",
		.timed_trace_label_input_length = (char *)"input_length",
		.timed_trace_label_output_length = (char *)"output_length",
		.timed_trace_label_hash_ids = (char *)"hash_ids",
	};
	struct pl_err err = PL_ERR_INIT;

	if (size > 0)
		memcpy(text, data, size);
	if (bench_entries_parse(&bench_dataset_timed_trace, &bench, text, size, &entries, &err) <
	    0) {
		must(entries.count == 0);
		must(err.code == PL_ERR_INVALID && pl_text_starts(err.text, "x.trace:"));
		return 0;
	}
	must(entries.count > 0);
	for (size_t i = 0; i < entries.count; i++) {
		const struct bench_entry *entry = &entries.items[i];
		must(entry->row != NULL && isfinite(entry->row->start_s));
		must(isnan(entry->row->end_s) || entry->row->end_s >= entry->row->start_s);
		must(entry->input_tokens >= 0 && entry->input_tokens <= 1000000000);
		must(entry->output_tokens > 0 && entry->output_tokens <= 1000000000);
	}
	return 0;
}
