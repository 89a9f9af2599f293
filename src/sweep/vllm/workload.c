/*
 * `serve_workload`: one request at a time, all at once, and values in between:
 *
 *	serial        max_concurrency 1           ── estimate ──┐
 *	batch         max_concurrency num_prompts ── estimate ──┤
 *	intermediate  whole numbers between the two estimates <─┘
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "sweep/vllm/command.h"
#include "sweep/vllm/estimate.h"
#include "sweep/vllm/vsweep_priv.h"

#define CONCURRENCY     "max_concurrency"
#define DEFAULT_PROMPTS 1000

/* The values of one load. */
struct exploring {
	struct sweep_vllm *sweep;
	const json_t *bench;
};

/* Returns num_prompts of the load: its parameter, else the command's, else vLLM's default. */
static int64_t prompts_of(const struct sweep_vllm *sweep, const json_t *bench)
{
	const char *text = sweep_vllm_command_value(sweep->settings->bench_command, "--num-prompts",
						    NULL);
	int64_t number = DEFAULT_PROMPTS;

	if (text == NULL)
		text = sweep_vllm_command_value(sweep->settings->bench_command, "--num_prompts",
						NULL);
	if (text != NULL && !pl_text_to_i64(text, &number))
		number = DEFAULT_PROMPTS;
	PL_JSON_EACH_MEMBER(key, value, bench) {
		if (sweep_vllm_same_key(key, "num_prompts") && json_is_integer(value))
			number = json_integer_value(value);
	}
	return number;
}

/* concurrency 0: that of the load. *ret_runs as in sweep_vllm_run_all(). */
static int run_value(const struct exploring *exploring, int64_t value, int64_t concurrency,
		     json_t **ret_runs, struct pl_err *err)
{
	const char *variable = exploring->sweep->settings->variable;
	auto_json json_t *load = json_copy((json_t *)exploring->bench);
	auto_free char *name = pl_asprintf("%s=%lld", variable, (long long)value);

	if (concurrency > 0)
		json_object_set_new(load, CONCURRENCY, json_integer(concurrency));
	auto_free char *folder = sweep_vllm_bench_folder(
		exploring->sweep->settings, exploring->sweep->serve, load, "WL-", name);
	json_object_set_new(load, variable, json_integer(value));
	const struct sweep_vllm_runs runs = { .bench = load, .folder = folder };
	return sweep_vllm_run_all(exploring->sweep, &runs, ret_runs, err);
}

static int explore(const struct exploring *exploring, json_t *rows, struct pl_err *err)
{
	struct sweep_vllm *sweep = exploring->sweep;
	int64_t prompts = prompts_of(sweep, exploring->bench);
	auto_json json_t *serial = NULL;
	auto_json json_t *batch = NULL;

	if (run_value(exploring, 1, 1, &serial, err) < 0 ||
	    run_value(exploring, prompts, prompts, &batch, err) < 0)
		return -1;
	if (sweep->settings->dry_run)
		return 0;
	if (serial == NULL || batch == NULL) {
		sweep_vllm_print(sweep, "Unable to establish both Workload Explorer endpoints; "
					"skipping the values between them");
		return 0;
	}
	json_array_extend(rows, serial);
	const struct sweep_vllm_settings *settings = exploring->sweep->settings;
	double lo, hi;
	if (sweep_vllm_estimate(serial, settings->variable, &lo, err) < 0 ||
	    sweep_vllm_estimate(batch, settings->variable, &hi, err) < 0)
		return -1;
	auto_json json_t *values = sweep_vllm_between(ceil(lo), floor(hi), settings->iterations);
	auto_free char *shown = pl_json_to_text(values, PL_JSON_PYTHON);
	sweep_vllm_print(exploring->sweep, "Serial: %g, batch: %g; between them: %s", lo, hi,
			 shown);
	PL_JSON_EACH(value, values) {
		auto_json json_t *runs = NULL;
		if (run_value(exploring, json_integer_value(value), 0, &runs, err) < 0)
			return -1;
		if (runs != NULL)
			json_array_extend(rows, runs);
	}
	json_array_extend(rows, batch);
	return 0;
}

int sweep_vllm_workload(struct sweep_vllm *sweep, const json_t *bench, struct pl_err *err)
{
	const struct exploring exploring = { .sweep = sweep, .bench = bench };
	auto_json json_t *rows = json_array();

	sweep_vllm_mark(sweep, "[WL START]", bench);
	if (explore(&exploring, rows, err) < 0)
		return -1;
	sweep_vllm_print(sweep, "[WL END]");
	return sweep_vllm_add_rows(sweep, json_array_size(rows) > 0 ? rows : NULL, err);
}
