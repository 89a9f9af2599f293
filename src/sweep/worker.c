#include "sweep/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "run/run.h"
#include "run/shared_server.h"
#include "run/signals.h"
#include "sweep/sections.h"
#include "sweep/summary.h"

#define MESSAGE_BYTES_MAX    (16u << 20)
#define OWNER_TEXT_BYTES_MAX (1u << 20)
#define READ_BYTES           65536

/* vLLM only accepts requests to empty its caches with this variable. */
#define DEV_MODE "VLLM_SERVER_DEV_MODE"

/* ---- in the worker ---- */

struct working {
	const struct sweep_work *work;
	int socket;
	struct run_stop stop;
	struct run_slot slot;
	struct run_shared_server shared_server;
};

/* Adds tags by which the result is found, also in a dashboard. */
static void mark_experiment(const struct sweep_work *work, const struct sweep_task *task,
			    struct exp_config *experiment)
{
	const struct sweep_cell *cell = &work->plan->cells[task->cell];
	auto_free char *name = sweep_name(work->plan->sweep);

	json_object_set_new(experiment->tags, "sweep", json_string(work->sweep_id));
	json_object_set_new(experiment->tags, "sweep_cell", json_string(cell->id));
	json_object_set_new(experiment->tags, "sweep_point", json_string(cell->cell->label));
	json_object_set_new(experiment->tags, "sweep_name", json_string(name));
	json_object_set_new(experiment->tags, "sweep_repeat",
			    json_sprintf("%lld", (long long)task->repeat));
	if (cell->cell->set != NULL)
		json_object_set_new(experiment->tags, "sweep_set", json_string(cell->cell->set));
	if (experiment->launch.url == NULL &&
	    json_object_get(experiment->launch.env, DEV_MODE) == NULL)
		json_object_set_new(experiment->launch.env, DEV_MODE, json_string("1"));
}

static int open_server(struct working *working, const struct exp_config *experiment,
		       struct pl_err *err)
{
	working->shared_server = (struct run_shared_server){ .log_path = working->work->log_path };
	if (run_slot_open(experiment, &working->stop, &working->slot, err) < 0)
		return -1;
	working->slot.shared_server = &working->shared_server;
	working->slot.live = working->work->live;
	return 0;
}

/* A failure that only affects one run is a row; one that would affect all runs ends the sweep. */
static bool ends_all(const struct pl_err *err)
{
	return err->code == PL_ERR_BUSY || err->code == PL_ERR_INTERRUPTED ||
	       err->code == PL_ERR_IO || err->code == PL_ERR_FULL;
}

/* Returns the number of a run among all of the sweep, from 1. */
static size_t number_of(const struct sweep_work *work, const struct sweep_task *task)
{
	size_t i = 0;

	while (i < work->all->count && strcmp(work->all->items[i].key, task->key) != 0)
		i++;
	return i + 1;
}

/* Runs it, and shows it meanwhile. */
static int run_shown(struct working *working, const struct sweep_task *task,
		     const struct exp_config *experiment, struct run_settings *how,
		     json_t **ret_result, struct pl_err *err)
{
	const struct sweep_work *work = working->work;
	const struct sweep_settings *settings = work->settings;
	auto_free char *name = sweep_name(work->plan->sweep);
	const struct run_point point = {
		.number = number_of(work, task),
		.count = work->all->count,
		.sweep_id = work->sweep_id,
		.sweep_name = name,
		.combination = work->plan->cells[task->cell].cell->label,
	};

	if (settings->begin_live != NULL)
		how->sink = settings->begin_live(settings->user, &point);
	int done = run_experiment(experiment, how, &working->slot, ret_result, err);
	if (settings->end_live != NULL)
		settings->end_live(settings->user, *ret_result);
	return done;
}

static int run_task(struct working *working, size_t i, const struct exp_config *experiment,
		    json_t **ret_row, struct pl_err *err)
{
	const struct sweep_work *work = working->work;
	const struct sweep_task *task = &work->tasks[i];
	auto_free char *path = pl_asprintf("%s/cells/%s.json", work->settings->folder, task->key);
	auto_json json_t *result = NULL;
	auto_free char *written = NULL;
	int64_t started_ns = pl_clock_now_ns();
	/* a single pair of clock readings: time between two of them would be counted twice */
	int64_t began_ns = started_ns + pl_clock_offset_ns();
	bool starts = !run_shared_server_is_up(&working->shared_server, &working->slot);
	/* an existing file belongs to an unfinished run, or to one that is retried */
	struct run_settings how = {
		.output = path,
		.written = &written,
		.quiet = true,
		.overwrite = true,
		.wait_ns = work->settings->wait_ns,
	};

	if (!starts)
		run_slot_next(&working->slot);
	else if (open_server(working, experiment, err) < 0)
		return -1;
	working->shared_server.goes_on = i + 1 < work->count;
	int done = run_shown(working, task, experiment, &how, &result, err);
	if (done < 0 && ends_all(err))
		return -1;
	json_t *row = sweep_row(working->work->plan, task, result);
	if (result == NULL) {
		json_object_set_new(row, "status", json_string("failed"));
		json_object_set_new(row, "message", pl_json_text(err->text));
	}
	/* a name next to a better existing result */
	auto_free char *name = written != NULL ? pl_file_name(written) : NULL;
	if (name != NULL)
		json_object_set_new(row, "result", json_sprintf("cells/%s", name));
	if (working->shared_server.caches_stay)
		json_object_set_new(row, "caches_stay", json_true());
	json_object_set_new(row, "began_s", json_real((double)began_ns / 1e9));
	json_object_set_new(row, "wall_s",
			    json_real((double)(pl_clock_now_ns() - started_ns) / 1e9));
	if (starts)
		json_object_set_new(row, "ready_s",
				    pl_json_or_null(json_incref(
					    pl_json_get_path(result, "launch.phases.ready_s"))));
	*ret_row = row;
	return 0;
}

/* Returns false if the sweep has closed the socket. */
static bool report(const struct working *working, json_t *message)
{
	auto_json json_t *owned = message;
	auto_buf text = PL_BUF(MESSAGE_BYTES_MAX);

	pl_json_write(message, PL_JSON_COMPACT, &text);
	pl_buf_add_char(&text, '\n');
	return pl_fd_write(working->socket, text.data, text.len) == 0;
}

static void send_result(const struct working *working, const struct sweep_task *task,
			const char *result)
{
	const struct sweep_settings *settings = working->work->settings;
	struct pl_err err = PL_ERR_INIT;

	if (result == NULL)
		return;
	auto_free char *path = pl_asprintf("%s/%s", settings->folder, result);
	if (settings->export_result != NULL)
		settings->export_result(settings->user, path);
	if (settings->send == NULL)
		return;
	if (settings->send(settings->user, path, &err) == 0)
		report(working, json_pack("{s:s}", "sent", task->key));
	else
		pl_log(err.code == PL_ERR_TIMEOUT ? PL_LOG_DEBUG : PL_LOG_WARNING,
		       "'%s' was not uploaded: %s", path, err.text);
}

/* Returns false if this worker must end. */
static bool run_one(struct working *working, size_t i)
{
	const struct sweep_work *work = working->work;
	size_t cell = work->tasks[i].cell;
	auto_experiment struct exp_config *experiment = sweep_experiment(work->plan, cell,
									 work->settings->simulate);
	auto_free char *url = exp_server_url(experiment);
	struct pl_err err = PL_ERR_INIT;
	json_t *row = NULL;

	mark_experiment(work, &work->tasks[i], experiment);
	if (run_task(working, i, experiment, &row, &err) < 0) {
		report(working, json_pack("{s:s, s:i}", "error", err.text, "code", (int)err.code));
		return false;
	}
	auto_json json_t *retained = json_incref(row);
	char answer;
	ssize_t got;
	if (!report(working, json_pack("{s:o}", "row", row)))
		return false;
	do
		got = read(working->socket, &answer, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1)
		return false;
	send_result(working, &work->tasks[i], pl_json_get_text(retained, "result"));
	return run_stop_signal(&working->stop) == 0 &&
	       (url != NULL || run_shared_server_is_up(&working->shared_server, &working->slot));
}

/* The memory of the sweep is a copy here; its cleanup must not run. */
static _Noreturn void worker_main(const struct sweep_work *work, int socket, int log_fd,
				  pid_t sweep)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL);
	if (getppid() != sweep || dup2(log_fd, STDERR_FILENO) < 0)
		_exit(1);
	close(log_fd);
	if (work->live->bound)
		sched_setaffinity(0, sizeof(work->live->cpus), &work->live->cpus);
	struct working working = { .work = work, .socket = socket };
	sigset_t none;
	sigemptyset(&none);
	run_signals_take(&working.stop, 1);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (size_t i = 0; i < work->count; i++) {
		if (!run_one(&working, i))
			break;
	}
	run_shared_server_end(&working.shared_server, &working.slot);
	_exit(0);
}

/* ---- in the sweep ---- */

int sweep_worker_start(const struct sweep_work *work, const int *close_fds, size_t close_count,
		       struct sweep_worker *ret, struct pl_err *err)
{
	int pair[2], log[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return pl_err_errno(err, "could not create a socket pair");
	if (pipe2(log, O_CLOEXEC) < 0) {
		pl_err_errno(err, "could not create a pipe");
		close(pair[0]);
		close(pair[1]);
		return -1;
	}
	pid_t sweep = getpid();
	pid_t pid = fork();
	if (pid == 0) {
		for (size_t i = 0; i < close_count; i++)
			close(close_fds[i]);
		close(pair[0]);
		close(log[0]);
		worker_main(work, pair[1], log[1], sweep);
	}
	close(pair[1]);
	close(log[1]);
	if (pid < 0) {
		pl_err_errno(err, "could not start a process for a server");
		close(pair[0]);
		close(log[0]);
		return -1;
	}
	setpgid(pid, pid);
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	fcntl(log[0], F_SETFL, O_NONBLOCK);
	*ret = (struct sweep_worker){ .pid = pid, .socket = pair[0], .log_fd = log[0] };
	pl_buf_init(&ret->messages, MESSAGE_BYTES_MAX);
	pl_buf_init(&ret->log, OWNER_TEXT_BYTES_MAX);
	return 0;
}

/* Returns false at the end of the stream. */
static bool read_some(int fd, struct pl_buf *buf)
{
	for (;;) {
		char *room = pl_buf_reserve(buf, READ_BYTES);
		if (room == NULL)
			return false;
		ssize_t got = read(fd, room, READ_BYTES);
		if (got > 0)
			buf->len += (size_t)got;
		else if (got == 0 || (errno != EINTR && errno != EAGAIN))
			return false;
		else if (errno == EAGAIN)
			return true;
	}
}

int sweep_worker_receive(struct sweep_worker *worker, json_t **ret)
{
	bool more = read_some(worker->socket, &worker->messages);
	char *end = worker->messages.len > 0
			    ? memchr(worker->messages.data, '\n', worker->messages.len)
			    : NULL;

	if (end == NULL)
		return more ? 0 : -1;
	size_t len = (size_t)(end - worker->messages.data);
	int done = pl_json_parse(worker->messages.data, len, "a worker", ret, PL_ERR_IGNORED);
	pl_buf_consume(&worker->messages, len + 1);
	return done < 0 ? -1 : 1;
}

void sweep_worker_show(struct sweep_worker *worker,
		       void (*show)(void *user, const char *text, size_t len), void *user)
{
	struct pl_buf *log = &worker->log;
	char *end;

	if (worker->log_fd >= 0 && !read_some(worker->log_fd, log)) {
		if (log->len > 0 && log->data[log->len - 1] != '\n')
			pl_buf_add_char(log, '\n');
		pl_fd_close(&worker->log_fd);
	}
	while (log->len > 0 && (end = memchr(log->data, '\n', log->len)) != NULL) {
		size_t len = (size_t)(end - log->data) + 1;
		show(user, log->data, len);
		pl_buf_consume(log, len);
	}
}

void sweep_worker_go_on(struct sweep_worker *worker)
{
	ssize_t ignored = send(worker->socket, "\n", 1, MSG_NOSIGNAL);

	(void)ignored;
}

void sweep_worker_signal(const struct sweep_worker *worker, int number)
{
	if (worker->pid > 0)
		kill(worker->pid, number);
}

bool sweep_worker_end(struct sweep_worker *worker, int *ret_signal)
{
	int status = 0;
	pid_t got;

	/* a worker that waits for us notices the closed socket */
	pl_fd_close(&worker->socket);
	pl_fd_close(&worker->log_fd);
	do
		got = waitpid(worker->pid, &status, 0);
	while (got < 0 && errno == EINTR);
	pl_buf_done(&worker->messages);
	pl_buf_done(&worker->log);
	worker->pid = 0;
	*ret_signal = got > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return got > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
