#include "run/watch/watch_priv.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "experiment/kinds.h"
#include "host/log/server_log.h"
#include "host/proc/process.h"
#include "result/record.h"
#include "run/context.h"
#include "run/launch.h"
#include "run/live.h"
#include "run/progress.h"
#include "run/steps/server.h"
#include "run/stop.h"

#define TICK_NS        (100 * PL_NS_PER_MS)
#define SNAPSHOT_NS    PL_NS_PER_S
#define LINE_NS        (10 * PL_NS_PER_S)
#define COLUMNS        79
#define VIEW_COLUMNS   80
#define VIEW_ROWS      24 /* of a terminal of unknown size */
#define VIEW_BYTES_MAX (1u << 18)
/* Shorter steps are not listed. */
#define SHOWN_S_MIN    0.01
#define KEYS           "qlv"
#define KEYS_MAX       256
#define STAT_BYTES_MAX 4096
#define ANCESTORS_MAX  32

/* ---- progress on standard error -------------------------------------------------------------- */

/* Nothing is drawn on a stopped terminal (Ctrl-S) or a full pipe: the watch does not wait for a reader. */
static bool is_writable(void)
{
	struct pollfd standard_error = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&standard_error, 1, 0) != 0;
}

/* Reads the parent and the group of a process. Returns false if it cannot. */
static bool read_process(pid_t pid, pid_t *ret_parent, pid_t *ret_group)
{
	auto_free char *path = pl_asprintf("/proc/%d/stat", (int)pid);
	auto_free char *text = pl_file_text(path, STAT_BYTES_MAX, NULL);

	if (text == NULL)
		return false;
	/* the name before may contain anything */
	const char *end = strrchr(text, ')');
	return end != NULL && sscanf(end, ") %*c %d %d", ret_parent, ret_group) == 2;
}

/*
 * Returns whether the foreground group of the terminal waits for this process, as a script does that runs timeout(1),
 * which makes a group of its own. Not so: a shell with job control that started this process in the background, and
 * reads the next command.
 */
static bool waits_for_us(pid_t foreground)
{
	struct termios mode;
	pid_t pid = getpid(), parent, group;

	if (getpgrp() == pid)
		return false;
	/* a shell that edits a line */
	if (tcgetattr(STDERR_FILENO, &mode) == 0 && (mode.c_lflag & ICANON) == 0)
		return false;
	for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		if (!read_process(pid, &parent, &group))
			return false;
		if (group == foreground)
			return true;
		pid = parent;
	}
	return false;
}

/* In the background of a terminal (&), lines that are drawn again would destroy those of the user. */
static void look_at_terminal(struct run_watch *watch)
{
	pid_t foreground = watch->is_terminal ? tcgetpgrp(STDERR_FILENO) : -1;
	bool is_other = foreground > 0 && foreground != getpgrp();

	watch->is_background = is_other && !waits_for_us(foreground);
	watch->has_keys = watch->is_terminal && !is_other && tcgetpgrp(STDIN_FILENO) == getpgrp();
	if (watch->is_background)
		watch->drawn = 0;
}

static bool draws_again(const struct run_watch *watch)
{
	return watch->is_terminal && !watch->is_background && !watch->is_closed;
}

static struct run_progress_view view_of(const struct run_watch *watch, int64_t now_ns)
{
	const struct bench_progress *counters = watch->load.counters;

	return (struct run_progress_view){
		.issued = atomic_load(&counters->issued),
		.completed = atomic_load(&counters->completed),
		.failed = atomic_load(&counters->failed),
		.in_flight = atomic_load(&counters->in_flight),
		.tokens = atomic_load(&counters->tokens),
		.total = watch->load.total,
		.elapsed_s = (double)(now_ns - watch->load_ns) / 1e9,
		.pools = exp_backend_has(watch->run->experiment->bench.backend, EXP_BACKEND_POOLS),
	};
}

/* The last line stays; a shorter one than before erases the rest of it. */
static void draw_line(const struct run_watch *watch, bool is_last)
{
	struct run_progress_view view = view_of(watch, pl_clock_now_ns());
	auto_buf line = PL_BUF(1024);
	auto_buf text = PL_BUF(512);

	if (!is_writable())
		return;
	if (draws_again(watch))
		pl_buf_add_char(&line, '\r');
	run_progress_text(&view, draws_again(watch), &text);
	pl_buf_add_text(&line, pl_buf_text(&text));
	/* erases the rest of a longer line */
	if (draws_again(watch))
		pl_buf_addf(&line, "%*s", (int)(COLUMNS - text.len), "");
	if (!draws_again(watch) || is_last)
		pl_buf_add_char(&line, '\n');
	/* a single write, so that no other thread's line comes in between */
	ssize_t ignored = write(STDERR_FILENO, line.data, line.len);
	(void)ignored;
}

/* Returns whether the locale's characters are UTF-8; the first of these variables that is set counts. */
static bool is_unicode(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;

	for (size_t i = 0; i < PL_ARRAY_SIZE(names) && (value == NULL || *value == '\0'); i++)
		value = getenv(names[i]);
	return value != NULL &&
	       (strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL);
}

/* It may be resized at any time. */
static struct winsize size_of_terminal(void)
{
	struct winsize size = { 0 };

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0)
		size = (struct winsize){ 0 };
	if (size.ws_row == 0)
		size.ws_row = VIEW_ROWS;
	if (size.ws_col == 0 || size.ws_col > VIEW_COLUMNS)
		size.ws_col = VIEW_COLUMNS;
	return size;
}

/*
 * Moves up over the old view and overwrites it, in one write, so that nothing flickers. The terminal is in its normal
 * state after each write: whatever ends the process, nothing has to be restored.
 */
static void put_view(struct run_watch *watch, const struct pl_buf *text)
{
	auto_buf out = PL_BUF(VIEW_BYTES_MAX);

	if (!is_writable())
		return;
	/* another line is below the old view: both stay */
	if (watch->logged != pl_log_count())
		watch->drawn = 0;
	watch->logged = pl_log_count();
	if (watch->drawn > 0)
		pl_buf_addf(&out, "\033[%zuA", watch->drawn);
	pl_buf_add_text(&out, "\r");
	watch->drawn = 0;
	/* the old line is erased before the new one: after a full one, the cursor is still on its last character */
	for (size_t i = 0; i < text->len; i++) {
		if (i == 0 || text->data[i - 1] == '\n')
			pl_buf_add_text(&out, "\033[K");
		pl_buf_add_char(&out, text->data[i]);
		watch->drawn += text->data[i] == '\n';
	}
	pl_buf_add_text(&out, "\033[J");
	ssize_t ignored = write(STDERR_FILENO, out.data, out.len);
	(void)ignored;
}

/* is_new: of the snapshot; else it is drawn again. */
static void draw_view(struct run_watch *watch, const json_t *snapshot, bool is_new)
{
	struct winsize size = size_of_terminal();
	auto_buf text = PL_BUF(VIEW_BYTES_MAX);
	auto_free char *page = NULL;

	if (watch->sink != NULL && watch->sink->page != NULL)
		page = pl_asprintf("%s/live/%s", watch->sink->page, watch->run->run_id);
	const struct run_view view = {
		.columns = size.ws_col,
		.rows = size.ws_row,
		.color = pl_log_has_color(STDERR_FILENO),
		.is_unicode = is_unicode(),
		.page = page,
		.has_keys = watch->has_keys,
		.shows_log = watch->shows_log,
		.shows_all = watch->shows_all,
	};
	if (is_new)
		run_view_add(&watch->history, snapshot);
	run_view_text(&view, &watch->history, snapshot, &text);
	put_view(watch, &text);
}

/* Replaces the view by the last line. */
static void draw_last(struct run_watch *watch)
{
	const struct pl_buf none = { 0 };

	if (watch->drawn > 0)
		put_view(watch, &none);
	draw_line(watch, true);
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* A stage that comes again, before and after the server's start, adds to its step. */
static void add_step(struct run_watch *watch, const char *name, double seconds)
{
	for (size_t i = 0; i < watch->step_count; i++) {
		if (strcmp(watch->steps[i].name, name) == 0) {
			watch->steps[i].seconds += seconds;
			return;
		}
	}
	if (watch->step_count == RUN_WATCH_STEPS_MAX || seconds < SHOWN_S_MIN)
		return;
	snprintf(watch->steps[watch->step_count].name, sizeof(watch->steps[0].name), "%s", name);
	watch->steps[watch->step_count++].seconds = seconds;
}

/* Ends the current phase under this name. */
static void end_phase(struct run_watch *watch, const char *name)
{
	int64_t now_ns = pl_clock_now_ns();

	add_step(watch, name, (double)(now_ns - watch->phase_ns) / 1e9);
	watch->phase_ns = now_ns;
}

/* Hands a new phase to the sink. Call it with the lock. */
static void report_phase(struct run_watch *watch)
{
	const char *phase = run_watch_phase(watch);

	if (watch->sink == NULL || watch->sink->enter == NULL || phase == watch->phase)
		return;
	watch->phase = phase;
	watch->sink->enter(watch->sink->data, phase);
}

static void look_at_load(struct run_watch *watch)
{
	const struct run_watch_load *load = &watch->load;

	if (!watch->is_draining && atomic_load(&load->counters->issued) >= load->total) {
		end_phase(watch, "measuring");
		watch->is_draining = true;
	}

	if (load->process != NULL && host_process_has_ended(load->process))
		run_stop_server_died(watch->run->stop);
	if (watch->run->live != NULL)
		run_live_set_requests(watch->run->live,
				      atomic_load(&load->counters->completed) +
					      atomic_load(&load->counters->failed),
				      load->total);
}

static bool draws_view(const struct run_watch *watch)
{
	return watch->redraws && draws_again(watch) && watch->is_loading && !watch->load.quiet;
}

/* Reads a line that the user typed, without waiting. Returns 0 if there is none. */
static ssize_t read_typed(const struct run_watch *watch, char line[KEYS_MAX])
{
	struct pollfd standard_input = { .fd = STDIN_FILENO, .events = POLLIN };

	if (!watch->has_keys || poll(&standard_input, 1, 0) <= 0 ||
	    (standard_input.revents & POLLIN) == 0)
		return 0;
	return read(STDIN_FILENO, line, KEYS_MAX);
}

/* Drops what was typed before the view: its echo is above, and not the answer to anything. */
static void drop_typed(const struct run_watch *watch)
{
	char line[KEYS_MAX];

	while (read_typed(watch, line) > 0)
		;
}

static void make_snapshot(struct run_watch *watch, int64_t now_ns)
{
	auto_json json_t *snapshot = NULL;

	pthread_mutex_lock(&watch->lock);
	if (watch->sink != NULL || draws_view(watch)) {
		run_watch_read_feed(watch);
		snapshot = run_watch_snapshot(watch, now_ns);
	}
	if (draws_view(watch)) {
		if (watch->drawn == 0)
			drop_typed(watch);
		draw_view(watch, snapshot, true);
		json_decref(watch->shown);
		watch->shown = json_incref(snapshot);
	}
	pthread_mutex_unlock(&watch->lock);
	if (watch->sink != NULL)
		watch->sink->take(watch->sink->data, snapshot);
}

/* Takes one line. Words with other letters were meant for the shell. */
static void take_line(struct run_watch *watch, const char *line, size_t len)
{
	size_t rows = size_of_terminal().ws_row;
	bool ends = len > 0 && line[len - 1] == '\n';

	/* at the end of the screen, the view has scrolled instead */
	watch->drawn += ends && watch->drawn + 1 < rows;
	for (size_t i = 0; i < len - ends; i++) {
		if (strchr(KEYS " ", line[i]) == NULL)
			return;
	}
	for (size_t i = 0; i < len; i++) {
		watch->shows_log ^= line[i] == 'l';
		watch->shows_all ^= line[i] == 'v';
		watch->is_closed |= line[i] == 'q';
	}
}

/*
 * Takes what the user typed. The terminal stays in its line mode, in which nothing has to be restored, so a key needs
 * Enter; its echo has moved the cursor down.
 */
static void take_keys(struct run_watch *watch)
{
	char line[KEYS_MAX];
	ssize_t got;
	bool has_any = false;

	if (!draws_view(watch) || watch->drawn == 0)
		return;
	while ((got = read_typed(watch, line)) > 0) {
		take_line(watch, line, (size_t)got);
		has_any = true;
	}
	if (!has_any || watch->shown == NULL)
		return;
	const struct pl_buf none = { 0 };
	if (watch->is_closed)
		put_view(watch, &none);
	else
		draw_view(watch, watch->shown, false);
}

static void *watch_main(void *data)
{
	struct run_watch *watch = data;
	int64_t due_ns = pl_clock_now_ns();
	int64_t snapshot_ns = due_ns, drawn_ns = due_ns;

	while (pl_pause_until(&watch->pause, due_ns += TICK_NS)) {
		int64_t now_ns = pl_clock_now_ns();
		/* after a pause of the process (Ctrl-Z), it does not catch up */
		if (now_ns - due_ns > SNAPSHOT_NS)
			due_ns = now_ns;
		pthread_mutex_lock(&watch->lock);
		look_at_terminal(watch);
		take_keys(watch);
		if (!watch->is_loading)
			drawn_ns = due_ns;
		else
			look_at_load(watch);
		report_phase(watch);
		if (watch->is_loading && !watch->load.quiet && !draws_view(watch) &&
		    (draws_again(watch) || due_ns - drawn_ns >= LINE_NS)) {
			drawn_ns = due_ns;
			draw_line(watch, false);
		}
		pthread_mutex_unlock(&watch->lock);
		if (due_ns < snapshot_ns)
			continue;
		snapshot_ns = due_ns + SNAPSHOT_NS;
		make_snapshot(watch, now_ns);
	}
	make_snapshot(watch, pl_clock_now_ns());
	return NULL;
}

/* ---- from the run's own thread --------------------------------------------------------------- */

int run_watch_start(const struct run_context *run, const struct run_launch *launch,
		    struct host_telemetry *telemetry, const struct run_sink *sink,
		    struct run_watch **ret, struct pl_err *err)
{
	struct run_watch *watch = pl_alloc(sizeof(*watch));

	watch->run = run;
	watch->launch = launch;
	watch->telemetry = telemetry;
	watch->sink = sink;
	watch->is_terminal = isatty(STDERR_FILENO);
	watch->redraws = pl_log_redraws(STDERR_FILENO);
	watch->stage = RES_STAGE_PREPARE;
	watch->phase_ns = run->started_ns;
	pl_pause_init(&watch->pause);
	pthread_mutex_init(&watch->lock, NULL);
	report_phase(watch);
	if (pl_thread_start(&watch->thread, watch_main, watch, err) == 0) {
		*ret = watch;
		return 0;
	}
	pthread_mutex_destroy(&watch->lock);
	pl_pause_done(&watch->pause);
	free(watch);
	return -1;
}

void run_watch_stop(struct run_watch *watch)
{
	if (watch == NULL)
		return;
	pl_pause_end(&watch->pause);
	pthread_join(watch->thread, NULL);
	pthread_mutex_destroy(&watch->lock);
	pl_pause_done(&watch->pause);
	run_tail_done(&watch->tail);
	json_decref(watch->shown);
	free(watch->model);
	free(watch->version);
	free(watch);
}

void run_watch_stage(struct run_watch *watch, enum res_stage stage)
{
	static const char *const names[] = {
		[RES_STAGE_PREPARE] = "prepare", [RES_STAGE_LAUNCH] = "start",
		[RES_STAGE_WARMUP] = "warm up",  [RES_STAGE_MEASURE] = "measuring",
		[RES_STAGE_STOP] = "stop",
	};

	if (watch == NULL)
		return;
	pthread_mutex_lock(&watch->lock);
	if (stage != watch->stage) {
		/* the steps of a server's start are more exact than its stage */
		if (watch->stage == RES_STAGE_LAUNCH && watch->launch_steps > 0)
			watch->phase_ns = pl_clock_now_ns();
		else if (watch->stage != RES_STAGE_MEASURE || !watch->has_loaded)
			end_phase(watch, names[watch->stage]);
		watch->stage = stage;
		watch->step[0] = '\0';
	}
	report_phase(watch);
	pthread_mutex_unlock(&watch->lock);
}

/* The moments of a start, in order, and the names of the steps that end with them. */
static const struct {
	enum host_log_phase phase;
	const char *name;
	const char *doing;
} server_steps[] = {
	{ HOST_LOG_ENGINE_INIT, "start server", "starting the server" },
	{ HOST_LOG_WEIGHTS_BEGIN, "start engine", "starting the engine" },
	{ HOST_LOG_WEIGHTS_END, "load weights", "loading weights" },
	{ HOST_LOG_COMPILED, "compile", "compiling" },
	{ HOST_LOG_KV_CACHE, "make KV cache", "making the KV cache" },
	{ HOST_LOG_GRAPHS, "capture graphs", "capturing graphs" },
	{ HOST_LOG_ENGINE_READY, "ready engine", "waiting for the engine" },
	{ HOST_LOG_LISTENING, "listen", "waiting for the server" },
};

/* Adds the finished steps of a start that are not known yet. */
static void follow_start(struct run_watch *watch, const struct run_server *server)
{
	const char *doing = server_steps[0].doing;
	int64_t from_ns = server->spawned_ns;

	for (size_t i = 0; i < PL_ARRAY_SIZE(server_steps); i++) {
		int64_t at_ns = host_server_log_phase_ns(server->log, server_steps[i].phase);
		if (at_ns == INT64_MIN)
			continue;
		if (at_ns < from_ns)
			at_ns = from_ns;
		if (i >= watch->launch_steps) {
			add_step(watch, server_steps[i].name, (double)(at_ns - from_ns) / 1e9);
			watch->launch_steps = i + 1;
		}
		from_ns = at_ns;
		if (i + 1 < PL_ARRAY_SIZE(server_steps))
			doing = server_steps[i + 1].doing;
	}
	if (watch->stage == RES_STAGE_LAUNCH)
		snprintf(watch->step, sizeof(watch->step), "%s", doing);
}

void run_watch_server(struct run_watch *watch, const struct run_server *server)
{
	if (watch == NULL || server->log == NULL || server->spawned_ns == RES_NO_TIME)
		return;
	pthread_mutex_lock(&watch->lock);
	if (watch->tail.path == NULL)
		run_tail_open(&watch->tail, server->log_path);
	follow_start(watch, server);
	pthread_mutex_unlock(&watch->lock);
}

void run_watch_identity(struct run_watch *watch, const char *model, const char *version)
{
	if (watch == NULL)
		return;
	pthread_mutex_lock(&watch->lock);
	free(watch->model);
	free(watch->version);
	watch->model = pl_strdup(model);
	watch->version = pl_strdup(version);
	pthread_mutex_unlock(&watch->lock);
}

void run_watch_begin(struct run_watch *watch, const struct run_watch_load *load)
{
	if (watch == NULL)
		return;
	pthread_mutex_lock(&watch->lock);
	watch->load = *load;
	watch->load_ns = pl_clock_now_ns();
	watch->is_loading = true;
	pthread_mutex_unlock(&watch->lock);
}

void run_watch_end(struct run_watch *watch)
{
	if (watch == NULL)
		return;
	pthread_mutex_lock(&watch->lock);
	run_watch_read_feed(watch);
	look_at_terminal(watch);
	if (!watch->load.quiet)
		draw_last(watch);
	const struct bench_progress *counters = watch->load.counters;
	atomic_store(&watch->last.issued, atomic_load(&counters->issued));
	atomic_store(&watch->last.completed, atomic_load(&counters->completed));
	atomic_store(&watch->last.failed, atomic_load(&counters->failed));
	atomic_store(&watch->last.in_flight, atomic_load(&counters->in_flight));
	atomic_store(&watch->last.tokens, atomic_load(&counters->tokens));
	watch->load_end_ns = pl_clock_now_ns();
	end_phase(watch, watch->is_draining ? "draining" : "measuring");
	watch->is_loading = false;
	watch->has_loaded = true;
	report_phase(watch);
	pthread_mutex_unlock(&watch->lock);
}

void run_watch_profiling(struct run_watch *watch, const char *step)
{
	if (watch == NULL)
		return;
	pthread_mutex_lock(&watch->lock);
	/* what follows the load belongs to its last phase */
	if (step == NULL || !watch->is_profiling)
		end_phase(watch, step == NULL         ? "profiling"
				 : watch->is_draining ? "draining"
						      : "measuring");
	watch->is_profiling = step != NULL;
	report_phase(watch);
	snprintf(watch->step, sizeof(watch->step), "%s", step != NULL ? step : "");
	pthread_mutex_unlock(&watch->lock);
}
