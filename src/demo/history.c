/*
 * Makes a synthetic document: the plan is read like any experiment, so that config has the form of `profllm run`, and
 * the same function as for real results assembles the parts.
 */
#include "demo/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "demo/history_priv.h"
#include "result/metrics/metrics.h"
#include "vllm/server_args.h"

static int empty_results(json_t **ret, struct pl_err *err)
{
	struct vllm_bench bench;
	auto_how how = { 0 };
	const struct res_outcome nothing = { .count = 0 };

	vllm_bench_init(&bench);
	int result = res_how_make(&bench, false, bench.ignore_eos, &how, err);
	vllm_bench_done(&bench);
	if (result == 0)
		*ret = res_metrics_compute(&nothing, &how);
	return result;
}

int demo_new(uint64_t seed, int64_t rows, struct demo **ret, struct pl_err *err)
{
	auto_history struct demo *history = pl_alloc(sizeof(*history));

	history->seed = seed;
	history->sweeps = (rows + DEMO_SWEEP - 1) / DEMO_SWEEP;
	if (demo_lab_open(history, err) < 0 || empty_results(&history->results, err) < 0)
		return -1;
	*ret = pl_take(history);
	return 0;
}

void demo_free(struct demo *history)
{
	if (history == NULL)
		return;
	free(history->models);
	free(history->gpus);
	json_decref(history->results);
	free(history);
}

/* ---- config -------------------------------------------------------------------------------- */

static int read_experiment(const struct demo_plan *plan, struct exp_config **ret,
			   struct pl_err *err)
{
	auto_problems problems = { 0 };
	auto_json json_t *requested = json_pack(
		"{s:s, s:s, s:O, s:O, s:{s:s}, s:O}", "suite", plan->sweep->suite, "name",
		plan->name, "tags", plan->tags, "server", plan->server, "launch", "vllm_version",
		demo_release_at(plan->release), "benchmark", plan->load);

	return exp_config_read_json(vllm_catalog_reference(), requested, "a synthetic experiment",
				    NULL, 0, ret, &problems, err);
}

/* An older program did not know arguments that its release lacked. */
static void drop_absent(json_t *server, json_t *source)
{
	void *next;
	const char *name;
	json_t *word;

	json_object_foreach_safe(source, next, name, word)
	{
		if (strcmp(json_string_value(word), "not_in_release") != 0)
			continue;
		json_object_del(server, name);
		json_object_del(source, name);
	}
}

static json_t *make_benchmark(const struct demo_plan *plan, const struct exp_config *experiment)
{
	json_t *benchmark = vllm_bench_to_json(&experiment->bench);
	char sha256[65];

	pl_sha256(plan->name, strlen(plan->name), sha256);
	json_object_update_new(benchmark,
			       json_pack("{s:s, s:s, s:s, s:s}", "model", plan->model->name,
					 "endpoint", "/v1/completions", "prompt_form", "text",
					 "dataset_sha256", sha256));
	return benchmark;
}

static json_t *make_config(const struct demo_plan *plan, const struct exp_config *experiment)
{
	json_t *server = NULL, *source = NULL, *explicit_names = json_array();
	json_t *overlay = plan->newer != NULL ? json_array() : json_null();

	vllm_args_effective(experiment->catalog, experiment->server, NULL, &server, &source);
	PL_JSON_EACH_MEMBER(name, value, experiment->server)
		json_array_append_new(explicit_names, json_string(name));
	if (plan->newer != NULL) {
		/* Adds an argument that is newer than the tables. */
		PL_JSON_EACH_MEMBER(name, value, plan->newer) {
			json_object_set(server, name, value);
			json_object_set_new(source, name, json_string("explicit"));
			json_array_append_new(explicit_names, json_string(name));
			json_array_append_new(overlay, json_string(name));
		}
	}
	if (plan->is_narrow)
		drop_absent(server, source);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "server", server, "server_source",
			 source, "server_explicit", explicit_names, "params_overlay", overlay,
			 "benchmark", make_benchmark(plan, experiment), "experiment",
			 exp_config_explicit(experiment));
}

/* ---- the document -------------------------------------------------------------------------- */

int demo_document(const struct demo *history, int64_t index, json_t **ret, struct pl_err *err)
{
	auto_plan plan;
	auto_experiment struct exp_config *experiment = NULL;

	demo_plan(history, index, &plan);
	if (read_experiment(&plan, &experiment, err) < 0)
		return pl_err_wrap(err, "synthetic result %lld", (long long)index);
	char run_id[RES_RUN_ID_BYTES];
	struct demo_figures figures;
	demo_figures(&plan, &figures);
	enum res_status status = figures.fate != NULL ? figures.fate->status : RES_STATUS_COMPLETED;
	bool has_results = status != RES_STATUS_LAUNCH_FAILED;
	demo_run_id(history, &plan, run_id);
	auto_json json_t *config = make_config(&plan, experiment);
	auto_json json_t *results = has_results ? demo_results(history, &plan, &figures) : NULL;
	auto_json json_t *system = demo_system(&plan, &figures);
	auto_json json_t *launch = demo_launch(&plan, &figures, experiment);
	auto_json json_t *environment = demo_environment(&plan);
	auto_json json_t *quality = demo_quality(&plan, has_results ? &figures : NULL);
	auto_json json_t *error = demo_error(figures.fate);
	const struct res_document_parts parts = {
		.run_id = run_id,
		.suite = plan.sweep->suite,
		.name = plan.name,
		.tags = plan.tags,
		.started_real_ns = plan.started_ns,
		.duration_s = figures.start_s + (has_results ? figures.duration_s : 0),
		.config = config,
		.results = results,
		.system = system,
		.status = status,
		.launch = launch,
		.environment = environment,
		.quality = quality,
		.error = error,
	};
	return res_document_build(&parts, ret, err);
}
