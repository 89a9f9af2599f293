/*
 * Child processes of a host that may have threads, children and signal handlers of its own.
 *
 * - posix_spawn() instead of fork(): no code of the host runs in the child.
 * - A pidfd instead of a signal: the host's handler of SIGCHLD is neither used nor replaced. If the host reaps all
 *   children, or ignores SIGCHLD, the exit status is lost but not the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "library/library.h"

#define OUTPUT_BYTES_MAX (256u << 20)
#define FIRST_FREE_FD    3

extern char **environ;

/* Without glibc's names, which Debian 11 lacks. */
static int open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* Returns a descriptor from which `len` bytes can be read; -1 with errno on failure. */
static int open_input(const char *input, size_t len)
{
	if (input == NULL)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	int fd = memfd_create("profllm-input", MFD_CLOEXEC);
	if (fd >= 0 && (pl_fd_write(fd, input, len) < 0 || lseek(fd, 0, SEEK_SET) < 0))
		pl_fd_close(&fd);
	return fd;
}

/*
 * dup2() of a descriptor to itself would leave it closed at exec, and one below 3 could be replaced before it is used.
 */
static int move_up(int *fd)
{
	if (*fd < 0 || *fd >= FIRST_FREE_FD)
		return *fd;
	int moved = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	close(*fd);
	*fd = moved;
	return moved;
}

static int set_actions(posix_spawn_file_actions_t *actions, const struct library_start *start,
		       int input)
{
	int fault = posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);

	if (fault == 0)
		fault = start->output >= 0
				? posix_spawn_file_actions_adddup2(actions, start->output,
								   STDOUT_FILENO)
				: posix_spawn_file_actions_addopen(actions, STDOUT_FILENO,
								   "/dev/null", O_WRONLY, 0);
	if (fault == 0)
		fault = posix_spawn_file_actions_adddup2(actions, start->errors, STDERR_FILENO);
#if __GLIBC_PREREQ(2, 34)
	/* the host's descriptors would stay open for as long as the server runs */
	if (fault == 0)
		fault = posix_spawn_file_actions_addclosefrom_np(actions, FIRST_FREE_FD);
#endif
	return fault;
}

static int set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	int fault = posix_spawnattr_setsigmask(attributes, &none);
	if (fault == 0)
		fault = posix_spawnattr_setsigdefault(attributes, &all);
	if (fault == 0)
		fault = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK |
								     POSIX_SPAWN_SETSIGDEF |
								     POSIX_SPAWN_SETSID);
	return fault;
}

/* argv of a process. The words are borrowed; free() the array. */
static char **argv_of(const char *program, const struct library_words *words)
{
	char **argv = pl_alloc_array(words->count + 2, sizeof(*argv));

	argv[0] = (char *)program;
	for (size_t i = 0; i < words->count; i++)
		argv[i + 1] = words->items[i];
	return argv;
}

static int spawn(const struct library_start *start, int input, pid_t *ret)
{
	auto_free char **argv = argv_of(start->program, start->words);
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	int fault = set_actions(&actions, start, input);
	if (fault == 0)
		fault = set_attributes(&attributes);
	if (fault == 0)
		fault = posix_spawn(ret, start->program, &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return fault;
}

int library_process_start(const struct library_start *start, struct library_process *ret,
			  struct pl_err *err)
{
	auto_fd int input = open_input(start->input, start->input_len);
	pid_t pid;

	if (move_up(&input) < 0)
		return pl_err_errno(err, "could not prepare the input of '%s'", start->program);
	errno = spawn(start, input, &pid);
	if (errno != 0)
		return pl_err_errno(err, "could not start '%s'", start->program);
	int pidfd = open_pidfd(pid);
	/* already reaped by the host: it has ended, and its output is complete */
	if (pidfd < 0 && errno != ESRCH) {
		pl_err_errno(err, "could not watch '%s'", start->program);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return -1;
	}
	*ret = (struct library_process){ .pid = pid, .pidfd = pidfd };
	return 0;
}

void library_process_signal(const struct library_process *process, int number)
{
	if (process->pidfd >= 0)
		(void)syscall(SYS_pidfd_send_signal, process->pidfd, number, NULL, 0);
}

bool library_process_wait(struct library_process *process, int timeout_ms, int *ret_status)
{
	struct pollfd ended = { .fd = process->pidfd, .events = POLLIN };
	siginfo_t info = { 0 };

	*ret_status = -1;
	if (process->pidfd < 0)
		return true;
	int count;
	do
		count = poll(&ended, 1, timeout_ms);
	while (count < 0 && errno == EINTR);
	if (count <= 0)
		return false;
	/* P_PIDFD, which older headers lack. The host's own waitpid() may have taken it: ECHILD. */
	if (waitid((idtype_t)3, (id_t)process->pidfd, &info, WEXITED | WNOHANG) == 0 &&
	    info.si_pid == process->pid)
		*ret_status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
	pl_fd_close(&process->pidfd);
	return true;
}

/* Returns the content of a memory file. */
static int take_text(int fd, char **ret, struct pl_err *err)
{
	auto_buf text = PL_BUF(OUTPUT_BYTES_MAX);
	char block[LIBRARY_BLOCK_BYTES];
	ssize_t got;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return pl_err_errno(err, "could not read the output");
	while ((got = read(fd, block, sizeof(block))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return pl_err_errno(err, "could not read the output");
		if (!pl_buf_add(&text, block, (size_t)got))
			return pl_err_invalid(err, "the output is larger than %u MiB",
					      OUTPUT_BYTES_MAX >> 20);
	}
	*ret = pl_buf_take(&text);
	return 0;
}

/* Files in memory instead of pipes: whatever the program writes, it need not be read meanwhile. */
int library_command(const char *program, const struct library_words *words, const char *input,
		    size_t input_len, char **ret_output, char **ret_errors, int *ret_status,
		    struct pl_err *err)
{
	auto_fd int output = memfd_create("profllm-output", MFD_CLOEXEC);
	auto_fd int errors = memfd_create("profllm-errors", MFD_CLOEXEC);
	auto_free char *output_text = NULL;
	auto_free char *errors_text = NULL;
	struct library_process process;

	if (move_up(&output) < 0 || move_up(&errors) < 0)
		return pl_err_errno(err, "could not prepare the output of '%s'", program);
	const struct library_start start = {
		.program = program,
		.words = words,
		.input = input,
		.input_len = input_len,
		.output = output,
		.errors = errors,
	};
	if (library_process_start(&start, &process, err) < 0)
		return -1;
	(void)library_process_wait(&process, -1, ret_status);
	if (take_text(output, &output_text, err) < 0 || take_text(errors, &errors_text, err) < 0)
		return pl_err_wrap(err, "'%s'", program);
	*ret_output = pl_take(output_text);
	*ret_errors = pl_take(errors_text);
	return 0;
}
