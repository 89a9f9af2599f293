/*
 * The catalog, the installed release and the host's GPUs are read once, unless a cell has its own: a thousand cells are
 * checked in less than a second.
 */
#include "sweep/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "run/check.h"
#include "run/client/client.h"

#define LINE_BYTES_MAX 65536

/* The state of making a plan. */
struct planning {
	const struct sweep_how *how;
	struct sweep_plan *plan;
	struct exp_check_options options;
	struct ckpt_hardware host;
	json_t *reported; /* object: lines of reported problems */
	json_t *servers;  /* object: those of valid cells */
	json_t *hosted;   /* object: loads whose dataset was checked */
	struct option_problems *problems;
};

/* Reports each problem once, however many cells have it. */
static void report(struct planning *planning, const struct option_problem *problem)
{
	auto_buf line = PL_BUF(LINE_BYTES_MAX);

	option_problem_text(problem, OPTION_AS_FILE, &line);
	if (json_object_get(planning->reported, pl_buf_text(&line)) != NULL)
		return;
	json_object_set_new(planning->reported, pl_buf_text(&line), json_true());
	option_problems_add(planning->problems, problem);
}

static int compare_positions(const void *a, const void *b)
{
	const struct option_problem *one = a;
	const struct option_problem *other = b;

	return one->line != other->line ? one->line - other->line : one->column - other->column;
}

static bool varies_host(const struct exp_sweep *sweep)
{
	for (size_t i = 0; i < sweep->count; i++) {
		for (size_t k = 0; k < sweep->cells[i].setting_count; k++) {
			const char *key = sweep->cells[i].settings[k]->key;
			if (pl_text_starts(key, "launch.") && !pl_text_starts(key, "launch.env."))
				return true;
		}
	}
	return false;
}

static void make_id(const json_t *json, char id[SWEEP_ID_BYTES])
{
	auto_free char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
	char hex[65];

	pl_sha256(text, strlen(text), hex);
	memcpy(id, hex, SWEEP_ID_BYTES - 1);
	id[SWEEP_ID_BYTES - 1] = '\0';
}

/* The dataset, and a directory of results, are checked once for all loads that share them. */
static void check_host(struct planning *planning, const struct exp_config *experiment,
		       struct option_problems *found)
{
	const struct vllm_bench *bench = &experiment->bench;
	auto_free char *load = pl_asprintf("%s\n%s\n%s",
					   bench->dataset_name != NULL ? bench->dataset_name : "",
					   bench->dataset_path != NULL ? bench->dataset_path : "",
					   bench->client != NULL ? bench->client : "");

	if (json_object_get(planning->hosted, load) != NULL)
		return;
	json_object_set_new(planning->hosted, load, json_true());
	run_check_host(experiment, found);
}

static void check_cell(struct planning *planning, struct sweep_cell *cell)
{
	struct sweep_plan *plan = planning->plan;
	auto_problems found = { 0 };
	auto_experiment struct exp_config *experiment = exp_sweep_config(plan->sweep, cell->cell,
									 plan->catalog, &found);
	auto_check checked = { 0 };

	experiment->simulate = planning->how->simulate;
	run_check_server(experiment, &planning->options, &checked, &found);
	if (found.errors == 0)
		check_host(planning, experiment, &found);
	/* Errors of the reader belong to the file; those of a check to the cell. */
	for (size_t i = 0; i < found.count; i++) {
		const struct option_problem *problem = &found.items[i];
		if (problem->severity == OPTION_ERROR && !exp_sweep_is_fault(problem))
			option_problems_add(&cell->problems, problem);
		else
			report(planning, problem);
	}
	cell->falls_out = cell->problems.count > 0;
	/* Names do not affect the measurement, so they are not part of the ids. */
	static const char *const names[] = { "suite", "name", "tags" };
	auto_json json_t *requested = exp_config_explicit(experiment);
	auto_json json_t *server = json_object();
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++)
		json_object_del(requested, names[i]);
	json_object_set(server, "server", json_object_get(requested, "server"));
	json_object_set(server, "launch", json_object_get(requested, "launch"));
	make_id(requested, cell->id);
	/* a server that the client starts itself is never shared */
	if (run_client_of(experiment)->starts_servers)
		memcpy(cell->server, cell->id, sizeof(cell->server));
	else
		make_id(server, cell->server);
	json_object_del(requested, "server");
	json_object_del(requested, "launch");
	make_id(requested, cell->load);
	plan->fallen += cell->falls_out;
	if (!cell->falls_out)
		json_object_set_new(planning->servers, cell->server, json_true());
}

/* The release and the hardware of the first cell apply to all, if no cell has its own. */
static void look_once(struct planning *planning, struct run_release *release)
{
	const struct sweep_how *how = planning->how;
	struct sweep_plan *plan = planning->plan;
	auto_problems ignored = { 0 };
	auto_experiment struct exp_config *first = exp_sweep_config(
		plan->sweep, &plan->sweep->cells[0], plan->catalog, &ignored);

	first->simulate = how->simulate;
	run_release_find(first, NULL, release);
	if (release->found_in != NULL)
		plan->catalog = vllm_catalog_release(plan->catalog, release->version);
	if (varies_host(plan->sweep))
		return;
	if (!release->assumed)
		planning->options.target.version = release->version;
	if (how->hardware == NULL && run_check_hardware(first, &planning->host))
		planning->options.hardware = &planning->host;
}

void sweep_plan_make(const struct exp_sweep *sweep, const struct sweep_how *how,
		     struct sweep_plan *ret, struct option_problems *problems)
{
	struct planning planning = {
		.how = how,
		.plan = ret,
		.options = { .hardware = how->hardware,
			     .allow_removed = how->allow_removed,
			     .runs = true },
		.reported = json_object(),
		.servers = json_object(),
		.hosted = json_object(),
		.problems = problems,
	};
	auto_release release = { 0 };

	*ret = (struct sweep_plan){
		.sweep = sweep,
		.catalog = how->catalog,
		.cells = pl_alloc_array(sweep->count, sizeof(*ret->cells)),
		.count = sweep->count,
	};
	look_once(&planning, &release);
	for (size_t i = 0; i < ret->count; i++) {
		ret->cells[i].cell = &sweep->cells[i];
		check_cell(&planning, &ret->cells[i]);
	}
	if (problems->count > 0)
		qsort(problems->items, problems->count, sizeof(*problems->items),
		      compare_positions);
	ret->servers = json_object_size(planning.servers);
	json_decref(planning.reported);
	json_decref(planning.servers);
	json_decref(planning.hosted);
}

void sweep_plan_done(struct sweep_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		option_problems_done(&plan->cells[i].problems);
	free(plan->cells);
}

struct exp_config *sweep_experiment(const struct sweep_plan *plan, size_t i, bool simulate)
{
	auto_problems known = { 0 };
	struct exp_config *experiment = exp_sweep_config(plan->sweep, plan->cells[i].cell,
							 plan->catalog, &known);

	experiment->simulate = simulate;
	return experiment;
}

json_t *sweep_cell_json(const struct sweep_cell *cell)
{
	json_t *json = json_pack("{s:s, s:s, s:o, s:s, s:O}", "id", cell->id, "server",
				 cell->server, "set", pl_json_text(cell->cell->set), "label",
				 cell->cell->label, "parameters", cell->cell->point);

	if (!cell->falls_out)
		return json;
	json_t *problems = json_array();
	for (size_t i = 0; i < cell->problems.count; i++)
		json_array_append_new(problems, option_problem_to_json(&cell->problems.items[i]));
	json_object_set_new(json, "problems", problems);
	return json;
}
