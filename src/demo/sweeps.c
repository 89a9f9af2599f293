/*
 * Two groups of runs as sweeps with a plan: one that finished, and one whose first server does not fit into its GPU and
 * whose last combinations violate a rule.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "demo/history_priv.h"

#define SWEEPS_FROM 5 /* groups: fewer results have no sweeps */
#define CELL_DIGITS 12

/* By number of groups before the end; the last one may be cut short. */
static const struct demo_study studies[] = {
	{ .from_end = 2,
	  .sweep = "parallel",
	  .model = "meta-llama/Llama-3.1-70B-Instruct",
	  .host = "h200-a" },
	{ .from_end = 3, .sweep = "concurrency", .model = "Qwen/Qwen3-8B", .host = "h100-a" },
};

const struct demo_study *demo_study_of(const struct demo *history, int64_t number)
{
	for (size_t i = 0; history->sweeps >= SWEEPS_FROM && i < PL_ARRAY_SIZE(studies); i++) {
		if (number == history->sweeps - studies[i].from_end)
			return &studies[i];
	}
	return NULL;
}

static const char *short_key(const char *key)
{
	return strchr(key, '.') + 1;
}

/* "tensor_parallel_size=2 max_concurrency=8"; free(). */
static char *label_of(const struct demo_sweep *sweep, const json_t *slow, const json_t *fast)
{
	auto_free char *down = pl_json_to_plain(slow);
	auto_free char *right = pl_json_to_plain(fast);

	return pl_asprintf("%s=%s %s=%s", short_key(sweep->slow.key), down,
			   short_key(sweep->fast.key), right);
}

static void cell_of(const char *label, char ret[65])
{
	pl_sha256(label, strlen(label), ret);
	ret[CELL_DIGITS] = '\0';
}

static const json_t *setting_of(const struct demo_plan *plan, const char *key)
{
	return json_object_get(pl_text_starts(key, "server.") ? plan->server : plan->load,
			       short_key(key));
}

void demo_tag_study(int64_t began_ns, int64_t number, struct demo_plan *plan)
{
	const struct demo_sweep *sweep = plan->sweep;
	auto_free char *label = label_of(sweep, setting_of(plan, sweep->slow.key),
					 setting_of(plan, sweep->fast.key));
	char cell[65], date[16];

	cell_of(label, cell);
	pl_clock_format(began_ns, "%Y%m%d_%H%M%S", 1, date, sizeof(date));
	json_object_update_new(
		plan->tags,
		json_pack("{s:o, s:o, s:s, s:s, s:s}", "sweep",
			  json_sprintf("swp_%s_%06x", date, (unsigned)number & 0xffffff),
			  "sweep_name", json_sprintf("%s of %s", sweep->name, plan->model->title),
			  "sweep_cell", cell, "sweep_point", label, "sweep_repeat", "1"));
}

/* ---- plans --------------------------------------------------------------------------------- */

static json_t *row(const struct demo_sweep *sweep, json_t *slow, json_t *fast)
{
	auto_free char *label = label_of(sweep, slow, fast);
	auto_free char *server = pl_json_to_plain(slow);
	char cell[65];

	cell_of(label, cell);
	return json_pack("{s:s, s:s, s:i, s:s, s:n, s:s, s:{s:O, s:O}, s:b}", "run", cell,
			 "combination", cell, "repeat", 1, "server", server, "set", "label", label,
			 "parameters", sweep->slow.key, slow, sweep->fast.key, fast, "removed", 0);
}

static json_t *run_row(const struct demo *history, const struct demo_plan *plan)
{
	struct demo_figures figures;
	char run_id[RES_RUN_ID_BYTES];
	json_t *run = row(plan->sweep, (json_t *)setting_of(plan, plan->sweep->slow.key),
			  (json_t *)setting_of(plan, plan->sweep->fast.key));

	demo_figures(plan, &figures);
	demo_run_id(history, plan, run_id);
	json_object_update_new(
		run, json_pack("{s:s, s:s}", "status",
			       res_status_name(figures.fate != NULL ? figures.fate->status
								    : RES_STATUS_COMPLETED),
			       "run_id", run_id));
	return run;
}

/* More GPUs than the host has, at each load. */
static void add_skipped(const struct demo_plan *plan, json_t *loads, json_t *runs)
{
	auto_json json_t *gpus = json_integer(2 * (json_int_t)plan->host->gpus);

	PL_JSON_EACH(load, loads) {
		json_t *run = row(plan->sweep, gpus, load);
		json_object_update_new(
			run,
			json_pack("{s:s, s:s, s:o}", "status", "skipped", "cause",
				  "world_fits_gpus", "message",
				  json_sprintf("tensor_parallel_size: found %lld, expected at "
					       "most %lld, the GPUs of '%s'",
					       (long long)json_integer_value(gpus),
					       (long long)plan->host->gpus, plan->host->name)));
		json_array_append_new(runs, run);
	}
}

size_t demo_study_count(const struct demo *history)
{
	return history->sweeps >= SWEEPS_FROM ? PL_ARRAY_SIZE(studies) : 0;
}

json_t *demo_study(const struct demo *history, size_t i)
{
	int64_t first = (history->sweeps - studies[i].from_end) * DEMO_SWEEP;
	auto_json json_t *loads = json_array();
	auto_json json_t *servers = json_object();
	auto_plan plan;
	json_t *runs = json_array();

	for (int64_t k = 0; k < DEMO_SWEEP; k++) {
		auto_plan one;
		demo_plan(history, first + k, &one);
		json_t *run = run_row(history, &one);
		json_object_set_new(servers, pl_json_get_text(run, "server"), json_true());
		if (json_object_size(servers) == 1)
			json_array_append(loads, (json_t *)setting_of(&one, one.sweep->fast.key));
		json_array_append_new(runs, run);
	}
	demo_plan(history, first, &plan);
	if (strcmp(plan.sweep->slow.key, "server.tensor_parallel_size") == 0)
		add_skipped(&plan, loads, runs);
	return json_pack("{s:O, s:O, s:s, s:o, s:I, s:[], s:{s:O, s:O}, s:[], s:o}", "sweep",
			 json_object_get(plan.tags, "sweep"), "name",
			 json_object_get(plan.tags, "sweep_name"), "state", "ended", "file",
			 json_sprintf("%s.yaml", plan.sweep->name), "servers_started",
			 (json_int_t)json_object_size(servers), "running", "experiment", "server",
			 plan.server, "benchmark", plan.load, "redacted", "runs", runs);
}
