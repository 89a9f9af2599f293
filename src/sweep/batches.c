#include "sweep/batches.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sweep/history.h"

/* ---- resources of each unit ---- */

/* Returns a number for an exclusive resource; extends `numbers`. */
static size_t number_of(json_t *numbers, const char *what)
{
	const json_t *known = json_object_get(numbers, what);

	if (known != NULL)
		return (size_t)json_integer_value(known);
	size_t number = json_object_size(numbers);
	json_object_set_new(numbers, what, json_integer((json_int_t)number));
	return number;
}

/* The tokens of all jobs while they are collected: the array may move. */
struct collecting {
	struct sweep_batches *units;
	json_t *numbers;
	size_t *firsts; /* per job: index of its first token */
	size_t count;
	size_t room;
};

static void add_token(struct collecting *all, struct sweep_job *job, const char *what)
{
	size_t number = number_of(all->numbers, what);

	*PL_PUSH(all->units->tokens, all->count, all->room) = number;
	job->token_count++;
}

static void needs(struct collecting *all, const struct sweep_plan *plan, size_t cell,
		  const struct run_gpu_survey *survey, bool simulate, size_t i)
{
	auto_experiment struct exp_config *experiment = sweep_experiment(plan, cell, simulate);
	struct sweep_job *job = &all->units->jobs[i];
	auto_free char *server = pl_asprintf("configuration %s", plan->cells[cell].server);
	struct run_needs wanted;

	run_needs(survey, experiment, &wanted);
	job->gpus = wanted.gpus;
	job->names_gpus = wanted.names_gpus;
	all->firsts[i] = all->count;
	/* overlapping blocks contain a server twice: the token keeps its repeats in sequence */
	add_token(all, job, server);
	PL_JSON_EACH(what, wanted.alone)
		add_token(all, job, json_string_value(what));
	run_needs_done(&wanted);
}

void sweep_batches_make(const struct sweep_plan *plan, const struct sweep_tasks *tasks,
			const struct run_gpu_survey *survey, bool simulate,
			struct sweep_batches *ret)
{
	auto_free size_t *firsts = pl_alloc_array(tasks->count, sizeof(*firsts));
	struct collecting all = { .units = ret, .numbers = json_object(), .firsts = firsts };

	*ret = (struct sweep_batches){
		.items = pl_alloc_array(tasks->count, sizeof(*ret->items)),
		.jobs = pl_alloc_array(tasks->count, sizeof(*ret->jobs)),
	};
	for (size_t i = 0; i < tasks->count; i++) {
		if (i > 0 && sweep_same_server(plan, tasks, i - 1, i)) {
			ret->items[ret->count - 1].count++;
			continue;
		}
		ret->items[ret->count] = (struct sweep_batch){ .first = i, .count = 1 };
		needs(&all, plan, tasks->items[i].cell, survey, simulate, ret->count++);
	}
	for (size_t i = 0; i < ret->count; i++)
		ret->jobs[i].tokens = &ret->tokens[firsts[i]];
	json_decref(all.numbers);
}

void sweep_batches_done(struct sweep_batches *units)
{
	free(units->items);
	free(units->jobs);
	free(units->tokens);
	*units = (struct sweep_batches){ 0 };
}

/* ---- durations ---- */

/* Durations of finished runs. */
struct knowledge {
	const struct sweep_history *history; /* NULL: none was given */
	json_t *by; /* object: "cell ID", "load ID", "server ID" to [sum, count]; "like …" of history */
	double start_s, run_s; /* medians of all */
	size_t known;
};

static int compare(const void *a, const void *b)
{
	double one = *(const double *)a;
	double other = *(const double *)b;

	return (one > other) - (one < other);
}

static double median(double *values, size_t count)
{
	if (count == 0)
		return 0;
	qsort(values, count, sizeof(*values), compare);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void learn(struct knowledge *all, const char *of, const char *id, double seconds)
{
	auto_free char *key = pl_asprintf("%s %s", of, id);
	json_t *known = json_object_get(all->by, key);
	double sum = json_number_value(json_array_get(known, 0));
	json_int_t count = json_integer_value(json_array_get(known, 1));

	json_object_set_new(all->by, key, json_pack("[f, I]", sum + seconds, count + 1));
}

/* Returns -1 if unknown. */
static double known_of(const struct knowledge *all, const char *of, const char *id)
{
	auto_free char *key = pl_asprintf("%s %s", of, id);
	const json_t *known = json_object_get(all->by, key);

	return known == NULL ? -1
			     : json_number_value(json_array_get(known, 0)) /
				       (double)json_integer_value(json_array_get(known, 1));
}

/* All known durations, to compute medians. */
struct times {
	double *starts, *runs;
	size_t start_count, count;
};

static void know_run(struct times *all, double run_s, double ready_s)
{
	all->runs[all->count++] = run_s;
	if (ready_s > 0)
		all->starts[all->start_count++] = ready_s;
}

static char *like_both(const char *server, const char *load)
{
	return pl_asprintf("%s %s", server, load);
}

/* If a run of this sweep is in the history, its row takes precedence. */
static void know_history(const struct sweep_history *history, const json_t *rows, struct times *all,
			 struct knowledge *ret)
{
	auto_json json_t *run_ids = json_object();
	PL_JSON_EACH_MEMBER(key, row, rows) {
		const char *run_id = pl_json_get_text(row, "run_id");
		if (run_id != NULL)
			json_object_set_new(run_ids, run_id, json_true());
	}

	PL_JSON_EACH_MEMBER(run_id, row, sweep_history_rows(history)) {
		const char *server = pl_json_get_text(row, "server");
		const char *load = pl_json_get_text(row, "load");
		auto_free char *both = like_both(server, load);
		double ready_s = pl_json_get_f64(row, "ready_s");
		double run_s = pl_json_get_f64(row, "run_s");
		if (json_object_get(run_ids, run_id) != NULL)
			continue;
		know_run(all, run_s, ready_s);
		learn(ret, "like cell", both, run_s);
		learn(ret, "like load", load, run_s);
		if (ready_s > 0)
			learn(ret, "like server", server, ready_s);
	}
}

static void know(const struct sweep_plan *plan, const json_t *rows,
		 const struct sweep_history *history, struct knowledge *ret)
{
	const json_t *earlier = history != NULL ? sweep_history_rows(history) : NULL;
	size_t room = json_object_size(rows) + json_object_size(earlier);
	auto_free double *starts = pl_alloc_array(room, sizeof(*starts));
	auto_free double *runs = pl_alloc_array(room, sizeof(*runs));
	struct times all = { .starts = starts, .runs = runs };

	*ret = (struct knowledge){ .by = json_object(), .history = history };
	auto_json json_t *loads = json_object();
	for (size_t i = 0; i < plan->count; i++)
		json_object_set_new(loads, plan->cells[i].id, json_string(plan->cells[i].load));
	PL_JSON_EACH_MEMBER(key, row, rows) {
		const char *cell = pl_json_get_text(row, "combination");
		const char *load = pl_json_get_text(loads, cell != NULL ? cell : "");
		const char *server = pl_json_get_text(row, "server");
		double ready_s = pl_json_get_f64(row, "ready_s");
		double run_s = pl_json_get_f64(row, "wall_s") - ready_s;
		if (!json_is_number(json_object_get(row, "duration")))
			continue;
		know_run(&all, run_s, ready_s);
		if (cell != NULL)
			learn(ret, "cell", cell, run_s);
		if (load != NULL)
			learn(ret, "load", load, run_s);
		if (ready_s > 0 && server != NULL)
			learn(ret, "server", server, ready_s);
	}
	if (history != NULL)
		know_history(history, rows, &all, ret);
	ret->known = all.count;
	ret->start_s = median(starts, all.start_count);
	ret->run_s = median(runs, all.count);
}

/*
 * A repeat of the same cell is the best estimate, followed by the same load on other servers; in both cases, this sweep
 * takes precedence over earlier ones.
 */
static double expect_run(const struct knowledge *all, const struct sweep_plan *plan, size_t cell)
{
	const char *load = "";
	auto_free char *both = NULL;

	if (all->history != NULL) {
		load = sweep_history_load(all->history, cell);
		both = like_both(sweep_history_server(all->history, cell), load);
	}
	const struct {
		const char *of, *id;
	} known[] = {
		{ "cell", plan->cells[cell].id },
		{ "like cell", both != NULL ? both : "" },
		{ "load", plan->cells[cell].load },
		{ "like load", load },
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(known); i++) {
		double seconds = known_of(all, known[i].of, known[i].id);
		if (seconds >= 0)
			return seconds;
	}
	return all->known > 0 ? all->run_s : 1;
}

static double expect_start(const struct knowledge *all, const struct sweep_plan *plan, size_t cell)
{
	double seconds = known_of(all, "server", plan->cells[cell].server);

	if (seconds < 0 && all->history != NULL)
		seconds = known_of(all, "like server", sweep_history_server(all->history, cell));
	return seconds >= 0 ? seconds : all->start_s;
}

static double expect_unit(const struct knowledge *all, const struct sweep_plan *plan,
			  const struct sweep_tasks *tasks, const struct sweep_batch *unit,
			  bool runs)
{
	double seconds = 0;

	/* the finished runs of its server are in rows */
	if (unit->done == 0)
		seconds = expect_start(all, plan, tasks->items[unit->first].cell);
	for (size_t i = unit->done; i < unit->count; i++)
		seconds += expect_run(all, plan, tasks->items[unit->first + i].cell);
	if (!runs)
		return seconds;
	double passed_s = (double)(pl_clock_now_ns() - unit->since_ns) / 1e9;
	return seconds > passed_s ? seconds - passed_s : 0;
}

void sweep_batches_expect(const struct sweep_plan *plan, const struct sweep_tasks *tasks,
			  const json_t *rows, const struct sweep_history *history,
			  struct sweep_batches *units, struct sweep_forecast *ret)
{
	struct knowledge all;

	know(plan, rows, history, &all);
	*ret = (struct sweep_forecast){
		.known = all.known,
		.start_s = all.start_s,
		.run_s = all.run_s,
	};
	for (size_t i = 0; i < units->count; i++) {
		const struct sweep_batch *unit = &units->items[i];
		struct sweep_job *job = &units->jobs[i];
		if (job->state == SWEEP_OVER)
			continue;
		bool runs = job->state == SWEEP_RUNS;
		job->seconds = expect_unit(&all, plan, tasks, unit, runs);
		ret->runs += unit->count - unit->done;
		ret->starts += !runs;
	}
	json_decref(all.by);
}
