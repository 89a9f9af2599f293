#include "cli/mcp/call.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/program.h"
#include "base/text.h"
#include "cli/mcp/confine.h"

#define ERRORS_BYTES_MAX 65536
#define FAULT_BYTES_MAX  4096
#define READ_BYTES       65536
#define HURRY_NS         (20 * PL_NS_PER_S)
#define KILL_NS          (60 * PL_NS_PER_S)
#define READ_KILL_NS     (2 * PL_NS_PER_S)
/* a guard that still ends processes may hold the pipes open */
#define PIPES_NS   (2 * PL_NS_PER_S)
#define PREFIX     "profllm: "
#define ERROR_MARK "error: "

static _Noreturn void be_child(const struct cli_mcp_start *start, char *const *argv, int in,
			       int out, int errors, pid_t parent)
{
	sigset_t none;

	/* ^C of a terminal reaches only the server, which decides */
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(127);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	pl_program_restore_limits();
	if (chdir(start->folder) < 0)
		_exit(127);
	if (start->files != NULL)
		cli_mcp_confine(start->folder, start->files);
	execv(start->program, argv);
	_exit(127);
}

static int fork_child(const struct cli_mcp_start *start, char *const *argv, int out, int errors,
		      pid_t *ret, struct pl_err *err)
{
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	pid_t parent = getpid();
	pid_t pid = in < 0 ? -1 : fork();

	if (pid == 0)
		be_child(start, argv, in, out, errors, parent);
	if (pid < 0)
		(void)pl_err_errno(err, "could not start a process");
	if (in >= 0)
		close(in);
	*ret = pid;
	return pid < 0 ? -1 : 0;
}

int cli_mcp_call_start(struct cli_mcp_call *call, const struct cli_mcp_start *start,
		       struct pl_err *err)
{
	auto_strv argv = { 0 };
	int out[2], errors[2];

	pl_strv_add(&argv, "profllm");
	for (size_t i = 0; i < start->words->count; i++)
		pl_strv_add(&argv, start->words->items[i]);
	if (pipe2(out, O_CLOEXEC) < 0)
		return pl_err_errno(err, "could not make a pipe");
	if (pipe2(errors, O_CLOEXEC) < 0) {
		close(out[0]);
		close(out[1]);
		return pl_err_errno(err, "could not make a pipe");
	}
	int started = fork_child(start, argv.items, out[1], errors[1], &call->pid, err);
	close(out[1]);
	close(errors[1]);
	if (started < 0) {
		close(out[0]);
		close(errors[0]);
		call->pid = 0;
		return -1;
	}
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(errors[0], F_SETFL, O_NONBLOCK);
	call->out_fd = out[0];
	call->err_fd = errors[0];
	pl_buf_init(&call->out, CLI_MCP_ANSWER_BYTES_MAX);
	pl_buf_init(&call->errors, 2 * ERRORS_BYTES_MAX);
	return 0;
}

/* Returns the number of bytes read, 0 if there are none now. Closes the descriptor at its end. */
static size_t read_some(int *fd, char *data, size_t room)
{
	ssize_t len = *fd < 0 ? 0 : read(*fd, data, room);

	if (len > 0)
		return (size_t)len;
	if (*fd >= 0 && (len == 0 || (errno != EAGAIN && errno != EINTR))) {
		close(*fd);
		*fd = -1;
	}
	return 0;
}

/* Keeps the last bytes, from the start of a line. */
static void forget_old_lines(struct cli_mcp_call *call)
{
	struct pl_buf *errors = &call->errors;

	if (errors->len <= ERRORS_BYTES_MAX)
		return;
	size_t cut = errors->len - ERRORS_BYTES_MAX;
	const char *newline = memchr(errors->data + cut, '\n', errors->len - cut);
	cut = newline != NULL ? (size_t)(newline - errors->data) + 1 : errors->len;
	pl_buf_consume(errors, cut);
	call->line_at = call->line_at > cut ? call->line_at - cut : 0;
}

static void take_lines(struct cli_mcp_call *call, void (*line)(void *user, const char *text),
		       void *user)
{
	struct pl_buf *errors = &call->errors;
	char *end;

	while (call->line_at < errors->len && (end = memchr(errors->data + call->line_at, '\n',
							    errors->len - call->line_at)) != NULL) {
		size_t next = (size_t)(end - errors->data) + 1;
		auto_free char *text = pl_strndup(errors->data + call->line_at,
						  next - call->line_at - 1);
		call->lines++;
		call->line_at = next;
		line(user, text);
	}
}

void cli_mcp_call_read(struct cli_mcp_call *call, void (*line)(void *user, const char *text),
		       void *user)
{
	char data[READ_BYTES];
	size_t len;

	while ((len = read_some(&call->out_fd, data, sizeof(data))) > 0)
		call->is_too_large = call->is_too_large || !pl_buf_add(&call->out, data, len);
	while ((len = read_some(&call->err_fd, data, sizeof(data) / 2)) > 0) {
		(void)pl_buf_add(&call->errors, data, len);
		take_lines(call, line, user);
		forget_old_lines(call);
	}
}

void cli_mcp_call_stop(struct cli_mcp_call *call, int64_t now_ns)
{
	if (call->pid == 0 || call->is_reaped || call->stop_ns != 0)
		return;
	call->stop_ns = now_ns;
	call->stop_signals = 1;
	kill(call->pid, SIGTERM);
}

int64_t cli_mcp_call_tick(struct cli_mcp_call *call, int64_t now_ns)
{
	int64_t kill_ns = call->stop_ns + (call->runs ? KILL_NS : READ_KILL_NS);
	int64_t hurry_ns = call->stop_ns + HURRY_NS;

	if (call->pid != 0 && call->is_reaped)
		return call->reaped_ns + PIPES_NS;
	if (call->pid == 0 || call->stop_ns == 0)
		return INT64_MAX;
	if (now_ns >= kill_ns && call->stop_signals < 3) {
		call->stop_signals = 3;
		kill(call->pid, SIGKILL);
	} else if (now_ns >= hurry_ns && call->stop_signals < 2) {
		call->stop_signals = 2;
		kill(call->pid, SIGTERM);
	}
	return call->stop_signals < 2 && hurry_ns < kill_ns ? hurry_ns
	       : call->stop_signals < 3                     ? kill_ns
							    : INT64_MAX;
}

bool cli_mcp_call_is_over(const struct cli_mcp_call *call, int64_t now_ns)
{
	if (call->pid == 0 || !call->is_reaped)
		return false;
	return (call->out_fd < 0 && call->err_fd < 0) || now_ns >= call->reaped_ns + PIPES_NS;
}

char *cli_mcp_call_fault(const struct cli_mcp_call *call)
{
	auto_buf text = PL_BUF(FAULT_BYTES_MAX);
	auto_free char *copy = pl_strdup(pl_buf_text(&call->errors));
	const char *error = NULL;

	/* a list for people, such as that of `--hardware list`: the client can read it */
	if (WIFEXITED(call->status) && WEXITSTATUS(call->status) == 0)
		return call->out.len > 0
			       ? pl_strndup(pl_buf_text(&call->out), call->out.len < FAULT_BYTES_MAX
									     ? call->out.len
									     : FAULT_BYTES_MAX)
			       : pl_strdup("the command printed no answer");
	/* the last error is the reason; other lines are the problems of an experiment */
	for (char *rest = copy, *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (pl_text_starts(line, PREFIX ERROR_MARK))
			error = line + strlen(PREFIX ERROR_MARK);
		else if (*line != '\0' && !pl_text_starts(line, PREFIX))
			(void)pl_buf_addf(&text, "%s%s", text.len > 0 ? "\n" : "", line);
	}
	if (error != NULL)
		return pl_clean_line(error);
	if (text.len > 0)
		return pl_buf_take(&text);
	if (WIFSIGNALED(call->status))
		return pl_asprintf("the command ended by signal %d", WTERMSIG(call->status));
	return pl_asprintf("the command ended with status %d", WEXITSTATUS(call->status));
}

void cli_mcp_call_done(struct cli_mcp_call *call)
{
	if (call->out_fd >= 0 && call->pid != 0)
		close(call->out_fd);
	if (call->err_fd >= 0 && call->pid != 0)
		close(call->err_fd);
	pl_buf_done(&call->out);
	pl_buf_done(&call->errors);
	json_decref(call->id);
	json_decref(call->token);
	*call = (struct cli_mcp_call){ 0 };
}
