/*
 * A call of a tool: a child process that runs a command of `profllm`. Its standard output is the answer, its standard
 * error the progress and the reason of a failure.
 *
 * - A child gets SIGTERM when this process dies, so that it stops its server. The guard ends the remaining processes.
 * - Stopping sends SIGTERM, a second one after 20 s and SIGKILL after 60 s.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "base/strv.h"

#include <stdint.h>
#include <sys/types.h>

#define CLI_MCP_ANSWER_BYTES_MAX (4u << 20)

struct cli_mcp_call {
	json_t *id;    /* of the request; owned */
	json_t *token; /* of its progress; NULL: none is wanted. Owned */
	bool is_modern;
	bool runs;  /* it may start a server */
	pid_t pid;  /* 0: this place is free */
	int out_fd; /* -1: at its end */
	int err_fd;
	struct pl_buf out;
	struct pl_buf errors; /* the last bytes, from the start of a line */
	bool is_too_large;
	bool is_canceled; /* no answer is sent */
	bool is_reaped;
	int status;      /* as of waitpid() */
	int64_t stop_ns; /* when it was asked to stop; 0: not */
	int stop_signals;
	int64_t reaped_ns;
	size_t lines;    /* of progress */
	size_t line_at;  /* in `errors`: start of the line that is not complete */
	int64_t told_ns; /* when progress was sent last */
};

struct cli_mcp_start {
	const char *program;
	const struct pl_strv *words; /* without the program's name */
	const char *folder;          /* working directory */
	const char *const *files;    /* confine to `folder` and these; NULL: not confined */
};
/* Starts the child. `call` is all zero but for id, token, is_modern and runs. */
int cli_mcp_call_start(struct cli_mcp_call *call, const struct cli_mcp_start *start,
		       struct pl_err *err) PL_MUST_CHECK;
/* Reads what the child has written. Calls `line` for each complete line of standard error. */
void cli_mcp_call_read(struct cli_mcp_call *call, void (*line)(void *user, const char *text),
		       void *user);
/* Asks the child to stop. */
void cli_mcp_call_stop(struct cli_mcp_call *call, int64_t now_ns);
/* Repeats that if it is time. Returns when to call it again; INT64_MAX: never. */
int64_t cli_mcp_call_tick(struct cli_mcp_call *call, int64_t now_ns);
/* Returns whether the child has ended and its output is complete. */
bool cli_mcp_call_is_over(const struct cli_mcp_call *call, int64_t now_ns);
/*
 * Returns the reason of a failure from standard error, in lines; if the command succeeded without an answer, the start
 * of the text that it printed instead. free()
 */
char *cli_mcp_call_fault(const struct cli_mcp_call *call);
/* Frees everything; the place is free. */
void cli_mcp_call_done(struct cli_mcp_call *call);
