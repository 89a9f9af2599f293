#include "host/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

#define STOP_POLL_NS (20 * PL_NS_PER_MS)
#define KILL_WAIT_NS (10 * PL_NS_PER_S)

extern char **environ;

struct host_process {
	pid_t pid;
	int pidfd;
	bool ended;
	int code;   /* CLD_EXITED … */
	int status; /* exit status or signal */
};

static bool env_overrides(const char *entry, const char *const *over)
{
	const char *equals = strchr(entry, '=');
	size_t name_len = equals == NULL ? strlen(entry) : (size_t)(equals - entry);

	for (size_t i = 0; over != NULL && over[i] != NULL; i++) {
		if (strncmp(entry, over[i], name_len) == 0 && over[i][name_len] == '=')
			return true;
	}
	return false;
}

/* Our environment with the child's own on top; the entries are borrowed. */
static const char **build_env(const char *const *over)
{
	size_t count = 0, used = 0;

	for (size_t i = 0; environ[i] != NULL; i++)
		count++;
	for (size_t i = 0; over != NULL && over[i] != NULL; i++)
		count++;
	const char **env = pl_alloc_array(count + 1, sizeof(*env));
	for (size_t i = 0; environ[i] != NULL; i++) {
		if (!env_overrides(environ[i], over))
			env[used++] = environ[i];
	}
	for (size_t i = 0; over != NULL && over[i] != NULL; i++)
		env[used++] = over[i];
	return env;
}

/* Runs in the child: only calls that are safe after a fork. */
static void child_exec(const struct host_process_spec *spec, const char **env, int log_fd,
		       int report_fd, pid_t parent)
{
	sigset_t none;
	int null_fd;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* the parent may have died before the line above */
	if (getppid() != parent)
		_exit(127);
	null_fd = open("/dev/null", O_RDWR);
	if (null_fd >= 0 && dup2(null_fd, STDIN_FILENO) >= 0 &&
	    dup2(log_fd >= 0 ? log_fd : null_fd, STDOUT_FILENO) >= 0 &&
	    dup2(STDOUT_FILENO, STDERR_FILENO) >= 0) {
		if (null_fd > STDERR_FILENO)
			close(null_fd);
		execve(spec->argv[0], (char *const *)spec->argv, (char *const *)env);
	}
	int code = errno;
	ssize_t ignored = write(report_fd, &code, sizeof(code));
	(void)ignored;
	_exit(127);
}

/* 0 when exec worked (the pipe closed without a word), else its errno. */
static int read_exec_error(int fd)
{
	int code = 0;
	ssize_t got;

	do {
		got = read(fd, &code, sizeof(code));
	} while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof(code) ? code : 0;
}

static int open_log(const char *path, int *ret_fd, struct pl_err *err)
{
	*ret_fd = -1;
	if (path == NULL)
		return 0;
	*ret_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	if (*ret_fd < 0)
		return pl_err_errno(err, "cannot write '%s'", path);
	return 0;
}

int host_process_start(const struct host_process_spec *spec, struct host_process **ret,
		       struct pl_err *err)
{
	auto_fd int log_fd = -1;
	auto_fd int report_read = -1;
	auto_fd int report_write = -1;
	auto_free const char **env = build_env(spec->env);
	int pipe_fds[2];

	if (open_log(spec->log_path, &log_fd, err) < 0)
		return -1;
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return pl_err_errno(err, "cannot make a pipe");
	report_read = pipe_fds[0];
	report_write = pipe_fds[1];

	pid_t parent = getpid();
	pid_t pid = fork();
	if (pid < 0)
		return pl_err_errno(err, "cannot start '%s'", spec->argv[0]);
	if (pid == 0)
		child_exec(spec, env, log_fd, report_write, parent);
	close(report_write);
	report_write = -1;
	int code = read_exec_error(report_read);
	if (code != 0) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
		errno = code;
		pl_err_errno(err, "cannot run '%s'", spec->argv[0]);
		err->code = PL_ERR_LAUNCH;
		return -1;
	}
	struct host_process *process = pl_alloc(sizeof(*process));
	process->pid = pid;
	process->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	*ret = process;
	return 0;
}

pid_t host_process_pid(const struct host_process *process)
{
	return process->pid;
}

bool host_process_has_ended(const struct host_process *process)
{
	struct pollfd fds = { .fd = process->pidfd, .events = POLLIN };

	return process->ended || poll(&fds, 1, 0) > 0;
}

/* The dead leader stays a zombie until its group is killed: its number cannot be given away. */
static void reap(struct host_process *process)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	    info.si_pid != process->pid)
		return;
	kill(-process->pid, SIGKILL);
	waitid(P_PID, (id_t)process->pid, &info, WEXITED);
	process->ended = true;
	process->code = info.si_code;
	process->status = info.si_status;
}

bool host_process_wait(struct host_process *process, int64_t timeout_ns)
{
	int64_t due_ns = pl_clock_now_ns() + timeout_ns;

	while (!process->ended) {
		int64_t left_ns = due_ns - pl_clock_now_ns();
		struct pollfd fds = { .fd = process->pidfd, .events = POLLIN };
		struct timespec wait = { 0 };

		if (left_ns > 0) {
			wait.tv_sec = left_ns / PL_NS_PER_S;
			wait.tv_nsec = left_ns % PL_NS_PER_S;
		}
		int ready = ppoll(&fds, 1, &wait, NULL);
		reap(process);
		/* a signal ends the wait: the caller looks at its own flags */
		if (left_ns <= 0 || (ready < 0 && errno == EINTR))
			break;
	}
	return process->ended;
}

bool host_process_stop(struct host_process *process, int64_t deadline_ns, const atomic_int *hurry)
{
	int64_t due_ns = pl_clock_now_ns() + deadline_ns;
	bool gentle = true;

	if (host_process_wait(process, 0))
		return true;
	kill(process->pid, SIGTERM);
	while (!host_process_wait(process, STOP_POLL_NS)) {
		bool now = hurry != NULL && atomic_load(hurry) != 0;
		if (!now && pl_clock_now_ns() < due_ns)
			continue;
		gentle = false;
		kill(-process->pid, SIGKILL);
		int64_t gone_ns = pl_clock_now_ns() + KILL_WAIT_NS;
		while (!host_process_wait(process, STOP_POLL_NS) && pl_clock_now_ns() < gone_ns) {}
		break;
	}
	return gentle;
}

void host_process_free(struct host_process *process)
{
	if (process == NULL)
		return;
	if (!process->ended)
		host_process_stop(process, 0, NULL);
	if (process->pidfd >= 0)
		close(process->pidfd);
	free(process);
}

int host_process_signal(const struct host_process *process)
{
	return process->ended && process->code != CLD_EXITED ? process->status : 0;
}

int host_process_status(const struct host_process *process)
{
	if (!process->ended)
		return -1;
	return process->code == CLD_EXITED ? process->status : 128 + process->status;
}

void host_process_end_text(const struct host_process *process, char *text, size_t room)
{
	if (!process->ended)
		snprintf(text, room, "running");
	else if (process->code == CLD_EXITED)
		snprintf(text, room, "exit status %d", process->status);
	else
		snprintf(text, room, "signal %d (%s)", process->status, strsignal(process->status));
}
