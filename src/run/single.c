/*
 * Runs one experiment in a process without others. Takes signals before the guard starts and releases them after its
 * end, so there is no moment at which Ctrl-C would leave a server running.
 */
#include "run/single.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/thread.h"
#include "run/signals.h"

/* Notices that the program which reads standard error has ended, or has closed it. */
struct reader_watch {
	pthread_t thread;
	int end; /* eventfd; -1: there is no thread */
};

/* Ends the run by SIGTERM; SIGHUP could be ignored, by nohup. */
static void *watch_reader(void *data)
{
	const struct reader_watch *watch = data;
	struct pollfd fds[] = {
		{ .fd = STDERR_FILENO }, /* POLLERR: the pipe has no reader */
		{ .fd = watch->end, .events = POLLIN },
	};

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	if (fds[0].revents != 0)
		kill(getpid(), SIGTERM);
	return NULL;
}

static int start_watch(struct reader_watch *watch, struct pl_err *err)
{
	watch->end = eventfd(0, EFD_CLOEXEC);
	if (watch->end < 0)
		return pl_err_errno(err, "could not watch standard error");
	if (pl_thread_start(&watch->thread, watch_reader, watch, err) == 0)
		return 0;
	pl_fd_close(&watch->end);
	return -1;
}

static void stop_watch(struct reader_watch *watch)
{
	if (watch->end < 0)
		return;
	(void)eventfd_write(watch->end, 1);
	pthread_join(watch->thread, NULL);
	pl_fd_close(&watch->end);
}

/* The guard of the slot is a process without threads, so the watch starts after it. */
static int run_watched(const struct exp_config *experiment, const struct run_settings *settings,
		       struct run_slot *slot, json_t **ret_result, struct pl_err *err)
{
	struct reader_watch watch = { .end = -1 };

	if (settings->ends_with_reader && start_watch(&watch, err) < 0)
		return -1;
	int done = run_experiment(experiment, settings, slot, ret_result, err);
	stop_watch(&watch);
	return done;
}

int run_single(const struct exp_config *experiment, const struct run_settings *settings,
	       json_t **ret_result, int *ret_signal, struct pl_err *err)
{
	struct run_stop stop = { 0 };
	struct run_slot slot;

	*ret_result = NULL;
	run_signals_take(&stop, 1);
	int done = run_slot_open(experiment, &stop, &slot, err);
	if (done == 0) {
		done = run_watched(experiment, settings, &slot, ret_result, err);
		run_slot_close(&slot);
	}
	*ret_signal = run_stop_signal(&stop);
	run_signals_release();
	return done;
}
