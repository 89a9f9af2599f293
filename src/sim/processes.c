#include "sim/processes.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define STOP_WAIT_MS 2000

struct worker {
	pid_t pid;
	int socket; /* our end */
};

struct sim_processes {
	size_t count;
	struct worker *workers;
};

/*
 * The end of the parent closes the socket, which must not end the worker: it simulates workers that survive the death
 * of their server.
 */
static _Noreturn void work(size_t number, int socket_fd)
{
	char name[16], word = 'u';
	sigset_t none;

	snprintf(name, sizeof(name), "profllm-sim-w%zu", number);
	prctl(PR_SET_NAME, name);
	sigemptyset(&none);
	/*
	 * fork() inherits the parent's settings, including blocked signals, which would make these workers unlike
	 * others.
	 */
	for (int signal_number = 1; signal_number < NSIG; signal_number++)
		signal(signal_number, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	/*
	 * Simulates the worst case of vLLM's engine core: in a session of its own, where a signal to the group does not
	 * reach it, and ignoring SIGTERM while it computes.
	 */
	if (number == 1) {
		setsid();
		signal(SIGTERM, SIG_IGN);
	}
	/* the parent waits for this word, so that a request to end comes after it */
	bool known = write(socket_fd, &word, 1) == 1;
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (known) {
		while (read(socket_fd, &word, 1) < 0 && errno == EINTR) {}
		if (word == 'q')
			_exit(0);
	}
	for (;;)
		pause();
}

static int start_one(struct sim_processes *processes, struct pl_err *err)
{
	size_t number = processes->count + 1;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return pl_err_errno(err, "could not start worker %zu", number);
	pid_t pid = fork();
	if (pid == 0) {
		close(pair[0]);
		for (size_t i = 0; i < processes->count; i++)
			close(processes->workers[i].socket);
		work(number, pair[1]);
	}
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return pl_err_errno(err, "could not start worker %zu", number);
	}
	processes->workers[processes->count++] = (struct worker){ pid, pair[0] };
	return 0;
}

int sim_processes_start(int64_t count, struct sim_processes **ret, struct pl_err *err)
{
	char word;

	*ret = NULL;
	if (count == 0)
		return 0;
	struct sim_processes *processes = pl_alloc(sizeof(*processes));
	processes->workers = pl_alloc_array((size_t)count, sizeof(*processes->workers));
	for (int64_t i = 0; i < count; i++) {
		if (start_one(processes, err) < 0) {
			sim_processes_stop(processes);
			return -1;
		}
	}
	/* one that was killed meanwhile has closed its end, so there is no wait */
	for (size_t i = 0; i < processes->count; i++)
		while (read(processes->workers[i].socket, &word, 1) < 0 && errno == EINTR) {}
	*ret = processes;
	return 0;
}

/* Those that end in time need not be killed. */
static void wait_for(pid_t pid, int *left_ms)
{
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		/* One deadline for all. */
		if (*left_ms > 0) {
			poll(NULL, 0, 1);
			*left_ms -= 1;
		} else {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			return;
		}
	}
}

void sim_processes_stop(struct sim_processes *processes)
{
	int left_ms = STOP_WAIT_MS;

	if (processes == NULL)
		return;
	for (size_t i = 0; i < processes->count; i++)
		(void)!send(processes->workers[i].socket, "q", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	for (size_t i = 0; i < processes->count; i++) {
		wait_for(processes->workers[i].pid, &left_ms);
		close(processes->workers[i].socket);
	}
	free(processes->workers);
	free(processes);
}
