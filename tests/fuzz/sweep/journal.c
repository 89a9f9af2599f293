/*
 * Reads any bytes as FOLDER/sweep.jsonl: a journal with an id, or one error that names the file. A
 * resumed sweep reads the same, and an estimate from its rows contains only finite numbers.
 */
#include "sweep/journal.h"

#include <math.h>
#include <string.h>

#include "../scratch.h"
#include "sweep/tasks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char file[] = "server: {model: m}\n"

			   "benchmark: {num_prompts: 2}\n"
			   "sweep: {benchmark.max_concurrency: [1, 2]}\n";

static struct sweep_plan plan;

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Made once; its two combinations have fixed ids, which rows of the corpus name. */
static void make_plan(void)
{
	static struct exp_sweep *sweep;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;
	struct sweep_how how = { .catalog = vllm_catalog_reference(), .simulate = true };

	if (sweep != NULL)
		return;
	must(exp_sweep_read(how.catalog, file, strlen(file), "s.yaml", NULL, 0, &sweep, &problems,
			    &err) == 0 &&
	     sweep != NULL);
	sweep_plan_make(sweep, &how, &plan, &problems);
	must(plan.count == 2 && plan.fallen == 0);
	if (getenv("SHOW_IDS") != NULL)
		fprintf(stderr, "%s %s\n", plan.cells[0].id, plan.cells[1].id);
}

static void check_estimate(const struct sweep_settings *settings)
{
	struct sweep_forecast forecast = { 0 };
	struct pl_err err = PL_ERR_INIT;

	must(sweep_forecast(&plan, settings, &forecast, &err) == 0);
	must(forecast.runs <= 4 && forecast.starts <= 4);
	must(isfinite(forecast.start_s) && isfinite(forecast.run_s) && isfinite(forecast.total_s));
}

static void check_resumed(const struct sweep_journal *looked)
{
	auto_sweep_journal second = { 0 };
	struct pl_err err = PL_ERR_INIT;

	must(sweep_journal_open(scratch_path(), true, &second, &err) == 0 && second.id != NULL);
	/* a journal without a whole line is written again */
	must(looked->id == NULL || strcmp(second.id, looked->id) == 0);
	must(json_equal(second.rows, looked->rows) && json_equal(second.sent, looked->sent) &&
	     json_equal(second.starts, looked->starts) && second.started == looked->started);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const retry[] = { "failed", "degraded" };
	const struct sweep_settings settings = { .folder = scratch_path(),
						 .repeats = 2,
						 .retry = retry,
						 .retry_count = 2,
						 .resume = true,
						 .quiet = true,
						 .simulate = true };
	auto_sweep_journal journal = { 0 };
	struct pl_err err = PL_ERR_INIT;

	make_plan();
	scratch_write(SWEEP_JOURNAL_NAME, data, size);
	if (sweep_journal_look(scratch_path(), &journal, &err) < 0) {
		must(strstr(err.text, SWEEP_JOURNAL_NAME) != NULL);
		return 0;
	}
	check_estimate(&settings);
	check_resumed(&journal);
	return 0;
}
