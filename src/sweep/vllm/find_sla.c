/*
 * `serve_sla`: finds the largest value of a load's variable whose metrics are within the limits, with one search
 * (sla.h) per combination of limits; all searches share the runs.
 */
#include <dirent.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "sweep/vllm/estimate.h"
#include "sweep/vllm/sla.h"
#include "sweep/vllm/vsweep_priv.h"

struct finding {
	struct sweep_vllm *sweep;
	const json_t *bench;
	const json_t *limits;
	const char *folder; /* of the load; each value has a directory in it */
	struct sweep_vllm_search search;
};

/* NULL: no run succeeded, or it is a dry run. */
static int run_value(const struct finding *finding, int64_t value, json_t **ret_runs,
		     struct pl_err *err)
{
	const char *variable = finding->sweep->settings->variable;
	auto_json json_t *load = json_copy((json_t *)finding->bench);
	auto_free char *folder = pl_asprintf("%s/%s=%lld", finding->folder, variable,
					     (long long)value);
	const struct sweep_vllm_runs runs = { .bench = load, .folder = folder };

	json_object_set_new(load, variable, json_integer(value));
	return sweep_vllm_run_all(finding->sweep, &runs, ret_runs, err);
}

/* Adds a value measured for other limits or in an earlier call: "request_rate=12". */
static void add_known(struct finding *finding, const char *name)
{
	const char *variable = finding->sweep->settings->variable;
	auto_free char *path = pl_asprintf("%s/%s/summary.json", finding->folder, name);
	auto_json json_t *runs = NULL;
	int64_t value;
	double margin;

	if (!pl_text_starts(name, variable) || name[strlen(variable)] != '=' ||
	    !pl_text_to_i64(name + strlen(variable) + 1, &value) || value < 1 ||
	    !pl_file_exists(path) || pl_json_read_file(path, &runs, PL_ERR_IGNORED) < 0 ||
	    json_array_size(runs) == 0)
		return;
	if (sweep_vllm_sla_margin(finding->limits, runs, &margin, PL_ERR_IGNORED) == 0)
		sweep_vllm_search_add(&finding->search, value, margin);
}

static void add_all_known(struct finding *finding)
{
	auto_dir dir = opendir(finding->folder);
	const char *name;

	while ((name = pl_dir_next(dir)) != NULL)
		add_known(finding, name);
}

/* Returns 1 to continue; 0: a value without a run ends the search. */
static int measure(struct finding *finding, int64_t value, struct pl_err *err)
{
	auto_json json_t *runs = NULL;
	double margin;

	if (run_value(finding, value, &runs, err) < 0)
		return -1;
	if (runs == NULL)
		return 0;
	if (sweep_vllm_sla_margin(finding->limits, runs, &margin, err) < 0)
		return -1;
	sweep_vllm_print(finding->sweep, "%s=%lld: %s the limits by %g",
			 finding->sweep->settings->variable, (long long)value,
			 margin <= 0 ? "within" : "beyond", margin < 0 ? -margin : margin);
	sweep_vllm_search_add(&finding->search, value, margin);
	return 1;
}

/* The rules before 0.14.1 start at the value of a server without a limit. */
static int begin(struct finding *finding, struct pl_err *err)
{
	const struct sweep_vllm_settings *settings = finding->sweep->settings;
	auto_json json_t *runs = NULL;
	double estimate = 1;

	if (settings->by_spline) {
		add_all_known(finding);
	} else {
		if (run_value(finding, SWEEP_VLLM_UNLIMITED, &runs, err) < 0)
			return -1;
		if (runs == NULL)
			return 0;
		if (sweep_vllm_estimate(runs, settings->variable, &estimate, err) < 0)
			return -1;
	}
	sweep_vllm_search_begin(&finding->search, settings->by_spline, estimate);
	return 1;
}

static int search(struct finding *finding, struct pl_err *err)
{
	int going = begin(finding, err);
	int64_t value;

	while (going > 0 && (value = sweep_vllm_search_next(&finding->search)) != 0)
		going = measure(finding, value, err);
	return going;
}

static bool is_within(const struct sweep_vllm_search *search)
{
	for (size_t i = 0; i < search->count; i++) {
		if (search->margins[i] <= 0)
			return true;
	}
	return false;
}

/* The runs at the value found become those of the combination, in a file and in the table. */
static int keep_best(struct finding *finding, struct pl_err *err)
{
	struct sweep_vllm *sweep = finding->sweep;
	auto_free char *criteria = sweep_vllm_sla_name(finding->limits);
	auto_free char *whole = pl_asprintf("SLA--%s.json", criteria);
	auto_free char *name = sweep_vllm_file_name(whole);
	auto_free char *path = pl_asprintf("%s/%s", finding->folder, name);
	auto_json json_t *runs = NULL;
	int64_t best = finding->search.best;

	sweep_vllm_print(sweep, "%s: %s=%lld%s", criteria, sweep->settings->variable,
			 (long long)best,
			 is_within(&finding->search) ? "" : ", and no value is within the limits");
	if (best > 0 && run_value(finding, best, &runs, err) < 0)
		return -1;
	auto_json json_t *none = json_array();
	if (sweep_vllm_write_json(runs != NULL ? runs : none, path, err) < 0)
		return -1;
	return sweep_vllm_add_rows(sweep, runs, err);
}

static int find_one(struct finding *finding, struct pl_err *err)
{
	int found = search(finding, err);

	if (found < 0 || finding->sweep->settings->dry_run)
		return found < 0 ? -1 : 0;
	if (found > 0)
		return keep_best(finding, err);
	sweep_vllm_print(finding->sweep, "the search ends at a value without a run");
	return 0;
}

int sweep_vllm_find_sla(struct sweep_vllm *sweep, const json_t *bench, struct pl_err *err)
{
	auto_free char *folder = sweep_vllm_bench_folder(sweep->settings, sweep->serve, bench, NULL,
							 NULL);

	PL_JSON_EACH(limits, sweep->settings->limits) {
		struct finding finding = {
			.sweep = sweep, .bench = bench, .limits = limits, .folder = folder
		};
		sweep_vllm_mark(sweep, "[SLA START]", limits);
		int done = find_one(&finding, err);
		sweep_vllm_search_done(&finding.search);
		if (done < 0)
			return -1;
		sweep_vllm_print(sweep, "[SLA END]");
	}
	return 0;
}
