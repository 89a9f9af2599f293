#include "host/proc/container.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/strv.h"
#include "base/text.h"
#include "host/proc/exec.h"

#define CALL_NS          (5 * PL_NS_PER_S)
#define POLL_NS          (20 * PL_NS_PER_MS)
#define RETRY_NS         (100 * PL_NS_PER_MS)
#define SECOND_LOOK_NS   (300 * PL_NS_PER_MS)
#define OUTPUT_BYTES_MAX (64u << 10)
#define READ_BYTES       4096

/* Returns false at the end of the output. */
static bool read_some(int fd, struct pl_buf *output)
{
	char bytes[READ_BYTES];
	ssize_t got = TEMP_FAILURE_RETRY(read(fd, bytes, sizeof(bytes)));

	if (got < 0 && errno == EAGAIN)
		return true;
	if (got <= 0)
		return false;
	/* the rest is read, too, so that the program does not block */
	if (output != NULL)
		pl_buf_add(output, bytes, (size_t)got);
	return true;
}

/* Waits for the child's end, and reads its output meanwhile: a child of its own may hold the pipe. */
static bool wait_for_end(pid_t pid, int fd, int64_t due_ns, struct pl_buf *output, int *ret_status)
{
	bool open = true;

	for (;;) {
		pid_t done = waitpid(pid, ret_status, WNOHANG);
		while (open && done != 0) {
			struct pollfd fds = { .fd = fd, .events = POLLIN };
			if (poll(&fds, 1, 0) <= 0)
				break;
			open = read_some(fd, output);
		}
		if (done == pid)
			return true;
		if ((done < 0 && errno != EINTR) || pl_clock_now_ns() >= due_ns)
			return false;
		struct pollfd fds = { .fd = open ? fd : -1, .events = POLLIN };
		if (poll(&fds, 1, (int)(POLL_NS / PL_NS_PER_MS)) > 0)
			open = read_some(fd, output);
	}
}

int host_container_call(const char *program, const char *const *args, bool with_errors,
			int64_t timeout_ns, struct pl_buf *output, struct pl_err *err)
{
	auto_strv argv = { 0 };
	auto_strv env = { 0 };
	int fds[2];
	int status = 0;

	pl_strv_add(&argv, program);
	for (size_t i = 0; args[i] != NULL; i++)
		pl_strv_add(&argv, args[i]);
	host_exec_env(NULL, &env);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return pl_err_errno(err, "could not open a pipe");
	struct host_exec exec = {
		.argv = pl_strv_texts(&argv),
		.env = pl_strv_texts(&env),
		.log_fd = fds[1],
		.without_errors = !with_errors,
		.death_signal = SIGKILL,
	};
	pid_t pid = host_exec_spawn(&exec);
	int code = errno;
	close(fds[1]);
	auto_fd int out = fds[0];
	if (pid < 0) {
		errno = code;
		return pl_err_errno(err, "could not run '%s'", program);
	}
	bool ended = wait_for_end(pid, out, pl_clock_now_ns() + timeout_ns, output, &status);
	if (!ended) {
		kill(-pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
		return pl_err_set(err, PL_ERR_FAILED, "'%s %s' did not end within %lld s", program,
				  args[0], (long long)(timeout_ns / PL_NS_PER_S));
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return pl_err_set(err, PL_ERR_FAILED, "'%s %s' was ended by signal %d", program, args[0],
			  WTERMSIG(status));
}

/* Runs it for its effect. */
static bool call(const struct host_container *container, const char *const *args)
{
	return host_container_call(container->program, args, false, CALL_NS, NULL,
				   PL_ERR_IGNORED) == 0;
}

/* A line may have more names, which links of docker give. */
static bool has_name(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = text; *at != '\0'; at += *at != '\0') {
		size_t word = strcspn(at, ",\r\n");
		if (word == len && strncmp(at, name, len) == 0)
			return true;
		at += word;
	}
	return false;
}

enum host_container_state host_container_look(const struct host_container *container)
{
	auto_buf output = PL_BUF(OUTPUT_BYTES_MAX);
	char filter[128];

	snprintf(filter, sizeof(filter), "name=^%s$", container->name);
	const char *args[] = { "ps", "--all", "--filter", filter, "--format", "{{.Names}}", NULL };
	if (host_container_call(container->program, args, false, CALL_NS, &output,
				PL_ERR_IGNORED) != 0)
		return HOST_CONTAINER_UNKNOWN;
	const char *text = pl_buf_text(&output);
	if (has_name(text, container->name))
		return HOST_CONTAINER_EXISTS;
	/* the filter lists no other: this is another program's output, or a message */
	return text[strspn(text, " \t\r\n")] == '\0' ? HOST_CONTAINER_GONE : HOST_CONTAINER_UNKNOWN;
}

bool host_container_signal(const struct host_container *container, int signal_number)
{
	char text[32];

	snprintf(text, sizeof(text), "--signal=%d", signal_number);
	const char *args[] = { "kill", text, container->name, NULL };
	return call(container, args);
}

bool host_container_remove(const struct host_container *container, bool twice, int64_t timeout_ns)
{
	const char *args[] = { "rm", "--force", container->name, NULL };
	int64_t due_ns = pl_clock_now_ns() + timeout_ns;
	int wanted = twice ? 2 : 1;

	for (int seen = 0;;) {
		enum host_container_state state = host_container_look(container);
		seen = state == HOST_CONTAINER_GONE ? seen + 1 : 0;
		if (seen == wanted)
			return true;
		if (pl_clock_now_ns() >= due_ns)
			return false;
		/*
		 * podman's rm lets it end by itself first. An error says nothing: the runtime also
		 * removes it, at its end (--rm).
		 */
		if (state == HOST_CONTAINER_EXISTS) {
			(void)host_container_signal(container, SIGKILL);
			(void)call(container, args);
		}
		if (state != HOST_CONTAINER_EXISTS)
			pl_clock_sleep_until(pl_clock_now_ns() +
					     (seen > 0 ? SECOND_LOOK_NS : RETRY_NS));
	}
}
