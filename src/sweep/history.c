#include "sweep/history_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "result/files.h"
#include "result/read.h"
#include "run/check.h"
#include "run/steps/plan.h"
#include "vllm/server_args.h"

#define MODEL     "server.model"
#define COMMAND   "experiment.launch.command"
#define SIMULATED "environment.engine.simulated"
#define GPU       "system.hardware_info.gpu_name"
#define TIME      "run.timestamp"
#define WALL      "run.duration"
#define MEASURED  "results.duration"
#define READY     "launch.phases.ready_s"
#define PROCESS   "launch.pid"
#define SWEEP     "tags.sweep"

/* Fields that are always read. */
static const char *const always[] = { MODEL, COMMAND,  SIMULATED, GPU,     TIME,
				      WALL,  MEASURED, READY,     PROCESS, SWEEP };

/* The properties by which a cell or a result is matched; free() each. */
struct like {
	char *server;
	char *load;
	char *kin; /* model and engine */
};

struct sweep_history {
	const struct sweep_plan *plan;
	struct res_fields *fields;
	json_t *server_ids; /* object: fields that distinguish servers, in order */
	json_t *load_ids;
	json_t *kin;        /* object: model and engine of all cells */
	json_t *models;     /* array; NULL: some cell names none */
	struct like *cells; /* one per cell */
	const char *gpu;    /* name of its row in tbl/hardware.h, or from the driver; NULL: none */
	struct ckpt_hardware host;
	json_t *rows;
};

/* ---- values of fields ---------------------------------------------------------------------- */

/* 10 and 10.0 are one number; not recorded counts as null. New reference. */
static json_t *plain(const struct res_value *value)
{
	if (value->state != RES_VALUE_PRESENT)
		return json_null();
	if (value->kind != RES_VALUE_NUMBER)
		return json_incref(value->json);
	if (isinf(value->number))
		return json_string(value->number > 0 ? "inf" : "-inf");
	return json_real(value->number);
}

static void find_field(const struct sweep_history *history, const char *id, struct res_field *ret)
{
	if (res_fields_resolve(history->fields, id, ret, NULL) < 0)
		res_field_unlisted(id, ret);
}

static void add_of_document(const struct sweep_history *history, const char *id,
			    const json_t *document, json_t *facts)
{
	auto_value value = { .state = RES_VALUE_NOT_RECORDED };
	struct res_field field;

	find_field(history, id, &field);
	res_field_value(history->fields, &field, document, &value);
	json_object_set_new(facts, id, plain(&value));
}

static void add_of_cells(const struct sweep_history *history, const char *id, const json_t *cells,
			 json_t *facts)
{
	auto_value value = { .state = RES_VALUE_NOT_RECORDED };
	struct res_field field;

	find_field(history, id, &field);
	res_field_value_of(&field, json_incref(json_object_get(cells, id)), &value);
	json_object_set_new(facts, id, plain(&value));
}

/* Returns the values of the fields by id, from a document or a dashboard's row. New reference. */
static json_t *facts_of(const struct sweep_history *history, const json_t *from,
			void (*add)(const struct sweep_history *history, const char *id,
				    const json_t *from, json_t *facts))
{
	auto_json json_t *ids = sweep_history_columns(history);
	json_t *facts = json_object();

	PL_JSON_EACH(id, ids)
		add(history, json_string_value(id), from, facts);
	return facts;
}

/* ---- matching ------------------------------------------------------------------------------ */

/* Returns the name of the requested program, or vllm. free() */
static char *engine_of(const json_t *facts)
{
	const char *program = json_string_value(json_array_get(json_object_get(facts, COMMAND), 0));

	if (program != NULL)
		return pl_file_name(program);
	return pl_strdup(pl_json_get_true(facts, SIMULATED) ? EXP_SIMULATOR : "vllm");
}

static char *text_of(const json_t *facts, const json_t *ids, const char *engine)
{
	auto_json json_t *values = json_array();

	if (engine != NULL)
		json_array_append_new(values, json_string(engine));
	PL_JSON_EACH_MEMBER(id, ignored, ids)
		json_array_append(values, json_object_get(facts, id));
	return res_field_canonical(values);
}

static struct like like_of(const struct sweep_history *history, const json_t *facts)
{
	auto_free char *engine = engine_of(facts);
	auto_json json_t *model = json_pack("{s:n}", MODEL);

	return (struct like){
		.server = text_of(facts, history->server_ids, engine),
		.load = text_of(facts, history->load_ids, NULL),
		.kin = text_of(facts, model, engine),
	};
}

static void like_done(struct like *like)
{
	free(like->server);
	free(like->load);
	free(like->kin);
}

/* ---- the plan ------------------------------------------------------------------------------ */

static void add_inputs(const struct sweep_history *history, const json_t *requested,
		       const char *section, json_t *ids)
{
	PL_JSON_EACH_MEMBER(name, ignored, json_object_get(requested, section)) {
		auto_free char *id = pl_asprintf("%s.%s", section, name);
		struct res_field field;
		find_field(history, id, &field);
		if (field.role == RES_FIELD_INPUT)
			json_object_set_new(ids, id, json_null());
	}
}

/* If "launch.env.NAME" varies, adds the variables. */
static void add_launch(const struct exp_sweep_cell *cell, json_t *ids)
{
	for (size_t i = 0; i < cell->setting_count; i++) {
		const char *key = cell->settings[i]->key;
		if (!pl_text_starts(key, "launch."))
			continue;
		auto_free char *name = pl_strndup(
			key, strlen("launch.") + strcspn(key + strlen("launch."), "."));
		auto_free char *id = pl_asprintf("experiment.%s", name);
		json_object_set_new(ids, id, json_null());
	}
}

static void add_ids(struct sweep_history *history, size_t cell, const struct exp_config *experiment)
{
	auto_json json_t *requested = exp_config_explicit(experiment);

	add_inputs(history, requested, "server", history->server_ids);
	add_inputs(history, requested, "benchmark", history->load_ids);
	add_launch(history->plan->cells[cell].cell, history->server_ids);
}

static void add_cell(struct sweep_history *history, size_t cell,
		     const struct exp_config *experiment)
{
	json_t *server = NULL, *source = NULL;
	json_t *benchmark = vllm_bench_to_json(&experiment->bench);
	vllm_args_effective(experiment->catalog, experiment->server, experiment->launch.env,
			    &server, &source);
	json_decref(source);
	json_object_set_new(benchmark, "ignore_eos",
			    json_boolean(run_plan_ignores_eos(&experiment->bench)));
	auto_json json_t *document = json_pack("{s:{s:o, s:o, s:o}}", "config", "server", server,
					       "benchmark", benchmark, "experiment",
					       exp_config_explicit(experiment));
	auto_json json_t *facts = facts_of(history, document, add_of_document);
	json_t *model = json_object_get(facts, MODEL);

	history->cells[cell] = like_of(history, facts);
	json_object_set_new(history->kin, history->cells[cell].kin, json_null());
	if (!json_is_string(model)) {
		json_decref(history->models);
		history->models = NULL;
	} else if (history->models != NULL && !pl_json_has(history->models, model)) {
		json_array_append(history->models, model);
	}
}

/* Collects the fields of all cells, followed by their values for each cell. */
static void look_at_plan(struct sweep_history *history, bool simulate)
{
	for (size_t i = 0; i < 2 * history->plan->count; i++) {
		size_t cell = i % history->plan->count;
		auto_experiment struct exp_config *experiment = sweep_experiment(history->plan,
										 cell, simulate);
		if (i == 0 && history->gpu == NULL &&
		    run_check_hardware(experiment, &history->host))
			history->gpu = history->host.gpu.name;
		if (i < history->plan->count)
			add_ids(history, cell, experiment);
		else
			add_cell(history, cell, experiment);
	}
}

struct sweep_history *sweep_history_new(const struct sweep_plan *plan,
					const struct ckpt_hardware *hardware, bool simulate)
{
	struct sweep_history *history = pl_alloc(sizeof(*history));

	*history = (struct sweep_history){
		.plan = plan,
		.fields = res_fields_new(plan->catalog),
		.server_ids = json_object(),
		.load_ids = json_object(),
		.kin = json_object(),
		.models = json_array(),
		.cells = pl_alloc_array(plan->count, sizeof(*history->cells)),
		.gpu = hardware != NULL ? hardware->gpu.name : NULL,
		.rows = json_object(),
	};
	look_at_plan(history, simulate);
	return history;
}

void sweep_history_free(struct sweep_history *history)
{
	if (history == NULL)
		return;
	for (size_t i = 0; i < history->plan->count; i++)
		like_done(&history->cells[i]);
	free(history->cells);
	json_decref(history->server_ids);
	json_decref(history->load_ids);
	json_decref(history->kin);
	json_decref(history->models);
	json_decref(history->rows);
	res_fields_free(history->fields);
	free(history);
}

const json_t *sweep_history_rows(const struct sweep_history *history)
{
	return history->rows;
}

const char *sweep_history_server(const struct sweep_history *history, size_t cell)
{
	return history->cells[cell].server;
}

const char *sweep_history_load(const struct sweep_history *history, size_t cell)
{
	return history->cells[cell].load;
}

/* ---- results ------------------------------------------------------------------------------- */

/* A value that one of the two lacks is not a difference. */
static bool is_other_gpu(const struct sweep_history *history, const char *title)
{
	const struct ckpt_gpu *row = title != NULL ? ckpt_gpu_find_title(title) : NULL;

	if (title == NULL || history->gpu == NULL)
		return false;
	return strcmp(row != NULL ? row->name : title, history->gpu) != 0;
}

/* Returns the server that the run shares; null: not shared. New reference. */
static json_t *session_of(const json_t *facts)
{
	const char *sweep = pl_json_get_text(facts, SWEEP);
	const json_t *process = json_object_get(facts, PROCESS);

	return sweep != NULL && json_is_number(process)
		       ? json_sprintf("%s %.0f", sweep, json_number_value(process))
		       : json_null();
}

static void take(struct sweep_history *history, const char *run_id, json_t *facts)
{
	auto_json json_t *owned = facts;
	struct like like = like_of(history, facts);
	double wall_s = pl_json_get_f64(facts, WALL);

	if (json_is_number(json_object_get(facts, MEASURED)) && wall_s > 0 &&
	    json_object_get(history->kin, like.kin) != NULL &&
	    !is_other_gpu(history, pl_json_get_text(facts, GPU)))
		json_object_set_new(history->rows, run_id,
				    json_pack("{s:s, s:s, s:f, s:f, s:o, s:O}", "server",
					      like.server, "load", like.load, "run_s", wall_s,
					      "ready_s", pl_json_get_f64(facts, READY), "life",
					      session_of(facts), "timestamp",
					      json_object_get(facts, TIME)));
	like_done(&like);
}

void sweep_history_take(struct sweep_history *history, const char *run_id, const json_t *cells)
{
	take(history, run_id, facts_of(history, cells, add_of_cells));
}

/* Files in a directory without a result, such as a summary or a journal, are ignored. */
static int read_files(struct sweep_history *history, const char *path, struct pl_err *err)
{
	auto_res_files files = { 0 };

	if (res_files_add(&files, path, err) < 0)
		return -1;
	for (size_t i = 0; i < files.count; i++) {
		auto_json json_t *document = NULL;
		if (files.items[i].side != NULL ||
		    res_read_file(history->fields, files.items[i].path, &document, PL_ERR_IGNORED) <
			    0)
			continue;
		const char *run_id = pl_json_get_text(document, "run_id");
		take(history, run_id != NULL ? run_id : files.items[i].path,
		     facts_of(history, document, add_of_document));
	}
	return 0;
}

int sweep_history_add(struct sweep_history *history, const char *origin,
		      const struct io_tls_trust *trust, struct pl_err *err)
{
	return strstr(origin, "://") != NULL ? sweep_history_fetch(history, origin, trust, err)
					     : read_files(history, origin, err);
}

static bool is_earlier(const json_t *row, const json_t *other)
{
	const char *one = pl_json_get_text(row, "timestamp");
	const char *two = pl_json_get_text(other, "timestamp");

	return one != NULL && two != NULL && strcmp(one, two) < 0;
}

void sweep_history_settle(struct sweep_history *history)
{
	auto_json json_t *firsts = json_object();

	PL_JSON_EACH_MEMBER(id, row, history->rows) {
		const char *shared_server = pl_json_get_text(row, "life");
		const json_t *first = shared_server != NULL ? json_object_get(firsts, shared_server)
							    : NULL;
		if (shared_server != NULL && (first == NULL || is_earlier(row, first)))
			json_object_set(firsts, shared_server, row);
	}
	PL_JSON_EACH_MEMBER(id, row, history->rows) {
		const char *shared_server = pl_json_get_text(row, "life");
		double wall_s = pl_json_get_f64(row, "run_s");
		double ready_s = pl_json_get_f64(row, "ready_s");
		/* a start that is longer than the run belongs to another run, whose result is missing */
		bool is_own = (shared_server == NULL ||
			       json_object_get(firsts, shared_server) == row) &&
			      ready_s < wall_s;
		json_object_set_new(row, "ready_s", json_real(is_own ? ready_s : 0));
		json_object_set_new(row, "run_s", json_real(is_own ? wall_s - ready_s : wall_s));
	}
}

/* ---- requests to a dashboard --------------------------------------------------------------- */

json_t *sweep_history_columns(const struct sweep_history *history)
{
	auto_json json_t *ids = json_object();
	json_t *columns = json_array();

	for (size_t i = 0; i < PL_ARRAY_SIZE(always); i++)
		json_object_set_new(ids, always[i], json_null());
	json_object_update(ids, history->server_ids);
	json_object_update(ids, history->load_ids);
	PL_JSON_EACH_MEMBER(id, ignored, ids)
		json_array_append_new(columns, json_string(id));
	return columns;
}

json_t *sweep_history_filter(const struct sweep_history *history)
{
	json_t *measured = json_pack("{s:s, s:s}", "field", MEASURED, "op", "not_null");

	if (history->models == NULL)
		return measured;
	return json_pack("{s:[o, {s:s, s:s, s:O}]}", "and", measured, "field", MODEL, "op", "in",
			 "value", history->models);
}
