#include "cli/demo/supervise.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

#define LEFT_POLL_NS      (50 * PL_NS_PER_MS)
#define LEFT_WAIT_NS      (30 * PL_NS_PER_S)
#define SHELL_SIGNAL_BASE 128

static bool is_ignored(int number)
{
	struct sigaction action;

	return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void cli_supervise_signals(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGTERM);
	/* as nohup and the background jobs of a shell want */
	if (!is_ignored(SIGINT))
		sigaddset(ret, SIGINT);
	if (!is_ignored(SIGHUP))
		sigaddset(ret, SIGHUP);
	sigaddset(ret, SIGCHLD);
}

static _Noreturn void be_work(int (*work)(void *data), void *data, pid_t parent)
{
	/* ^C reaches only the supervisor, which passes it on once */
	setsid();
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* the parent may have died before the line above */
	if (getppid() != parent)
		raise(SIGTERM);
	exit(work(data));
}

/* Waits for the child and passes signals on meanwhile. Returns its status as waitpid() does. */
static int await(pid_t child, const sigset_t *signals)
{
	int status = 0;

	while (waitpid(child, &status, WNOHANG) == 0) {
		int number = sigwaitinfo(signals, NULL);
		if (number > 0 && number != SIGCHLD)
			kill(child, number);
	}
	return status;
}

/*
 * Waits for all processes that the killed work has left: this process is their parent now. It polls, because an
 * adopted process may end without a SIGCHLD.
 */
static void await_left(const sigset_t *signals)
{
	const struct timespec wait = pl_clock_timespec(LEFT_POLL_NS);
	int64_t due_ns = pl_clock_now_ns() + LEFT_WAIT_NS;

	while (waitpid(-1, NULL, WNOHANG) >= 0 && pl_clock_now_ns() < due_ns)
		sigtimedwait(signals, NULL, &wait);
}

int cli_supervise(int (*work)(void *data), void *data, const char *folder, int *ret_status,
		  struct pl_err *err)
{
	sigset_t signals, before;
	pid_t self = getpid();

	/* a parent that ignores it, as some service managers do, would make waitpid() lose each status */
	signal(SIGCHLD, SIG_DFL);
	cli_supervise_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, &before);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* the child must not print it again */
	fflush(NULL);
	pid_t child = fork();
	if (child == 0)
		be_work(work, data, self);
	if (child < 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return pl_err_errno(err, "could not start a process");
	}
	int status = await(child, &signals);
	if (WIFSIGNALED(status)) {
		await_left(&signals);
		if (folder != NULL)
			pl_file_remove_tree(folder);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	*ret_status = WIFSIGNALED(status) ? SHELL_SIGNAL_BASE + WTERMSIG(status)
					  : WEXITSTATUS(status);
	return 0;
}
