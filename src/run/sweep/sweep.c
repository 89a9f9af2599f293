/*
 * The order of a sweep:
 *
 *	folder, journal     what is over is known
 *	look for results    that stand though the journal does not have them: killed in between
 *	run after run       the result stands, then the journal has it, then the next begins
 *	summary             after each, so that it can be read while the sweep goes on
 */
#include "run/sweep/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "run/journal/recover.h"
#include "run/life.h"
#include "run/run.h"
#include "run/signals.h"
#include "run/sweep/summary.h"
#include "run/sweep/tasks.h"

/* vLLM takes the wish to empty its caches only so. */
#define DEV_MODE "VLLM_SERVER_DEV_MODE"

/* A sweep under way. */
struct sweeping {
	const struct run_sweep_plan *plan;
	const struct run_sweep_settings *settings;
	struct run_sweep_journal journal;
	struct run_sweep_tasks all;
	struct run_sweep_tasks left; /* of all, when it began */
	struct run_stop stop;
	struct run_slot slot;
	struct run_life life;
	char *log_path;
	struct run_sweep_outcome *outcome;
	size_t done; /* of left */
};

static int make_folder(const char *path, struct pl_err *err)
{
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return 0;
	return pl_err_errno(err, "cannot make the folder '%s'", path);
}

static int make_folders(const char *folder, struct pl_err *err)
{
	auto_free char *cells = pl_asprintf("%s/cells", folder);
	auto_free char *servers = pl_asprintf("%s/servers", folder);

	if (make_folder(folder, err) < 0 || make_folder(cells, err) < 0)
		return -1;
	return make_folder(servers, err);
}

static char *result_path(const struct sweeping *sweep, const struct run_sweep_task *task)
{
	return pl_asprintf("%s/cells/%s.json", sweep->settings->folder, task->key);
}

/* Was it made by this very run? A result that was put there is not. */
static bool is_of_sweep(const struct sweeping *sweep, const json_t *result)
{
	return pl_text_equal(pl_json_path_text(result, "tags.sweep"), sweep->journal.id);
}

/* A result that the journal lacks: the kill came when it stood already. */
static int find_result(struct sweeping *sweep, const struct run_sweep_task *task,
		       struct pl_err *err)
{
	auto_free char *path = result_path(sweep, task);
	auto_free char *journal = pl_asprintf("%s.journal", path);
	auto_json json_t *result = NULL;

	if (!pl_file_exists(path))
		return 0;
	/* killed between the result and its side files: they go to their places */
	if (pl_file_exists(journal)) {
		struct run_recovered recovered = { 0 };
		if (run_recover(path, &recovered, PL_ERR_IGNORED) == 0)
			run_recovered_done(&recovered);
	}
	if (pl_json_read_file(path, &result, PL_ERR_IGNORED) < 0 || !is_of_sweep(sweep, result))
		return 0;
	return run_sweep_journal_row(&sweep->journal, task->key,
				     run_sweep_row(sweep->plan, task, result), err);
}

static int find_results(struct sweeping *sweep, struct pl_err *err)
{
	for (size_t i = 0; i < sweep->all.count; i++) {
		const struct run_sweep_task *task = &sweep->all.items[i];
		if (json_object_get(sweep->journal.rows, task->key) == NULL &&
		    find_result(sweep, task, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- one run ---- */

/* By these its result is found among others, in a dashboard too. */
static void mark_experiment(const struct sweeping *sweep, const struct run_sweep_cell *cell,
			    struct exp_config *experiment)
{
	json_object_set_new(experiment->tags, "sweep", json_string(sweep->journal.id));
	json_object_set_new(experiment->tags, "sweep_cell", json_string(cell->id));
	json_object_set_new(experiment->tags, "sweep_point", json_string(cell->cell->label));
	if (cell->cell->set != NULL)
		json_object_set_new(experiment->tags, "sweep_set", json_string(cell->cell->set));
	if (experiment->launch.url == NULL &&
	    json_object_get(experiment->launch.env, DEV_MODE) == NULL)
		json_object_set_new(experiment->launch.env, DEV_MODE, json_string("1"));
}

static int open_server(struct sweeping *sweep, const struct run_sweep_cell *cell,
		       const struct exp_config *experiment, struct pl_err *err)
{
	const char *folder = sweep->settings->folder;
	int64_t before = pl_json_get_i64(sweep->journal.starts, cell->server);
	auto_free char *url = exp_server_url(experiment);
	auto_free char *name = pl_asprintf("servers/%s.%lld.log", cell->server,
					   (long long)before + 1);

	free(sweep->log_path);
	sweep->log_path = pl_asprintf("%s/%s", folder, name);
	sweep->life = (struct run_life){ .log_path = sweep->log_path };
	if (run_slot_open(experiment, &sweep->stop, &sweep->slot, err) < 0)
		return -1;
	sweep->slot.life = &sweep->life;
	if (url != NULL)
		return 0;
	return run_sweep_journal_start(&sweep->journal, cell->server, name, err);
}

/* The next one of the same server, unless there is none to start. */
static bool goes_on(const struct sweeping *sweep)
{
	return run_sweep_same_server(sweep->plan, &sweep->left, sweep->done, sweep->done + 1);
}

/* What keeps one run from starting is a row, what would keep all others from it ends the sweep. */
static bool ends_all(const struct pl_err *err)
{
	return err->code == PL_ERR_BUSY || err->code == PL_ERR_INTERRUPTED ||
	       err->code == PL_ERR_IO || err->code == PL_ERR_FULL;
}

static int run_task(struct sweeping *sweep, const struct run_sweep_task *task, json_t **ret_row,
		    struct pl_err *err)
{
	const struct run_sweep_cell *cell = &sweep->plan->cells[task->cell];
	auto_experiment struct exp_config *experiment = run_sweep_experiment(
		sweep->plan, task->cell, sweep->settings->simulate);
	auto_free char *path = result_path(sweep, task);
	auto_json json_t *result = NULL;
	auto_free char *written = NULL;
	int64_t started_ns = pl_clock_now_ns();
	bool starts = !run_life_is_up(&sweep->life, &sweep->slot);
	/* what stands there is of a run that is not over, or is tried again */
	const struct run_settings how = {
		.output = path,
		.written = &written,
		.quiet = true,
		.overwrite = true,
		.wait_ns = sweep->settings->wait_ns,
	};

	mark_experiment(sweep, cell, experiment);
	if (!starts)
		run_slot_next(&sweep->slot);
	else if (open_server(sweep, cell, experiment, err) < 0)
		return -1;
	sweep->life.goes_on = goes_on(sweep);
	int done = run_experiment(experiment, &how, &sweep->slot, &result, err);
	if (done < 0 && ends_all(err))
		return -1;
	json_t *row = run_sweep_row(sweep->plan, task, result);
	if (result == NULL) {
		json_object_set_new(row, "status", json_string("failed"));
		json_object_set_new(row, "message", pl_json_text(err->text));
	}
	/* beside a better one where that is kept */
	auto_free char *name = written != NULL ? pl_file_name(written) : NULL;
	if (name != NULL)
		json_object_set_new(row, "result", json_sprintf("cells/%s", name));
	json_object_set_new(row, "wall_s",
			    json_real((double)(pl_clock_now_ns() - started_ns) / 1e9));
	if (starts)
		json_object_set_new(row, "ready_s",
				    pl_json_or_null(json_incref(
					    pl_json_get_path(result, "launch.phases.ready_s"))));
	if (sweep->life.caches_stay)
		json_object_set_new(row, "caches_stay", json_true());
	*ret_row = row;
	return 0;
}

/* ---- all of them ---- */

static void tell(const struct sweeping *sweep, const struct run_sweep_task *task, const json_t *row)
{
	const struct run_sweep_cell *cell = &sweep->plan->cells[task->cell];
	struct run_sweep_settings rest = *sweep->settings;
	struct run_sweep_forecast left = { 0 };
	char time[32] = "";
	const char *verdict = pl_json_get_text(row, "verdict");
	const char *cause = pl_json_get_text(row, "cause");
	auto_free char *rate = NULL;

	if (sweep->settings->quiet)
		return;
	rest.retry_count = 0;
	run_sweep_forecast_rows(sweep->plan, &sweep->all, sweep->journal.rows, &rest, &left);
	pl_text_from_duration((int64_t)(left.total_s * 1e9), time, sizeof(time));
	if (json_is_number(json_object_get(row, "request_throughput")))
		rate = pl_asprintf(", %.4g requests/s", pl_json_get_f64(row, "request_throughput"));
	fprintf(stderr, "[%zu/%zu] %s%s: %s%s%s%s; %zu left%s%s\n", sweep->all.count - left.runs,
		sweep->all.count, cell->cell->label, task->repeat > 1 ? " again" : "",
		pl_json_get_text(row, "status"), verdict != NULL || cause != NULL ? ", " : "",
		cause != NULL     ? cause
		: verdict != NULL ? verdict
				  : "",
		rate != NULL ? rate : "", left.runs, left.runs > 0 ? ", about " : "",
		left.runs > 0 ? time : "");
}

static int note(struct sweeping *sweep, const struct run_sweep_task *task, json_t *row,
		struct pl_err *err)
{
	auto_json json_t *kept = json_incref(row);

	if (run_sweep_journal_row(&sweep->journal, task->key, row, err) < 0 ||
	    run_sweep_summary(sweep->plan, &sweep->all, &sweep->journal, sweep->settings->folder,
			      err) < 0)
		return -1;
	tell(sweep, task, kept);
	const char *result = pl_json_get_text(kept, "result");
	if (sweep->settings->on_result != NULL && result != NULL) {
		auto_free char *path = pl_asprintf("%s/%s", sweep->settings->folder, result);
		sweep->settings->on_result(sweep->settings->user, path);
	}
	return 0;
}

/* The others of a server that did not start would fail alike, and each would wait for it. */
static int pass_over(struct sweeping *sweep, const json_t *failed, struct pl_err *err)
{
	while (goes_on(sweep)) {
		const struct run_sweep_task *task = &sweep->left.items[++sweep->done];
		json_t *row = run_sweep_row(sweep->plan, task, NULL);
		json_object_set(row, "status", json_object_get(failed, "status"));
		json_object_set(row, "cause", json_object_get(failed, "cause"));
		json_object_set(row, "message", json_object_get(failed, "message"));
		if (note(sweep, task, row, err) < 0)
			return -1;
	}
	return 0;
}

static int run_left(struct sweeping *sweep, struct pl_err *err)
{
	for (; sweep->done < sweep->left.count; sweep->done++) {
		const struct run_sweep_task *task = &sweep->left.items[sweep->done];
		int died = RUN_STOP_SERVER_DIED;
		json_t *row = NULL;
		/* of the server before; a signal stays */
		atomic_compare_exchange_strong(&sweep->stop.reason, &died, 0);
		if (run_stop_signal(&sweep->stop) != 0)
			return 0;
		if (run_task(sweep, task, &row, err) < 0)
			return err->code == PL_ERR_INTERRUPTED ? 0 : -1;
		auto_json json_t *kept = json_incref(row);
		if (note(sweep, task, row, err) < 0)
			return -1;
		if (pl_text_equal(pl_json_get_text(kept, "status"), "launch_failed") &&
		    pass_over(sweep, kept, err) < 0)
			return -1;
	}
	return 0;
}

static void count(const struct sweeping *sweep)
{
	struct run_sweep_outcome *outcome = sweep->outcome;

	outcome->runs = sweep->all.count;
	for (size_t i = 0; i < sweep->all.count; i++) {
		const json_t *row = json_object_get(sweep->journal.rows, sweep->all.items[i].key);
		const char *status = pl_json_get_text(row, "status");
		if (status == NULL || strcmp(status, "interrupted") == 0)
			continue;
		outcome->over++;
		outcome->partial += strcmp(status, "partial") == 0;
		outcome->failed += strcmp(status, "partial") != 0 &&
				   strcmp(status, "completed") != 0;
	}
}

static int go(struct sweeping *sweep, struct pl_err *err)
{
	if (find_results(sweep, err) < 0)
		return -1;
	run_sweep_tasks_make(sweep->plan, sweep->settings, &sweep->left);
	run_sweep_tasks_leave(&sweep->left, sweep->journal.rows, sweep->settings);
	run_signals_take(&sweep->stop, 1);
	int done = run_left(sweep, err);
	run_life_end(&sweep->life, &sweep->slot);
	sweep->outcome->signal = run_stop_signal(&sweep->stop);
	run_signals_release();
	count(sweep);
	struct pl_err ignored = PL_ERR_INIT;
	int written = run_sweep_summary(sweep->plan, &sweep->all, &sweep->journal,
					sweep->settings->folder, done < 0 ? &ignored : err);
	return done < 0 || written < 0 ? -1 : 0;
}

int run_sweep(const struct run_sweep_plan *plan, const struct run_sweep_settings *settings,
	      struct run_sweep_outcome *ret, struct pl_err *err)
{
	struct sweeping sweep = { .plan = plan, .settings = settings, .outcome = ret };

	*ret = (struct run_sweep_outcome){ 0 };
	int done = make_folders(settings->folder, err);
	if (done == 0)
		done = run_sweep_journal_open(settings->folder, settings->resume, &sweep.journal,
					      err);
	if (done == 0) {
		run_sweep_tasks_make(plan, settings, &sweep.all);
		done = go(&sweep, err);
	}
	run_sweep_journal_done(&sweep.journal);
	run_sweep_tasks_done(&sweep.all);
	run_sweep_tasks_done(&sweep.left);
	free(sweep.log_path);
	return done;
}
