#include "sweep/summary.h"

#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "sweep/sections.h"

#define TEXT_BYTES_MAX (1u << 30)

/* Metrics of `results`; the result's file has all of them. */
static const char *const figures[] = {
	"completed",
	"failed",
	"duration",
	"request_throughput",
	"request_goodput",
	"output_throughput",
	"total_token_throughput",
	"mean_ttft_ms",
	"median_ttft_ms",
	"p99_ttft_ms",
	"mean_tpot_ms",
	"median_tpot_ms",
	"p99_tpot_ms",
	"mean_itl_ms",
	"median_itl_ms",
	"p99_itl_ms",
	"mean_e2el_ms",
	"median_e2el_ms",
	"p99_e2el_ms",
};

/* Columns before the metrics; the sweep's keys follow `set`. */
static const char *const heads[] = { "run", "combination", "repeat", "server", "set" };
static const char *const states[] = { "status", "verdict", "cause", "message", "removed" };
static const char *const tails[] = { "run_id", "result", "wall_s", "ready_s", "other_servers_max" };

/* Keys of `launch`: the host resources of a run, to detect interference between runs. */
static const char *const slots[] = { "other_servers_max", "cpus", "port" };

json_t *sweep_row(const struct sweep_plan *plan, const struct sweep_task *task,
		  const json_t *result)
{
	const struct sweep_cell *cell = &plan->cells[task->cell];
	const json_t *results = json_object_get(result, "results");
	json_t *row = json_pack("{s:s, s:I, s:s, s:o, s:s, s:O}", "combination", cell->id, "repeat",
				(json_int_t)task->repeat, "server", cell->server, "set",
				pl_json_text(cell->cell->set), "label", cell->cell->label,
				"parameters", cell->cell->point);

	if (result == NULL)
		return row;
	json_object_set_new(row, "status", json_incref(json_object_get(result, "status")));
	json_object_set_new(row, "verdict",
			    pl_json_text(pl_json_path_text(result, "quality.verdict")));
	json_object_set_new(row, "cause", pl_json_text(pl_json_path_text(result, "error.cause")));
	json_object_set_new(row, "message",
			    pl_json_text(pl_json_path_text(result, "error.message")));
	json_object_set_new(row, "run_id", json_incref(json_object_get(result, "run_id")));
	json_object_set_new(row, "result", json_sprintf("cells/%s.json", task->key));
	json_object_set_new(row, "wall_s", json_incref(json_object_get(result, "duration")));
	for (size_t i = 0; i < PL_ARRAY_SIZE(slots); i++)
		json_object_set_new(row, slots[i],
				    pl_json_or_null(json_incref(json_object_get(
					    json_object_get(result, "launch"), slots[i]))));
	json_t *gpus = json_array();
	PL_JSON_EACH(gpu, pl_json_get_path(result, "launch.gpus"))
		json_array_append(gpus, json_object_get(gpu, "uuid"));
	json_object_set_new(row, "gpus", gpus);
	for (size_t i = 0; i < PL_ARRAY_SIZE(figures); i++) {
		json_t *figure = json_object_get(results, figures[i]);
		json_object_set_new(row, figures[i],
				    figure != NULL ? json_incref(figure) : json_null());
	}
	return row;
}

/* A run without a row is missing. */
static void add_row(const struct sweep_plan *plan, const struct sweep_task *task,
		    const json_t *known, json_t *rows)
{
	json_t *row = known != NULL ? json_copy((json_t *)known) : sweep_row(plan, task, NULL);

	json_object_set_new(row, "run", json_string(task->key));
	if (known == NULL)
		json_object_set_new(row, "status", json_string("missing"));
	/* names may have changed since */
	json_object_set_new(row, "label", json_string(plan->cells[task->cell].cell->label));
	json_object_set_new(row, "set", pl_json_text(plan->cells[task->cell].cell->set));
	json_object_set_new(row, "removed", json_false());
	json_array_append_new(rows, row);
}

static void add_fallen(const struct sweep_cell *cell, json_t *rows)
{
	const struct option_problem *problem = &cell->problems.items[0];
	const char *rule = problem->rule != NULL ? problem->rule : problem->reason;
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	option_problem_text(problem, OPTION_AS_FILE, &text);
	json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:o, s:s, s:O, s:s, s:s, s:s, s:b}",
					      "run", cell->id, "combination", cell->id, "server",
					      cell->server, "set", pl_json_text(cell->cell->set),
					      "label", cell->cell->label, "parameters",
					      cell->cell->point, "status", "skipped", "cause", rule,
					      "message", pl_buf_text(&text), "removed", 0));
}

static json_t *make_rows(const struct sweep_plan *plan, const struct sweep_tasks *tasks,
			 const struct sweep_journal *journal)
{
	auto_json json_t *known = json_object();
	json_t *rows = json_array();

	for (size_t i = 0; i < tasks->count; i++) {
		const char *key = tasks->items[i].key;
		add_row(plan, &tasks->items[i], json_object_get(journal->rows, key), rows);
		json_object_set_new(known, key, json_true());
	}
	for (size_t i = 0; i < plan->count; i++) {
		if (plan->cells[i].falls_out)
			add_fallen(&plan->cells[i], rows);
	}
	/* Adds runs of the journal that are no longer in the file. */
	PL_JSON_EACH_MEMBER(key, retained, journal->rows) {
		if (json_object_get(known, key) != NULL)
			continue;
		json_t *row = json_copy(retained);
		json_object_set_new(row, "removed", json_true());
		json_array_append_new(rows, row);
	}
	return rows;
}

/* ---- the CSV file ---- */

void sweep_csv_add(struct pl_buf *text, const char *plain)
{
	if (strpbrk(plain, ",\"\r\n") == NULL) {
		pl_buf_add_text(text, plain);
		return;
	}
	pl_buf_add_char(text, '"');
	for (const char *at = plain; *at != '\0'; at++)
		pl_buf_addf(text, *at == '"' ? "\"\"" : "%c", *at);
	pl_buf_add_char(text, '"');
}

static void add_cell(struct pl_buf *text, const json_t *value, bool first)
{
	auto_free char *plain = value == NULL || json_is_null(value) ? pl_strdup("")
								     : pl_json_to_plain(value);

	pl_buf_add_text(text, first ? "" : ",");
	sweep_csv_add(text, plain);
}

static void add_columns(struct pl_buf *text, const json_t *row, const char *const *names,
			size_t count, bool first)
{
	for (size_t i = 0; i < count; i++) {
		auto_json json_t *name = json_string(names[i]);
		add_cell(text, row != NULL ? json_object_get(row, names[i]) : name,
			 first && i == 0);
	}
}

/* row NULL: the names of the columns. */
static void add_line(struct pl_buf *text, const json_t *row, const json_t *keys)
{
	add_columns(text, row, heads, PL_ARRAY_SIZE(heads), true);
	PL_JSON_EACH_MEMBER(key, unused, keys) {
		auto_json json_t *name = json_string(key);
		add_cell(text,
			 row != NULL ? json_object_get(json_object_get(row, "parameters"), key)
				     : name,
			 false);
	}
	add_columns(text, row, states, PL_ARRAY_SIZE(states), false);
	add_columns(text, row, figures, PL_ARRAY_SIZE(figures), false);
	add_columns(text, row, tails, PL_ARRAY_SIZE(tails), false);
	pl_buf_add_char(text, '\n');
}

int sweep_summary(const struct sweep_plan *plan, const struct sweep_tasks *tasks,
		  const struct sweep_journal *journal, const char *folder,
		  const struct sweep_progress *progress, struct pl_err *err)
{
	auto_free char *json_path = pl_asprintf("%s/" SWEEP_SUMMARY_NAME, folder);
	auto_free char *csv_path = pl_asprintf("%s/summary.csv", folder);
	auto_buf csv = PL_BUF(TEXT_BYTES_MAX);
	json_t *rows = make_rows(plan, tasks, journal);
	auto_free char *name = sweep_name(plan->sweep);
	json_t *redacted = json_array();
	json_t *requested = sweep_sections(plan->sweep, redacted);
	auto_json json_t *summary = json_pack(
		"{s:s, s:o, s:s, s:s, s:I, s:O, s:o, s:o, s:o}", "sweep", journal->id, "name",
		pl_json_text(name), "state", progress->state, "file", plan->sweep->source,
		"servers_started", (json_int_t)journal->started, "running", progress->running,
		"experiment", requested, "redacted", redacted, "runs", rows);
	auto_json json_t *keys = json_object();
	PL_JSON_EACH(row, rows) {
		PL_JSON_EACH_MEMBER(key, value, json_object_get(row, "parameters"))
			json_object_set_new(keys, key, json_true());
	}

	add_line(&csv, NULL, keys);
	PL_JSON_EACH(row, rows)
		add_line(&csv, row, keys);
	if (pl_json_write_file(summary, json_path, err) < 0)
		return -1;
	return pl_file_write(csv_path, csv.data, csv.len, err);
}
