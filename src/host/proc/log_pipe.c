#include "host/proc/log_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/redact.h"

#define READ_BYTES 65536
/* The amount that a child can write before it blocks; the kernel's default limit for users. */
#define PIPE_BYTES (1 << 20)
#define STEP_READS 64
#define DRAIN_NS   PL_NS_PER_S

struct host_log_pipe {
	int pipe; /* -1: every writer has closed it */
	int file;
	struct pl_redactor *redactor;
	char bytes[READ_BYTES];
};

static bool is_regular(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

int host_log_pipe_open(int file_fd, struct host_log_pipe **ret, int *ret_fd)
{
	int ends[2];

	*ret = NULL;
	*ret_fd = -1;
	if (!pl_redact_is_needed() || !is_regular(file_fd))
		return 0;
	auto_fd int file = fcntl(file_fd, F_DUPFD_CLOEXEC, 3);
	if (file < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	/* only ours: the child's end is another open file, and blocks */
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	(void)fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES);
	struct host_log_pipe *log = pl_alloc(sizeof(*log));
	log->pipe = ends[0];
	log->file = pl_take_fd(file);
	log->redactor = pl_redactor_new();
	*ret = log;
	*ret_fd = ends[1];
	return 0;
}

int host_log_pipe_fd(const struct host_log_pipe *log)
{
	return log != NULL ? log->pipe : -1;
}

/* A full disk costs lines of the log, and never the child's time. */
static void write_log(struct host_log_pipe *log, const char *bytes, size_t len)
{
	(void)!pl_fd_write(log->file, bytes, len);
}

/* False: nothing more now. */
static bool copy_some(struct host_log_pipe *log)
{
	const char *clean;

	if (log->pipe < 0)
		return false;
	ssize_t got = TEMP_FAILURE_RETRY(read(log->pipe, log->bytes, sizeof(log->bytes)));
	if (got > 0) {
		size_t len = pl_redactor_feed(log->redactor, log->bytes, (size_t)got, &clean);
		write_log(log, clean, len);
	} else if (got == 0 || errno != EAGAIN) {
		pl_fd_close(&log->pipe);
	}
	return got > 0;
}

void host_log_pipe_step(struct host_log_pipe *log)
{
	for (int i = 0; i < STEP_READS && copy_some(log); i++) {}
}

void host_log_pipe_drain(struct host_log_pipe *log)
{
	int64_t due_ns = pl_clock_now_ns() + DRAIN_NS;

	while (log != NULL && copy_some(log) && pl_clock_now_ns() < due_ns) {}
}

void host_log_pipe_close(struct host_log_pipe *log)
{
	const char *rest;

	if (log == NULL)
		return;
	host_log_pipe_drain(log);
	size_t len = pl_redactor_end(log->redactor, &rest);
	write_log(log, rest, len);
	pl_redactor_free(log->redactor);
	pl_fd_close(&log->pipe);
	pl_fd_close(&log->file);
	free(log);
}
