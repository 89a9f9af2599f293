/*
 * Options that a line gives and that change nothing there: vLLM passes over them in silence, and
 * whoever wrote `--result-filename` without `--save-result` has no file in the end. Warnings, told
 * before the first request.
 */
#include "vllm/bench/line_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void warn(struct vllm_bench_line *line, enum vllm_bench_id id, const char *without)
{
	vllm_bench_line_add(
		line, VLLM_BENCH_WARNING,
		pl_asprintf("%s does nothing without %s", vllm_bench_row(id)->flag, without));
}

static void check_files(struct vllm_bench_line *line)
{
	static const enum vllm_bench_id idle[] = {
		VLLM_BENCH_save_detailed,
		VLLM_BENCH_metadata,
		VLLM_BENCH_result_dir,
		VLLM_BENCH_result_filename,
	};
	const struct vllm_bench *bench = &line->bench;

	if (bench->save_result || bench->append_result || bench->plot_timeline ||
	    bench->plot_dataset_stats)
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(idle); i++) {
		if (line->given[idle[i]])
			warn(line, idle[i], "--save-result or --append-result");
	}
}

/*
 * Options that begin with a data set's name are that data set's alone, and of those whose names
 * begin with its: random_input_len is of random and of random-mm.
 */
static void check_dataset(struct vllm_bench_line *line, enum vllm_bench_id id)
{
	auto_json json_t *names = json_loads(vllm_bench_row(VLLM_BENCH_dataset_name)->choices, 0,
					     NULL);
	const char *used = line->bench.dataset_name, *option = vllm_bench_row(id)->name;
	size_t i;
	json_t *item;

	json_array_foreach(names, i, item)
	{
		const char *name = json_string_value(item);
		size_t len = strlen(name);
		if (strncmp(option, name, len) != 0 || option[len] != '_' ||
		    strncmp(used, name, len) == 0)
			continue;
		auto_free char *wanted = pl_asprintf("--dataset-name %s", name);
		warn(line, id, wanted);
	}
}

static void check_datasets(struct vllm_bench_line *line)
{
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		if (line->given[i] && !vllm_bench_row((enum vllm_bench_id)i)->later)
			check_dataset(line, (enum vllm_bench_id)i);
	}
}

void vllm_bench_line_check_idle(struct vllm_bench_line *line)
{
	const struct vllm_bench *bench = &line->bench;

	check_files(line);
	check_datasets(line);
	if (line->given[VLLM_BENCH_burstiness] && isinf(bench->request_rate) &&
	    bench->ramp_up_strategy == NULL)
		warn(line, VLLM_BENCH_burstiness, "--request-rate");
	if (line->given[VLLM_BENCH_lora_assignment] && bench->lora_modules == NULL)
		warn(line, VLLM_BENCH_lora_assignment, "--lora-modules");
}
