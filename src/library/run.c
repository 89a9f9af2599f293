/*
 * One run: a process, its stream, and its end.
 *
 *	new ── start ──> running ── dispatch, at the end of the process and of its stream ──> ended
 *
 * The host's thread reads the stream; any thread may cancel. The lock protects the process alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "library/library.h"

#define PIPE_BYTES (1 << 20)
#define BLOCKS_MAX 256 /* of one dispatch, so that a callback's host gets its turn */
/* How long the rest of a run, which has the stream open, may take after the program was killed. */
#define REST_NS (30 * PL_NS_PER_S)
/* How long an end by profllm_run_free() may take before the program is killed. */
#define FREE_NS      (120 * PL_NS_PER_S)
#define PASS_MS      100
#define CANCELED_MAX 2
#define RUN_FLAGS    (unsigned)(PROFLLM_RUN_SIMULATOR | PROFLLM_RUN_OVERWRITE | PROFLLM_RUN_FORCE)

enum run_state { RUN_NEW, RUN_RUNNING, RUN_ENDED };

struct profllm_run {
	char *program;
	profllm_experiment *experiment;
	char *output;
	unsigned flags;
	double wait_s; /* below 0: without limit; 0: not at all */
	struct library_stream stream;

	enum run_state state;
	int events; /* epoll descriptor of the stream and the process; -1: not running */
	int pipe;   /* the stream; -1: at its end */
	bool has_exited;
	int64_t exited_ns;
	int exit_status; /* -1: unknown */

	pthread_mutex_t lock;
	struct library_process process; /* pidfd -1: none */
	int canceled;                   /* how often */
};

int profllm_run_new(const profllm_program *program, const profllm_experiment *experiment,
		    const char *output, profllm_run **ret, struct profllm_error *error)
{
	if (output[0] == '\0' || strlen(output) >= 4096)
		return library_refuse(error, PL_ERR_INVALID, "output: found %s, expected a path",
				      output[0] == '\0' ? "an empty text" : "a text of 4096 bytes");
	profllm_run *run = pl_alloc(sizeof(*run));
	run->program = pl_strdup(program->path);
	run->experiment = library_experiment_copy(experiment);
	run->output = output[0] == '-' ? pl_asprintf("./%s", output) : pl_strdup(output);
	run->events = run->pipe = run->process.pidfd = run->exit_status = -1;
	pthread_mutex_init(&run->lock, NULL);
	*ret = run;
	return PROFLLM_OK;
}

void profllm_run_set_flags(profllm_run *run, unsigned flags)
{
	run->flags = flags;
}

void profllm_run_set_wait(profllm_run *run, double seconds)
{
	run->wait_s = seconds;
}

void profllm_run_on_phase(profllm_run *run, void (*callback)(void *data, const char *phase),
			  void *data)
{
	run->stream.callbacks.phase = callback;
	run->stream.callbacks.phase_data = data;
}

void profllm_run_on_progress(profllm_run *run,
			     void (*callback)(void *data, const struct profllm_progress *progress),
			     void *data)
{
	run->stream.callbacks.progress = callback;
	run->stream.callbacks.progress_data = data;
}

void profllm_run_on_log(profllm_run *run,
			void (*callback)(void *data, const char *source, const char *level,
					 const char *text),
			void *data)
{
	run->stream.callbacks.log = callback;
	run->stream.callbacks.log_data = data;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* The stream names the output as JSON, which cannot contain other bytes. */
static int add_words(const profllm_run *run, struct library_words *words, struct pl_err *err)
{
	const profllm_experiment *experiment = run->experiment;
	const char *path = experiment->path != NULL ? experiment->path : "-";

	if (!pl_text_is_utf8(path) || !pl_text_is_utf8(run->output))
		return pl_err_invalid(err, "found a path that is not UTF-8");
	if ((run->flags & ~RUN_FLAGS) != 0)
		return pl_err_invalid(err, "flags of the run: found %#x, expected flags of %#x",
				      run->flags, RUN_FLAGS);
	library_words_add(words, "run");
	library_words_add(words, "--progress=json");
	library_words_take(words, pl_asprintf("--config=%s", path));
	library_words_take(words, pl_asprintf("--output=%s", run->output));
	for (size_t i = 0; i < experiment->sets.count; i++)
		library_words_take(words, pl_asprintf("--set=%s", experiment->sets.items[i]));
	if (run->flags & PROFLLM_RUN_SIMULATOR)
		library_words_add(words, "--sim");
	if (run->flags & PROFLLM_RUN_OVERWRITE)
		library_words_add(words, "--overwrite");
	if (run->flags & PROFLLM_RUN_FORCE)
		library_words_add(words, "--force");
	if (run->wait_s < 0) {
		library_words_add(words, "--wait");
	} else if (run->wait_s > 0) {
		/* in whole milliseconds, which have no decimal point of the host's locale */
		double ms = run->wait_s < 1e9 ? run->wait_s * 1e3 : 1e12;
		library_words_take(words,
				   pl_asprintf("--wait=%lldms", (long long)(ms < 1 ? 1 : ms)));
	}
	return 0;
}

static int watch(int events, int fd, struct pl_err *err)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return fd < 0 || epoll_ctl(events, EPOLL_CTL_ADD, fd, &event) == 0
		       ? 0
		       : pl_err_errno(err, "could not watch the run");
}

/* Returns the descriptors in `ends`: the first does not wait, both are above those of the standard streams. */
static int open_pipe(int ends[2], struct pl_err *err)
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		return pl_err_errno(err, "could not make a pipe");
	for (int i = 0; i < 2; i++) {
		if (ends[i] > STDERR_FILENO)
			continue;
		int moved = fcntl(ends[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(ends[i]);
		ends[i] = moved;
	}
	if (ends[0] >= 0 && ends[1] >= 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) {
		/* a larger one holds more snapshots; not every user may have it */
		(void)fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES);
		return 0;
	}
	pl_err_errno(err, "could not make a pipe");
	pl_fd_close(&ends[0]);
	pl_fd_close(&ends[1]);
	return -1;
}

/* The working directory of the host may change before the result is read. */
static int make_absolute(profllm_run *run, struct pl_err *err)
{
	char *path = library_absolute(run->output, err);

	if (path == NULL)
		return -1;
	free(run->output);
	run->output = path;
	return 0;
}

static int start_process(profllm_run *run, struct pl_err *err)
{
	auto_words words = { 0 };
	int ends[2];

	if (add_words(run, &words, err) < 0 || open_pipe(ends, err) < 0)
		return -1;
	const struct library_start start = {
		.program = run->program,
		.words = &words,
		.input = run->experiment->text,
		.input_len = run->experiment->len,
		.output = -1,
		.errors = ends[1],
	};
	int done = library_process_start(&start, &run->process, err);
	close(ends[1]);
	if (done < 0)
		close(ends[0]);
	else
		run->pipe = ends[0];
	return done;
}

/* With the lock. If it fails after the start of the process, nothing of it remains. */
static int start(profllm_run *run, struct pl_err *err)
{
	if (run->canceled > 0)
		return pl_err_set(err, PL_ERR_INTERRUPTED, "canceled before the start");
	if (make_absolute(run, err) < 0)
		return -1;
	run->events = epoll_create1(EPOLL_CLOEXEC);
	if (run->events < 0)
		return pl_err_errno(err, "could not watch the run");
	if (start_process(run, err) == 0 && watch(run->events, run->pipe, err) == 0 &&
	    watch(run->events, run->process.pidfd, err) == 0)
		return 0;
	int status;
	library_process_signal(&run->process, SIGKILL);
	(void)library_process_wait(&run->process, -1, &status);
	pl_fd_close(&run->pipe);
	pl_fd_close(&run->events);
	return -1;
}

int profllm_run_start(profllm_run *run, struct profllm_error *error)
{
	struct pl_err err = PL_ERR_INIT;

	if (run->state != RUN_NEW)
		return library_refuse(error, PL_ERR_INVALID, "the run was started before");
	pthread_mutex_lock(&run->lock);
	int done = start(run, &err);
	pthread_mutex_unlock(&run->lock);
	if (done < 0)
		return library_fail(error, &err);
	run->state = RUN_RUNNING;
	return PROFLLM_OK;
}

/* ---- while it runs --------------------------------------------------------------------------- */

static void read_pipe(profllm_run *run)
{
	char block[LIBRARY_BLOCK_BYTES];

	for (int i = 0; i < BLOCKS_MAX && run->pipe >= 0; i++) {
		ssize_t got = read(run->pipe, block, sizeof(block));
		if (got > 0) {
			library_stream_feed(&run->stream, block, (size_t)got);
			continue;
		}
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return;
		library_stream_end(&run->stream);
		pl_fd_close(&run->pipe);
	}
}

static void look_at_process(profllm_run *run)
{
	int status;

	if (run->has_exited)
		return;
	pthread_mutex_lock(&run->lock);
	/* closing the descriptor takes it out of the events */
	run->has_exited = library_process_wait(&run->process, 0, &status);
	pthread_mutex_unlock(&run->lock);
	if (!run->has_exited)
		return;
	run->exited_ns = pl_clock_now_ns();
	run->exit_status = status;
}

/*
 * The stream ends when the program and its guard have ended. If the guard takes longer than the program, which wrote
 * its last line, or longer than any server may, the run ends without it.
 */
static bool is_over(const profllm_run *run)
{
	if (!run->has_exited)
		return false;
	return run->pipe < 0 || run->stream.end != NULL ||
	       pl_clock_now_ns() - run->exited_ns > REST_NS;
}

static void end(profllm_run *run)
{
	json_t *status = json_object_get(run->stream.end, "exit_status");

	/* the host may have reaped the program */
	if (json_is_integer(status) && run->exit_status < 0)
		run->exit_status = (int)json_integer_value(status);
	if (run->exit_status < 0)
		run->exit_status = pl_err_exit_status(PL_ERR_FAILED);
	pl_fd_close(&run->pipe);
	pl_fd_close(&run->events);
	run->state = RUN_ENDED;
}

/* Waits for one event. Returns 1 if there was one, 0 after the time, -1 with errno on failure. */
static int wait_for_event(const profllm_run *run, int64_t due_ns)
{
	struct epoll_event event;

	for (;;) {
		int64_t left_ns = due_ns == INT64_MAX ? -1 : due_ns - pl_clock_now_ns();
		int ms = due_ns == INT64_MAX   ? -1
			 : left_ns <= 0        ? 0
			 : left_ns > INT32_MAX ? INT32_MAX / 1000000
					       : (int)((left_ns + PL_NS_PER_MS - 1) / PL_NS_PER_MS);
		/* then nothing announces the end */
		if (run->has_exited && (ms < 0 || ms > PASS_MS))
			ms = PASS_MS;
		int count = epoll_wait(run->events, &event, 1, ms);
		if (count < 0 && errno != EINTR)
			return -1;
		if (count > 0 || is_over(run))
			return 1;
		if (due_ns != INT64_MAX && pl_clock_now_ns() >= due_ns)
			return 0;
	}
}

int profllm_run_dispatch(profllm_run *run, int timeout_ms, bool *ret_running,
			 struct profllm_error *error)
{
	struct pl_err err = PL_ERR_INIT;

	if (run->state == RUN_NEW)
		return library_refuse(error, PL_ERR_INVALID, "the run was not started");
	if (run->state == RUN_RUNNING) {
		int64_t due_ns = timeout_ms < 0 ? INT64_MAX
						: pl_clock_now_ns() + timeout_ms * PL_NS_PER_MS;
		if (wait_for_event(run, due_ns) < 0) {
			pl_err_errno(&err, "could not wait for the run");
			return library_fail(error, &err);
		}
		look_at_process(run);
		read_pipe(run);
		if (is_over(run))
			end(run);
	}
	*ret_running = run->state == RUN_RUNNING;
	return PROFLLM_OK;
}

int profllm_run_descriptor(const profllm_run *run)
{
	return run->events;
}

int profllm_run_wait(profllm_run *run, struct profllm_error *error)
{
	bool is_running = true;
	int code = PROFLLM_OK;

	while (is_running && code == PROFLLM_OK)
		code = profllm_run_dispatch(run, -1, &is_running, error);
	return code;
}

void profllm_run_cancel(profllm_run *run)
{
	pthread_mutex_lock(&run->lock);
	/* of two equal signals, the second could be lost */
	if (run->canceled < CANCELED_MAX)
		library_process_signal(&run->process, run->canceled == 0 ? SIGINT : SIGTERM);
	run->canceled++;
	pthread_mutex_unlock(&run->lock);
}

/* ---- after its end --------------------------------------------------------------------------- */

int profllm_run_exit_status(const profllm_run *run)
{
	return run->state == RUN_ENDED ? run->exit_status : -1;
}

/* Why there is no result. */
static int report_none(const profllm_run *run, struct profllm_error *error)
{
	const json_t *why = json_object_get(run->stream.end, "error");
	const char *message = pl_json_get_text(why, "message");

	if (message != NULL)
		return library_refuse(error,
				      library_code(pl_json_get_text(why, "code"), PL_ERR_FAILED),
				      "%s", message);
	if (run->stream.end == NULL && run->canceled > 0)
		return library_refuse(error, PL_ERR_INTERRUPTED,
				      "canceled before there was a result");
	if (run->stream.last_error != NULL)
		return library_refuse(error, run->stream.is_known ? PL_ERR_FAILED : PL_ERR_INVALID,
				      "%s", run->stream.last_error);
	return library_refuse(
		error, PL_ERR_FAILED,
		"'%s' ended without a result, with status %d; 'profllm recover' makes "
		"one from its journal, if there is one",
		run->program, run->exit_status);
}

int profllm_run_result(const profllm_run *run, profllm_result **ret, struct profllm_error *error)
{
	const char *path = pl_json_get_text(run->stream.end, "result");

	if (run->state != RUN_ENDED)
		return library_refuse(error, PL_ERR_INVALID, "the run has not ended");
	return path != NULL ? profllm_result_read(path, ret, error) : report_none(run, error);
}

int profllm_run_findings(const profllm_run *run, profllm_findings **ret,
			 struct profllm_error *error)
{
	(void)error;
	auto_json json_t *problems = run->state == RUN_ENDED && run->stream.problems != NULL
					     ? json_incref(run->stream.problems)
					     : library_json(json_array());

	*ret = library_findings_new(library_json(json_pack("{s:O}", "problems", problems)),
				    problems);
	return PROFLLM_OK;
}

/* Without callbacks: their data may be gone. */
static void end_now(profllm_run *run)
{
	int64_t due_ns = pl_clock_now_ns() + FREE_NS;
	bool is_running = true;

	run->stream.callbacks = (struct library_callbacks){ 0 };
	for (int i = 0; i < CANCELED_MAX; i++)
		profllm_run_cancel(run);
	while (is_running && pl_clock_now_ns() < due_ns) {
		if (profllm_run_dispatch(run, PASS_MS, &is_running, NULL) != PROFLLM_OK)
			break;
	}
	if (!is_running)
		return;
	library_process_signal(&run->process, SIGKILL);
	(void)library_process_wait(&run->process, -1, &run->exit_status);
}

void profllm_run_free(profllm_run *run)
{
	if (run == NULL)
		return;
	if (run->state == RUN_RUNNING)
		end_now(run);
	pl_fd_close(&run->pipe);
	pl_fd_close(&run->events);
	pl_fd_close(&run->process.pidfd);
	pthread_mutex_destroy(&run->lock);
	library_stream_done(&run->stream);
	profllm_experiment_free(run->experiment);
	free(run->program);
	free(run->output);
	free(run);
}
