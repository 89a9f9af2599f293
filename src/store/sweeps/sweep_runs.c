/*
 * Joins runs and results by cell and repeat; a result without a repeat (of older programs) by its run_id. The newest of
 * several results of a run counts: the run was retried.
 */
#include <string.h>

#include "base/text.h"
#include "query/query.h"
#include "store/sweeps/sweep_priv.h"
#include "tbl/request_bounds.h"

#define ANSWER_BYTES_MAX (256u << 20)
#define TAG              "tags.sweep"

/* The fields of a result in a run, and their keys. */
static const struct {
	const char *field;
	const char *key;
} shown[] = {
	{ "run.status", "status" },       { "error.cause", "cause" },
	{ "error.message", "message" },   { "run.timestamp", "timestamp" },
	{ "run.duration", "duration_s" },
};
/* The tags that identify a run; sweep_point and sweep_set replace the data of a missing plan. */
static const char *const tags[] = { TAG "_cell", TAG "_repeat", TAG "_point", TAG "_set",
				    TAG "_name" };

/* ---- results --------------------------------------------------------------------------------- */

/* Finds all results, newest first. */
static int find_results(const struct mirror_snapshot *snapshot, const char *id,
			const json_t *metrics, json_t *results, struct schema_faults *faults,
			struct pl_err *err)
{
	json_t *columns = json_array();
	for (size_t i = 0; i < PL_ARRAY_SIZE(shown); i++)
		json_array_append_new(columns, json_string(shown[i].field));
	for (size_t i = 0; i < PL_ARRAY_SIZE(tags); i++)
		json_array_append_new(columns, json_string(tags[i]));
	json_array_extend(columns, (json_t *)metrics);
	auto_json json_t *question = json_pack("{s:{s:s, s:s, s:s}, s:o, s:i}", "filter", "field",
					       TAG, "op", "eq", "value", id, "columns", columns,
					       "limit", BOUND_ROWS_MAX);

	for (;;) {
		auto_buf text = PL_BUF(ANSWER_BYTES_MAX);
		auto_json json_t *answer = NULL;
		if (query_apply(snapshot, question, &text, faults, err) < 0 ||
		    pl_json_parse(text.data, text.len, "answer", &answer, err) < 0)
			return -1;
		json_array_extend(results, json_object_get(answer, "rows"));
		json_t *next = json_object_get(answer, "next_cursor");
		if (!json_is_string(next))
			return 0;
		json_object_set(question, "cursor", next);
	}
}

static const char *tag_of(const json_t *result, const char *tag)
{
	return pl_json_get_text(json_object_get(result, "cells"), tag);
}

/* Returns "CELL.2" for the second repeat. free(); NULL: the result names no cell. */
static char *key_of(const json_t *result)
{
	const char *cell = tag_of(result, TAG "_cell");
	const char *repeat = tag_of(result, TAG "_repeat");

	if (cell == NULL)
		return NULL;
	return repeat == NULL || strcmp(repeat, "1") == 0 ? pl_strdup(cell)
							  : pl_asprintf("%s.%s", cell, repeat);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void show(json_t *run, const json_t *result, const json_t *metrics)
{
	const json_t *cells = json_object_get(result, "cells");
	json_t *values = json_object();

	for (size_t i = 0; i < PL_ARRAY_SIZE(shown); i++) {
		json_t *value = json_object_get(cells, shown[i].field);
		json_object_set_new(run, shown[i].key,
				    value != NULL ? json_incref(value) : json_null());
	}
	json_object_set(run, "experiment", json_object_get(result, "id"));
	json_object_set(run, "run_id", json_object_get(result, "run_id"));
	json_object_set(run, "verdict", json_object_get(result, "verdict"));
	json_object_set(run, "simulated", json_object_get(result, "simulated"));
	PL_JSON_EACH(metric, metrics) {
		json_t *value = json_object_get(cells, json_string_value(metric));
		if (value != NULL)
			json_object_set(values, json_string_value(metric), value);
	}
	json_object_set_new(run, "values", values);
}

/* A run of the plan without a result here. If it has finished, its result was not uploaded. */
static void show_none(json_t *run, bool is_running)
{
	static const char *const keys[] = { "cause", "message" };
	const char *status = pl_json_get_text(run, "status");
	bool was_run = pl_json_get_text(run, "run_id") != NULL;

	if (was_run || pl_text_equal(status, "interrupted"))
		json_object_set_new(run, "status",
				    json_string(was_run ? "not_uploaded" : "missing"));
	if (is_running && pl_text_equal(pl_json_get_text(run, "status"), "missing"))
		json_object_set_new(run, "status", json_string("running"));
	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		if (json_object_get(run, keys[i]) == NULL)
			json_object_set_new(run, keys[i], json_null());
	}
	json_object_set_new(run, "experiment", json_null());
	json_object_set_new(run, "run_id", json_null());
	json_object_set_new(run, "verdict", json_null());
	json_object_set_new(run, "simulated", json_null());
	json_object_set_new(run, "timestamp", json_null());
	json_object_set_new(run, "duration_s", json_null());
	json_object_set_new(run, "values", json_object());
}

/* Makes a run from a result that is not in the plan. */
static json_t *run_of(const json_t *result, const char *key, bool has_plan)
{
	const char *repeat = tag_of(result, TAG "_repeat");
	int64_t number = 1;

	if (repeat != NULL && !pl_text_to_i64(repeat, &number))
		number = 1;
	return json_pack("{s:s, s:s, s:I, s:n, s:o, s:o, s:n, s:b}", "run", key, "combination",
			 tag_of(result, TAG "_cell"), "repeat", (json_int_t)number, "server", "set",
			 pl_json_text(tag_of(result, TAG "_set")), "label",
			 pl_json_text(tag_of(result, TAG "_point")), "parameters", "removed",
			 has_plan);
}

/* Returns the keys of the current runs in the latest plan. A finished sweep has none. */
static json_t *running_of(const json_t *plan)
{
	json_t *running = json_object();

	if (!pl_text_equal(pl_json_get_text(plan, "state"), "running"))
		return running;
	PL_JSON_EACH(key, json_object_get(plan, "running"))
		json_object_set_new(running, json_string_value(key), json_true());
	return running;
}

static void join(json_t *runs, const json_t *results, const json_t *metrics, const json_t *plan)
{
	bool has_plan = json_object_get(plan, "runs") != NULL;
	auto_json json_t *running = running_of(plan);
	auto_json json_t *by_key = json_object();
	auto_json json_t *by_run_id = json_object();
	auto_json json_t *taken = json_object();

	/* Indexes the runs of the plan by key and by known run_id. */
	PL_JSON_EACH(run, runs) {
		const char *run_id = pl_json_get_text(run, "run_id");
		json_object_set(by_key, pl_json_get_text(run, "run"), run);
		if (run_id != NULL)
			json_object_set(by_run_id, run_id, run);
	}
	PL_JSON_EACH(result, results) {
		auto_free char *key = key_of(result);
		const char *run_id = pl_json_get_text(result, "run_id");
		json_t *run = tag_of(result, TAG "_repeat") == NULL && run_id != NULL
				      ? json_object_get(by_run_id, run_id)
				      : NULL;
		if (key == NULL)
			continue;
		run = run != NULL ? run : json_object_get(by_key, key);
		if (run == NULL) {
			json_t *result_run = run_of(result, key, has_plan);
			json_object_set(by_key, key, result_run);
			json_array_append_new(runs, result_run);
			run = result_run;
		}
		const char *name = pl_json_get_text(run, "run");
		if (json_object_get(taken, name) != NULL)
			continue;
		json_object_set_new(taken, name, json_true());
		show(run, result, metrics);
	}
	PL_JSON_EACH(run, runs) {
		json_object_set_new(run, "removed", json_boolean(pl_json_get_true(run, "removed")));
		const char *name = pl_json_get_text(run, "run");
		if (json_object_get(taken, name) == NULL)
			show_none(run, json_object_get(running, name) != NULL);
	}
}

json_t *store_sweep_runs_joined(const json_t *plan, const json_t *results)
{
	auto_json json_t *metrics = json_array();
	json_t *known = json_object_get(plan, "runs");
	json_t *runs = known != NULL ? json_incref(known) : json_array();

	join(runs, results, metrics, plan);
	return runs;
}

int store_sweep_runs(const struct mirror_snapshot *snapshot, const char *id, const json_t *plan,
		     const json_t *metrics, json_t **ret, struct schema_faults *faults,
		     struct pl_err *err)
{
	auto_json json_t *results = json_array();
	json_t *known = json_object_get(plan, "runs");
	json_t *runs = known != NULL ? json_incref(known) : json_array();

	if (find_results(snapshot, id, metrics, results, faults, err) < 0) {
		json_decref(runs);
		return -1;
	}
	join(runs, results, metrics, plan);
	*ret = runs;
	return 0;
}
