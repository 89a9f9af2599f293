#include "host/proc/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/program.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4
#endif

extern char **environ;

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

void host_exec_env(const char *const *over, struct pl_strv *ret)
{
	for (size_t i = 0; environ[i] != NULL; i++) {
		if (!env_overrides(environ[i], over))
			pl_strv_add(ret, environ[i]);
	}
	for (size_t i = 0; over != NULL && over[i] != NULL; i++)
		pl_strv_add(ret, over[i]);
}

/* Removes an earlier log or a link at this name. A device such as /dev/null stays. */
static bool remove_log(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return true;
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return false;
	(void)unlink(path);
	return true;
}

int host_exec_open_log(const char *path, int *ret_fd, struct pl_err *err)
{
	int flags = O_WRONLY | O_NOFOLLOW | O_APPEND | O_CLOEXEC;

	*ret_fd = -1;
	if (path == NULL)
		return 0;
	/*
	 * O_APPEND: a log that is cut short while it is written (logrotate's copytruncate) gets no
	 * hole in front. A log may hold secrets, so only its owner can read it. A regular file or a
	 * link at this name is removed, never written through.
	 */
	if (remove_log(path))
		flags |= O_CREAT | O_EXCL;
	*ret_fd = open(path, flags, 0600);
	if (*ret_fd < 0)
		return pl_err_errno(err, "could not write '%s'", path);
	/* a file mode set by the user also applies to logs */
	if ((flags & O_CREAT) != 0 && pl_file_mode(0600) != 0600)
		(void)!fchmod(*ret_fd, pl_file_mode(0600));
	return 0;
}

/*
 * Includes the C library's two internal signals, which it does not allow to be set: hence the
 * system call. An ignored signal would stay ignored after exec, and the server could not be
 * stopped.
 */
static void reset_signals(void)
{
	/* the kernel's struct: handler, flags, restorer, mask */
	static const unsigned long plain[4];
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		syscall(SYS_rt_sigaction, number, plain, NULL, sizeof(plain[0]));
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Runs in the child: only calls that are safe after a fork. */
static void child_exec(const struct host_exec *exec, int report_fd, pid_t parent)
{
	reset_signals();
	pl_program_restore_limits();
	/*
	 * A new session: ^C and a terminal hangup reach only the parent, and mark.c uses the
	 * session to find processes that cleared their environment.
	 */
	setsid();
	prctl(PR_SET_PDEATHSIG, exec->death_signal);
	/* the parent may have died before the line above */
	if (getppid() != parent)
		_exit(127);
	/*
	 * Marked close-on-exec and not closed: report_fd must stay open until exec has succeeded.
	 * Our locks must not remain held by a server.
	 */
	syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd >= 0 && dup2(null_fd, STDIN_FILENO) >= 0 &&
	    dup2(exec->log_fd >= 0 ? exec->log_fd : null_fd, STDOUT_FILENO) >= 0 &&
	    dup2(exec->without_errors ? null_fd : STDOUT_FILENO, STDERR_FILENO) >= 0)
		execve(exec->argv[0], (char *const *)exec->argv, (char *const *)exec->env);
	int code = errno;
	ssize_t ignored = write(report_fd, &code, sizeof(code));
	(void)ignored;
	_exit(127);
}

/*
 * Returns 0 if exec succeeded, otherwise its errno:
 *
 *     exec succeeds ──> the pipe closes by itself (close-on-exec) ──> read() returns 0 bytes
 *     exec fails    ──> errno is written to the pipe              ──> read() returns it
 *
 * So "cannot run" is reported at once, and not by a server that never responds.
 */
static int read_exec_error(int fd)
{
	int code = 0;
	ssize_t got = TEMP_FAILURE_RETRY(read(fd, &code, sizeof(code)));

	return got == (ssize_t)sizeof(code) ? code : 0;
}

pid_t host_exec_spawn(const struct host_exec *exec)
{
	pid_t parent = getpid();
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0)
		child_exec(exec, fds[1], parent);
	int code = pid < 0 ? errno : 0;
	close(fds[1]);
	if (pid > 0)
		code = read_exec_error(fds[0]);
	close(fds[0]);
	if (code == 0)
		return pid;
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
	errno = code;
	return -1;
}
