/*
 * The order of a sweep:
 *
 *	directory, journal    determine the finished runs
 *	find results          that exist without a row in the journal: the sweep was killed in between
 *	server after server   as many at once as there are slots, each a worker (sweep/worker.h)
 *	row after row         the result is written, followed by the row in the journal; then the worker continues
 *	summary               after each row, so that it can be read during the sweep
 *	upload                results that the dashboard has not accepted before
 *
 * One thread waits for messages of workers and for signals; only this thread writes the journal.
 */
#include "sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "result/document.h"
#include "run/journal/recover.h"
#include "run/signals.h"
#include "run/stop.h"
#include "schema/former.h"
#include "sweep/forecast.h"
#include "sweep/slots.h"
#include "sweep/summary.h"
#include "sweep/table.h"
#include "sweep/worker.h"

/* The minimum interval of summaries to a dashboard; longer after a failure, because a request may wait for 20 s. */
#define SEND_EVERY_NS (2 * PL_NS_PER_S)
#define RESEND_NS     (60 * PL_NS_PER_S)

/* A server slot. */
struct slot {
	struct sweep_worker worker; /* pid 0: no worker */
	size_t unit;
	bool is_reported; /* this worker has reported something */
};

/* The state of a sweep. */
struct sweeping {
	const struct sweep_plan *plan;
	const struct sweep_settings *settings;
	struct sweep_journal journal;
	struct sweep_tasks all;
	struct sweep_tasks left; /* the unfinished ones at the start */
	struct sweep_batches units;
	struct sweep_room room;
	struct sweep_slots slots;
	struct slot *at;
	struct run_live *live; /* one per slot, shared with its worker */
	struct sweep_forecast forecast;
	int64_t forecast_ns; /* time of the forecast; CLOCK_MONOTONIC */
	struct sweep_table table;
	struct run_stop stop;
	int stop_signal, hurried; /* signals that were sent to workers */
	struct pl_err failure;    /* ends the sweep when the current runs have finished */
	struct sweep_outcome *outcome;
	bool is_news;       /* the summary has unsent content that no result has */
	int64_t send_at_ns; /* earliest time; CLOCK_MONOTONIC */
	bool is_lost;       /* the last summary could not be sent */
};

static int make_folders(const char *folder, struct pl_err *err)
{
	auto_free char *cells = pl_asprintf("%s/cells", folder);
	auto_free char *servers = pl_asprintf("%s/servers", folder);

	if (pl_file_make_dir(folder, 0777, err) < 0 || pl_file_make_dir(cells, 0777, err) < 0)
		return -1;
	return pl_file_make_dir(servers, 0777, err);
}

static char *result_path(const struct sweeping *sweep, const struct sweep_task *task)
{
	return pl_asprintf("%s/cells/%s.json", sweep->settings->folder, task->key);
}

/* Returns whether this run made the result, as opposed to a copied file. */
static bool is_of_sweep(const struct sweeping *sweep, const json_t *result)
{
	return pl_text_equal(pl_json_path_text(result, "tags.sweep"), sweep->journal.id);
}

/* Finds a result that the journal lacks, because the sweep was killed between the two. */
static int find_result(struct sweeping *sweep, const struct sweep_task *task, struct pl_err *err)
{
	auto_free char *path = result_path(sweep, task);
	auto_free char *journal = pl_asprintf("%s.journal", path);
	auto_json json_t *result = NULL;

	if (!pl_file_exists(path))
		return 0;
	/* killed between the result and its artifacts: moves them to their final names */
	if (pl_file_exists(journal)) {
		struct run_recovered recovered = { 0 };
		if (run_recover(path, &recovered, PL_ERR_IGNORED) == 0)
			run_recovered_done(&recovered);
	}
	if (pl_json_read_file(path, &result, PL_ERR_IGNORED) < 0 || !is_of_sweep(sweep, result))
		return 0;
	schema_rename_former_result(result);
	return sweep_journal_row(&sweep->journal, task->key, sweep_row(sweep->plan, task, result),
				 err);
}

/* ---- reporting ---- */

/*
 * Returns " (REASON)": the text of the cause; for a program that was not found, the message without its remedies, which
 * names the program.
 */
static char *why_of(const json_t *row, const char *cause)
{
	const char *message = pl_json_get_text(row, "message");

	if (message == NULL || strcmp(cause, "not_executable") != 0)
		return pl_asprintf(" (%s)", res_cause_text(cause));
	return pl_asprintf(" (%.*s)", (int)strcspn(message, ";"), message);
}

static void report(struct sweeping *sweep, const struct sweep_task *task, const json_t *row)
{
	const struct sweep_cell *cell = &sweep->plan->cells[task->cell];
	const struct sweep_forecast *left = &sweep->forecast;
	/* a run that takes longer than the earlier ones cannot be estimated */
	bool foreseen = left->runs > 0 && left->total_s > 0;
	char time[32] = "";
	const char *verdict = pl_json_get_text(row, "verdict");
	const char *cause = pl_json_get_text(row, "cause");
	auto_free char *rate = NULL;
	auto_free char *why = cause != NULL ? why_of(row, cause) : NULL;
	auto_free char *repeat = task->repeat > 1
					 ? pl_asprintf(", repeat %lld", (long long)task->repeat)
					 : NULL;

	if (sweep->settings->quiet)
		return;
	pl_text_from_duration((int64_t)(ceil(left->total_s) * 1e9), time, sizeof(time));
	if (json_is_number(json_object_get(row, "request_throughput")))
		rate = pl_asprintf(", %.4g requests/s", pl_json_get_f64(row, "request_throughput"));
	auto_free char *line = pl_asprintf(
		"[%zu/%zu] %s%s: %s%s%s%s%s; %zu remaining%s%s\n", sweep->all.count - left->runs,
		sweep->all.count, cell->cell->label, repeat != NULL ? repeat : "",
		pl_json_get_text(row, "status"), verdict != NULL || cause != NULL ? ", " : "",
		cause != NULL     ? cause
		: verdict != NULL ? verdict
				  : "",
		why != NULL ? why : "", rate != NULL ? rate : "", left->runs,
		foreseen ? ", about " : "", foreseen ? time : "");
	sweep_table_print(&sweep->table, line, strlen(line));
}

static void show(void *user, const char *text, size_t len)
{
	struct sweeping *sweep = user;

	sweep_table_print(&sweep->table, text, len);
}

static void forecast(struct sweeping *sweep)
{
	sweep_forecast_units(sweep->plan, &sweep->left, sweep->journal.rows, &sweep->room,
			     sweep->settings, &sweep->units, NULL, &sweep->forecast);
	sweep->forecast_ns = pl_clock_now_ns();
}

static void count(const struct sweeping *sweep)
{
	struct sweep_outcome *outcome = sweep->outcome;

	outcome->runs = sweep->all.count;
	outcome->over = outcome->partial = outcome->failed = 0;
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

/* Returns the current run of a server; after its last run, the server ends. */
static struct sweep_table_line line_of(const struct sweeping *sweep, size_t at)
{
	const struct sweep_batch *unit = &sweep->units.items[sweep->at[at].unit];
	bool ends = unit->done == unit->count;
	const struct sweep_task *task =
		&sweep->left.items[unit->first + unit->done - (ends ? 1 : 0)];

	return (struct sweep_table_line){
		.label = sweep->plan->cells[task->cell].cell->label,
		.since_s = (pl_clock_now_ns() - unit->since_ns) / PL_NS_PER_S,
		.over = atomic_load(&sweep->live[at].over),
		.requests = atomic_load(&sweep->live[at].requests),
		.ends = ends,
	};
}

static void draw(struct sweeping *sweep)
{
	auto_free struct sweep_table_line *lines = pl_alloc_array(sweep->slots.count,
								  sizeof(*lines));
	int64_t passed_ns = pl_clock_now_ns() - sweep->forecast_ns;
	double left_s = sweep->forecast.total_s - (double)passed_ns / 1e9;
	struct sweep_table_view view = { .lines = lines };

	if (!sweep->table.draws)
		return;
	for (size_t i = 0; i < sweep->slots.count; i++) {
		if (sweep->at[i].worker.pid != 0)
			lines[view.count++] = line_of(sweep, i);
	}
	count(sweep);
	view.over = sweep->outcome->over;
	view.failed = sweep->outcome->failed;
	view.left = sweep->forecast.runs;
	view.left_s = sweep->forecast.known > 0 && left_s > 0 ? left_s : 0;
	sweep_table_draw(&sweep->table, &view);
}

/* ---- the summary ---- */

static char *summary_path(const struct sweeping *sweep)
{
	return pl_asprintf("%s/" SWEEP_SUMMARY_NAME, sweep->settings->folder);
}

static int write_summary(const struct sweeping *sweep, const char *state, struct pl_err *err)
{
	auto_json json_t *running = json_array();
	for (size_t i = 0; i < sweep->slots.count; i++) {
		const struct sweep_batch *unit = &sweep->units.items[sweep->at[i].unit];
		if (sweep->at[i].worker.pid != 0 && unit->done < unit->count)
			json_array_append_new(
				running,
				json_string(sweep->left.items[unit->first + unit->done].key));
	}
	const struct sweep_progress progress = { .state = state, .running = running };

	return sweep_summary(sweep->plan, &sweep->all, &sweep->journal, sweep->settings->folder,
			     &progress, err);
}

static bool is_due(const struct sweeping *sweep)
{
	return sweep->is_news && sweep->settings->send_summary != NULL &&
	       pl_clock_now_ns() >= sweep->send_at_ns;
}

/* Warns once per outage; the summary is sent again after the next pause. */
static void send_summary(struct sweeping *sweep)
{
	const struct sweep_settings *settings = sweep->settings;
	auto_free char *path = summary_path(sweep);
	struct pl_err err = PL_ERR_INIT;
	bool was_lost = sweep->is_lost;

	if (settings->send_summary == NULL)
		return;
	sweep->is_lost = settings->send_summary(settings->user, path, &err) < 0;
	if (sweep->is_lost && !was_lost) {
		sweep_table_hide(&sweep->table);
		pl_log(PL_LOG_WARNING, "'%s' was not uploaded: %s", path, err.text);
	}
	sweep->is_news = sweep->is_lost;
	sweep->send_at_ns = pl_clock_now_ns() + (sweep->is_lost ? RESEND_NS : SEND_EVERY_NS);
}

/* ---- rows ---- */

/* Records that the next run of the unit has finished. */
static int note(struct sweeping *sweep, struct sweep_batch *unit, json_t *row, struct pl_err *err)
{
	const struct sweep_task *task = &sweep->left.items[unit->first + unit->done];
	auto_json json_t *retained = json_incref(row);

	sweep->is_news = true;
	if (sweep_journal_row(&sweep->journal, task->key, row, err) < 0)
		return -1;
	unit->done++;
	if (write_summary(sweep, "running", err) < 0)
		return -1;
	unit->since_ns = pl_clock_now_ns();
	forecast(sweep);
	report(sweep, task, retained);
	draw(sweep);
	return 0;
}

/* Skips the other runs of a server that did not start, because each would wait and fail, too. */
static int pass_over(struct sweeping *sweep, struct sweep_batch *unit, const json_t *failed,
		     struct pl_err *err)
{
	while (unit->done < unit->count) {
		const struct sweep_task *task = &sweep->left.items[unit->first + unit->done];
		json_t *row = sweep_row(sweep->plan, task, NULL);
		json_object_set(row, "status", json_object_get(failed, "status"));
		json_object_set(row, "cause", json_object_get(failed, "cause"));
		json_object_set(row, "message", json_object_get(failed, "message"));
		if (note(sweep, unit, row, err) < 0)
			return -1;
	}
	return 0;
}

static int take_row(struct sweeping *sweep, struct slot *slot, json_t *row, struct pl_err *err)
{
	struct sweep_batch *unit = &sweep->units.items[slot->unit];

	if (!json_is_object(row) || unit->done >= unit->count)
		return pl_err_set(err, PL_ERR_FAILED,
				  "a worker of the sweep sent an invalid message");
	slot->is_reported = true;
	if (note(sweep, unit, json_incref(row), err) < 0)
		return -1;
	if (pl_text_equal(pl_json_get_text(row, "status"), "launch_failed") &&
	    pass_over(sweep, unit, row, err) < 0)
		return -1;
	sweep_worker_go_on(&slot->worker);
	return 0;
}

/* Records that the worker ended without a report on its run. */
static int note_crash(struct sweeping *sweep, struct sweep_batch *unit, int signal_number,
		      struct pl_err *err)
{
	const struct sweep_task *task = &sweep->left.items[unit->first + unit->done];
	json_t *row = sweep_row(sweep->plan, task, NULL);

	json_object_set_new(row, "status", json_string("failed"));
	json_object_set_new(row, "cause", json_string("internal"));
	json_object_set_new(
		row, "message",
		signal_number != 0
			? json_sprintf("the process of the run was killed by signal %d (%s)",
				       signal_number, strsignal(signal_number))
			: json_string("the process of the run ended without a result"));
	return note(sweep, unit, row, err);
}

/* ---- servers ---- */

/* Other processes of the host have resources that one of ours needs: it also waits for ours, if any are running. */
static void take_error(struct sweeping *sweep, struct slot *slot, const json_t *message)
{
	struct pl_err failure = { .code = (enum pl_err_code)pl_json_get_i64(message, "code") };

	slot->is_reported = true;
	snprintf(failure.text, sizeof(failure.text), "%s", pl_json_get_text(message, "error"));
	if (failure.code == PL_ERR_INTERRUPTED)
		return;
	bool alone = true;
	for (size_t i = 0; i < sweep->slots.count; i++)
		alone = alone && (&sweep->at[i] == slot || sweep->at[i].worker.pid == 0);
	if (failure.code == PL_ERR_BUSY && !alone)
		sweep->units.items[slot->unit].waits_for_others = true;
	else if (sweep->failure.code == PL_ERR_NONE)
		sweep->failure = failure;
}

static int take_message(struct sweeping *sweep, struct slot *slot, json_t *message,
			struct pl_err *err)
{
	json_t *row = json_object_get(message, "row");

	if (row != NULL)
		return take_row(sweep, slot, row, err);
	if (pl_json_get_text(message, "error") != NULL)
		take_error(sweep, slot, message);
	else if (pl_json_get_text(message, "sent") != NULL)
		return sweep_journal_sent(&sweep->journal, pl_json_get_text(message, "sent"), err);
	return 0;
}

/* Updates the number of other active runs for each worker. */
static void report_neighbors(const struct sweeping *sweep)
{
	unsigned count = 0;

	for (size_t i = 0; i < sweep->slots.count; i++)
		count += sweep->at[i].worker.pid != 0;
	for (size_t i = 0; i < sweep->slots.count; i++) {
		if (sweep->at[i].worker.pid != 0)
			run_live_set_concurrent(&sweep->live[i], count - 1);
	}
}

static int end_server(struct sweeping *sweep, struct slot *slot, struct pl_err *err)
{
	struct sweep_batch *unit = &sweep->units.items[slot->unit];
	int signal_number;
	bool well = sweep_worker_end(&slot->worker, &signal_number);
	bool stopped = run_stop_signal(&sweep->stop) != 0;

	for (size_t i = 0; !unit->waits_for_others && i < sweep->units.count; i++)
		sweep->units.items[i].waits_for_others = false;
	report_neighbors(sweep);
	sweep->units.jobs[slot->unit].state = SWEEP_WAITS;
	if (unit->done < unit->count && !stopped && (!well || !slot->is_reported) &&
	    note_crash(sweep, unit, signal_number, err) < 0)
		return -1;
	if (unit->done == unit->count)
		sweep->units.jobs[slot->unit].state = SWEEP_OVER;
	return 0;
}

static size_t free_slot(const struct sweeping *sweep)
{
	for (size_t i = 0; i < sweep->slots.count; i++) {
		if (sweep->at[i].worker.pid == 0)
			return i;
	}
	return sweep->slots.count;
}

/* Records a server in the journal before it is started. */
static int note_start(struct sweeping *sweep, const struct sweep_task *task, char **ret_log,
		      struct pl_err *err)
{
	const struct sweep_cell *cell = &sweep->plan->cells[task->cell];
	auto_experiment struct exp_config *experiment = sweep_experiment(sweep->plan, task->cell,
									 sweep->settings->simulate);
	int64_t before = pl_json_get_i64(sweep->journal.starts, cell->server);
	auto_free char *url = exp_server_url(experiment);
	auto_free char *name = pl_asprintf("servers/%s.%lld.log", cell->server,
					   (long long)before + 1);

	if (url == NULL && sweep_journal_start(&sweep->journal, cell->server, name, err) < 0)
		return -1;
	*ret_log = pl_asprintf("%s/%s", sweep->settings->folder, name);
	return 0;
}

static int start_server(struct sweeping *sweep, size_t at, size_t k, struct pl_err *err)
{
	struct sweep_batch *unit = &sweep->units.items[k];
	struct slot *slot = &sweep->at[at];
	const struct sweep_task *tasks = &sweep->left.items[unit->first + unit->done];
	auto_free int *fds = pl_alloc_array(2 * sweep->slots.count + 1, sizeof(*fds));
	auto_free char *log_path = NULL;

	if (note_start(sweep, tasks, &log_path, err) < 0)
		return -1;
	const struct sweep_work work = {
		.plan = sweep->plan,
		.settings = sweep->settings,
		.sweep_id = sweep->journal.id,
		.all = &sweep->all,
		.tasks = tasks,
		.count = unit->count - unit->done,
		.log_path = log_path,
		.live = &sweep->live[at],
	};
	/* before the fork, so that its first run knows them */
	slot->worker.pid = -1;
	report_neighbors(sweep);
	slot->worker.pid = 0;
	/* Collects descriptors that a worker must not inherit: with one of another worker, its end could not be detected. */
	size_t fd_count = 0;
	fds[fd_count++] = sweep->journal.fd;
	for (size_t i = 0; i < sweep->slots.count; i++) {
		const struct sweep_worker *worker = &sweep->at[i].worker;
		if (worker->pid == 0)
			continue;
		fds[fd_count++] = worker->socket;
		if (worker->log_fd >= 0)
			fds[fd_count++] = worker->log_fd;
	}
	if (sweep_worker_start(&work, fds, fd_count, &slot->worker, err) < 0)
		return -1;
	slot->unit = k;
	slot->is_reported = false;
	unit->since_ns = pl_clock_now_ns();
	sweep->units.jobs[k].state = SWEEP_RUNS;
	sweep->is_news = true;
	return 0;
}

/* ---- the sweep ---- */

static bool is_ending(const struct sweeping *sweep)
{
	return run_stop_signal(&sweep->stop) != 0 || sweep->failure.code != PL_ERR_NONE;
}

/* Starts as many servers as there are slots. */
static int start_lives(struct sweeping *sweep, struct pl_err *err)
{
	auto_free size_t *order = pl_alloc_array(sweep->units.count, sizeof(*order));
	size_t count, at;

	if (is_ending(sweep) || free_slot(sweep) == sweep->slots.count)
		return 0;
	sweep_forecast_units(sweep->plan, &sweep->left, sweep->journal.rows, &sweep->room,
			     sweep->settings, &sweep->units, order, &sweep->forecast);
	sweep->forecast_ns = pl_clock_now_ns();
	count = sweep->forecast.starts;
	for (size_t i = 0; i < count && (at = free_slot(sweep)) < sweep->slots.count; i++) {
		size_t k = order[i];
		if (sweep->units.items[k].waits_for_others ||
		    !sweep_fits(sweep->units.jobs, sweep->units.count, &sweep->room, k))
			continue;
		if (start_server(sweep, at, k, err) < 0 || write_summary(sweep, "running", err) < 0)
			return -1;
	}
	return 0;
}

static int receive(struct sweeping *sweep, struct slot *slot, struct pl_err *err)
{
	for (;;) {
		auto_json json_t *message = NULL;
		int got = sweep_worker_receive(&slot->worker, &message);
		sweep_worker_show(&slot->worker, show, sweep);
		if (got == 0)
			return 0;
		if (got < 0)
			return end_server(sweep, slot, err);
		if (take_message(sweep, slot, message, err) < 0)
			return -1;
	}
}

static size_t working(const struct sweeping *sweep)
{
	size_t count = 0;

	for (size_t i = 0; i < sweep->slots.count; i++)
		count += sweep->at[i].worker.pid != 0;
	return count;
}

/* The journal cannot be written: ends all workers, because their runs could not be recorded. */
static void end_all(struct sweeping *sweep)
{
	for (size_t i = 0; i < sweep->slots.count; i++) {
		int ignored;
		sweep_worker_signal(&sweep->at[i].worker, SIGTERM);
		if (sweep->at[i].worker.pid != 0)
			sweep_worker_end(&sweep->at[i].worker, &ignored);
	}
}

static int run_lives(struct sweeping *sweep, const sigset_t *open, struct pl_err *err)
{
	for (;;) {
		if (start_lives(sweep, err) < 0)
			return -1;
		if (working(sweep) == 0)
			break;
		if (is_due(sweep))
			send_summary(sweep);
		/* Waits for a message of a worker or a signal, and redraws the table meanwhile. Signals are only taken here. */
		static const struct timespec tick = { .tv_sec = 1 };
		auto_free struct pollfd *fds = pl_alloc_array(2 * sweep->slots.count, sizeof(*fds));
		size_t count = 0;
		for (size_t i = 0; i < sweep->slots.count; i++) {
			const struct sweep_worker *worker = &sweep->at[i].worker;
			if (worker->pid == 0)
				continue;
			fds[count++] = (struct pollfd){ .fd = worker->socket, .events = POLLIN };
			fds[count++] = (struct pollfd){ .fd = worker->log_fd, .events = POLLIN };
		}
		do
			draw(sweep);
		while (ppoll(fds, count, sweep->table.draws || sweep->is_news ? &tick : NULL,
			     open) == 0 &&
		       !is_due(sweep));
		int stop_signal = run_stop_signal(&sweep->stop);
		int hurried = atomic_load(&sweep->stop.hurry);
		for (size_t i = 0; i < sweep->slots.count; i++) {
			if (stop_signal != sweep->stop_signal)
				sweep_worker_signal(&sweep->at[i].worker, stop_signal);
			if (hurried != sweep->hurried)
				sweep_worker_signal(&sweep->at[i].worker, hurried);
		}
		sweep->stop_signal = stop_signal;
		sweep->hurried = hurried;
		for (size_t i = 0; i < sweep->slots.count; i++) {
			if (sweep->at[i].worker.pid != 0 && receive(sweep, &sweep->at[i], err) < 0)
				return -1;
		}
	}
	if (sweep->failure.code == PL_ERR_NONE)
		return 0;
	*err = sweep->failure;
	return -1;
}

/* Creates the slots, and the memory shared with their workers. */
static int open_slots(struct sweeping *sweep, struct pl_err *err)
{
	auto_gpu_survey struct run_gpu_survey *survey = run_gpu_survey_new(0);

	sweep_batches_make(sweep->plan, &sweep->left, survey, sweep->settings->simulate,
			   &sweep->units);
	sweep->room.gpus = run_gpu_survey_count(survey);
	sweep_slots_make(&sweep->units, sweep->room.gpus, sweep->settings, &sweep->slots);
	sweep->room.slots = sweep->slots.count;
	sweep->at = pl_alloc_array(sweep->slots.count, sizeof(*sweep->at));
	void *memory = mmap(NULL, sweep->slots.count * sizeof(*sweep->live), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return pl_err_errno(err, "could not allocate shared memory");
	sweep->live = memory;
	for (size_t i = 0; i < sweep->slots.count; i++) {
		sweep->live[i].bound = sweep->slots.bound;
		if (sweep->slots.bound)
			sweep->live[i].cpus = sweep->slots.cpus[i];
	}
	return 0;
}

static int run_left(struct sweeping *sweep, struct pl_err *err)
{
	sigset_t ours, before;

	if (open_slots(sweep, err) < 0)
		return -1;
	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	sigprocmask(SIG_BLOCK, &ours, &before);
	run_signals_take(&sweep->stop, 1);
	sweep_table_open(sweep->settings->quiet, &sweep->table);
	int done = run_lives(sweep, &before, err);
	sweep_table_done(&sweep->table);
	if (done < 0)
		end_all(sweep);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return done;
}

/* ---- the dashboard ---- */

/*
 * Sends results that the dashboard has not accepted, also in an earlier call; stops after the first failure of the
 * connection.
 */
static int send_rest(struct sweeping *sweep, struct pl_err *err)
{
	const struct sweep_settings *settings = sweep->settings;

	for (size_t i = 0; settings->send != NULL && i < sweep->all.count; i++) {
		const char *key = sweep->all.items[i].key;
		const json_t *row = json_object_get(sweep->journal.rows, key);
		const char *result = pl_json_get_text(row, "result");
		struct pl_err why = PL_ERR_INIT;
		if (result == NULL || json_object_get(sweep->journal.sent, key) != NULL)
			continue;
		auto_free char *path = pl_asprintf("%s/%s", settings->folder, result);
		if (run_stop_signal(&sweep->stop) != 0 || sweep->outcome->unreachable) {
			sweep->outcome->not_sent++;
		} else if (settings->send(settings->user, path, &why) == 0) {
			if (sweep_journal_sent(&sweep->journal, key, err) < 0)
				return -1;
		} else {
			bool is_known = why.code == PL_ERR_TIMEOUT;
			pl_log(is_known ? PL_LOG_DEBUG : PL_LOG_WARNING,
			       "'%s' was not uploaded: %s", path, why.text);
			sweep->outcome->unreachable = is_known || why.code == PL_ERR_NETWORK;
			sweep->outcome->not_sent++;
		}
	}
	return 0;
}

static int go(struct sweeping *sweep, struct pl_err *err)
{
	for (size_t i = 0; i < sweep->all.count; i++) {
		const struct sweep_task *task = &sweep->all.items[i];
		if (json_object_get(sweep->journal.rows, task->key) == NULL &&
		    find_result(sweep, task, err) < 0)
			return -1;
	}
	sweep_tasks_make(sweep->plan, sweep->settings, &sweep->left);
	sweep_tasks_leave(&sweep->left, sweep->journal.rows, sweep->settings);
	if (write_summary(sweep, "running", err) < 0)
		return -1;
	send_summary(sweep);
	sweep->send_at_ns = 0; /* the servers that start now are reported at once */
	int done = run_left(sweep, err);
	if (done == 0)
		done = send_rest(sweep, err);
	sweep->outcome->signal = run_stop_signal(&sweep->stop);
	run_signals_release();
	count(sweep);
	struct pl_err ignored = PL_ERR_INIT;
	bool is_ended = done == 0 && sweep->outcome->signal == 0;
	int written = write_summary(sweep, is_ended ? "ended" : "interrupted",
				    done < 0 ? &ignored : err);
	send_summary(sweep);
	return done < 0 || written < 0 ? -1 : 0;
}

int sweep_run(const struct sweep_plan *plan, const struct sweep_settings *settings,
	      struct sweep_outcome *ret, struct pl_err *err)
{
	struct sweeping sweep = { .plan = plan, .settings = settings, .outcome = ret };

	*ret = (struct sweep_outcome){ 0 };
	int done = make_folders(settings->folder, err);
	if (done == 0)
		done = sweep_journal_open(settings->folder, settings->resume, &sweep.journal, err);
	if (done == 0) {
		sweep_tasks_make(plan, settings, &sweep.all);
		done = go(&sweep, err);
	}
	sweep_journal_done(&sweep.journal);
	sweep_tasks_done(&sweep.all);
	sweep_tasks_done(&sweep.left);
	sweep_batches_done(&sweep.units);
	if (sweep.live != NULL)
		munmap(sweep.live, sweep.slots.count * sizeof(*sweep.live));
	sweep_slots_done(&sweep.slots);
	free(sweep.at);
	return done;
}
