#include "host/gpu/nvidia_smi.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define LIMIT_NS   (5 * PL_NS_PER_S)
#define ARGS_MAX   8
#define READ_BYTES 16384
#define SAID_BYTES 200

extern char **environ;

/* Output into the pipe, nothing to read, errors nowhere; our signal settings are not inherited. */
static int spawn(const char *program, const char *const *args, int output, pid_t *ret)
{
	char *argv[ARGS_MAX + 2] = { (char *)program };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	sigset_t all;

	for (size_t i = 0; args[i] != NULL && i < ARGS_MAX; i++)
		argv[i + 1] = (char *)args[i];
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETPGROUP);
	int code = posix_spawn(ret, program, &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return code;
}

static int wait_readable(const char *program, int fd, int64_t deadline_ns, struct pl_err *err)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int ready;

	do {
		int64_t left_ns = deadline_ns - pl_clock_now_ns();
		ready = left_ns <= 0 ? 0 : poll(&poll_fd, 1, (int)(left_ns / PL_NS_PER_MS) + 1);
	} while (ready < 0 && errno == EINTR);
	if (ready == 0)
		return pl_err_set(err, PL_ERR_TIMEOUT, "'%s' gave no answer in %lld s", program,
				  LIMIT_NS / PL_NS_PER_S);
	return 0;
}

/* Up to the end of the output; -1: late, or more than the buffer takes. */
static int read_all(const char *program, int input, int64_t deadline_ns, struct pl_buf *output,
		    struct pl_err *err)
{
	char chunk[READ_BYTES];

	for (;;) {
		if (wait_readable(program, input, deadline_ns, err) < 0)
			return -1;
		ssize_t len = read(input, chunk, sizeof(chunk));
		if (len == 0)
			return 0;
		if (len < 0 && errno != EINTR && errno != EAGAIN)
			return pl_err_errno(err, "cannot read from '%s'", program);
		if (len > 0 && !pl_buf_add(output, chunk, (size_t)len))
			return pl_err_set(err, PL_ERR_FAILED, "'%s' prints more than %zu bytes",
					  program, output->max);
	}
}

static int check_status(const char *program, int status, const struct pl_buf *output,
			struct pl_err *err)
{
	const char *said = pl_buf_text(output);
	int len = (int)strcspn(said, "\r\n");

	if (WIFSIGNALED(status))
		return pl_err_set(err, PL_ERR_FAILED, "'%s' ended by signal %d", program,
				  WTERMSIG(status));
	if (WEXITSTATUS(status) != 0)
		return pl_err_set(err, PL_ERR_FAILED, "'%s' ended with exit status %d: %.*s",
				  program, WEXITSTATUS(status), len < SAID_BYTES ? len : SAID_BYTES,
				  said);
	return 0;
}

int host_nvidia_smi_run(const char *program, const char *const *args, struct pl_buf *output,
			struct pl_err *err)
{
	int ends[2];
	int64_t deadline_ns = pl_clock_now_ns() + LIMIT_NS;
	pid_t child;
	int status = 0;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return pl_err_errno(err, "cannot make a pipe");
	int auto_fd input = ends[0];
	errno = spawn(program, args, ends[1], &child);
	int spawn_errno = errno;
	close(ends[1]);
	errno = spawn_errno;
	if (spawn_errno != 0)
		return pl_err_errno(err, "cannot run '%s'", program);
	int auto_fd pid_fd = (int)syscall(SYS_pidfd_open, child, 0);
	int result = read_all(program, input, deadline_ns, output, err);
	/* one that closes its output and stays is late too */
	if (result == 0 && pid_fd >= 0)
		result = wait_readable(program, pid_fd, deadline_ns, err);
	/* the group: a wrapper's own child must not outlive it */
	if (result < 0)
		kill(-child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return result < 0 ? -1 : check_status(program, status, output, err);
}
