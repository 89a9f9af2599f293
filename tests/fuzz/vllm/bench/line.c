/*
 * Parses any words as a command line of `bench serve`: a line or faults, never a crash. Every fault
 * has a text. The options contain each setting, and reproduce it when they are parsed again.
 */
#include "vllm/bench/line.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { WORDS_MAX = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_faults(const struct vllm_bench_line *line)
{
	for (size_t i = 0; i < line->fault_count; i++) {
		if (line->faults[i].text == NULL || line->faults[i].text[0] == '\0')
			abort();
	}
}

/* Options to JSON and back are the same options. */
static void check_options(const struct vllm_bench_line *line)
{
	struct vllm_bench retry;

	vllm_bench_init(&retry);
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		enum vllm_bench_id id = (enum vllm_bench_id)i;
		auto_json json_t *value = vllm_bench_get(&line->bench, id);
		vllm_bench_set(&retry, id, value);
		auto_json json_t *back = vllm_bench_get(&retry, id);
		/* durations are read as nanoseconds and shown as people write them */
		if (vllm_bench_row(id)->type != OPTION_DURATION && !json_equal(value, back))
			abort();
		if (line->given[id] !=
		    (json_object_get(line->set, vllm_bench_row(id)->name) != NULL))
			abort();
	}
	vllm_bench_done(&retry);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	auto_free char *text = pl_strndup((const char *)data, len);
	const char *words[WORDS_MAX];
	struct vllm_bench_line line;
	size_t count = 0;

	for (char *rest = text; rest != NULL && count < WORDS_MAX;)
		words[count++] = strsep(&rest, "\n");
	vllm_bench_line_read(words, count, VLLM_BENCH_OF_OURS, &line);
	check_faults(&line);
	check_options(&line);
	vllm_bench_line_done(&line);
	return 0;
}
