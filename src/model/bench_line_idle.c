/*
 * Options that a line gives and that change nothing there: vLLM passes over them in silence, and
 * whoever wrote `--result-filename` without `--save-result` has no file in the end. Warnings, told
 * before the first request.
 */
#include "model/bench_line_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void warn(struct md_bench_line *line, enum md_bench_id id, const char *without)
{
	auto_free char *flag = md_bench_flag_of(id);

	md_bench_line_add(line, MD_BENCH_WARNING,
			  pl_asprintf("%s does nothing without %s", flag, without));
}

static void check_files(struct md_bench_line *line)
{
	static const enum md_bench_id idle[] = {
		MD_BENCH_save_detailed,
		MD_BENCH_metadata,
		MD_BENCH_result_dir,
		MD_BENCH_result_filename,
	};
	const struct md_bench *bench = &line->bench;

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
static void check_dataset(struct md_bench_line *line, enum md_bench_id id)
{
	const char *names = md_bench_row(MD_BENCH_dataset_name)->choices;
	const char *used = line->bench.dataset_name, *option = md_bench_row(id)->name;

	for (size_t len; *names != '\0'; names += len + (names[len] == '|')) {
		len = strcspn(names, "|");
		if (strncmp(option, names, len) != 0 || option[len] != '_' ||
		    strncmp(used, names, len) == 0)
			continue;
		auto_free char *wanted = pl_asprintf("--dataset-name %.*s", (int)len, names);
		warn(line, id, wanted);
	}
}

static void check_datasets(struct md_bench_line *line)
{
	for (size_t i = 0; i < MD_BENCH_COUNT; i++) {
		if (line->given[i] && !md_bench_row((enum md_bench_id)i)->later)
			check_dataset(line, (enum md_bench_id)i);
	}
}

void md_bench_line_check_idle(struct md_bench_line *line)
{
	const struct md_bench *bench = &line->bench;

	check_files(line);
	check_datasets(line);
	if (line->given[MD_BENCH_burstiness] && isinf(bench->request_rate) &&
	    bench->ramp_up_strategy == NULL)
		warn(line, MD_BENCH_burstiness, "--request-rate");
	if (line->given[MD_BENCH_lora_assignment] && bench->lora_modules == NULL)
		warn(line, MD_BENCH_lora_assignment, "--lora-modules");
}
