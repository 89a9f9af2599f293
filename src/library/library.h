/*
 * The parts of libprofllm (include/profllm.h) that its functions share. Functions of this directory that the header
 * declares begin with profllm_, all others with library_.
 */
#pragma once

#include <profllm.h>

#include <stdatomic.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/json.h"

#define LIBRARY_TEXT_BYTES_MAX (8u << 20) /* of an experiment, as the program reads it */
/* Size of buffers on the stack: threads of the host may have stacks of 64 KiB. */
#define LIBRARY_BLOCK_BYTES 16384
/* Levels of lists and objects, which jansson reads and writes by recursion; results have fewer than 20. */
#define LIBRARY_LEVELS_MAX 128

/* ---- words and JSON -------------------------------------------------------------------------- */

/* Words of a command. Zero-initialized; library_words_done(). */
struct library_words {
	char **items;
	size_t count, room;
};

void library_words_done(struct library_words *words);
#define auto_words __attribute__((cleanup(library_words_done))) struct library_words
/* Takes the word, which was allocated. */
void library_words_take(struct library_words *words, char *word);
void library_words_add(struct library_words *words, const char *word);

/* Like pl_json_parse(), for texts of others: bounds the memory and the stack. */
int library_json_parse(const char *text, size_t len, const char *source, json_t **ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Adds a new reference. jansson belongs to the host, so it returns without memory: both functions call abort() then. */
void library_json_add(json_t *list, json_t *item);
#define library_json(made) ((json_t *)pl_must(made))

/* ---- errors ---------------------------------------------------------------------------------- */

/* Copies *err to *error, unless it is NULL. Returns the code. */
int library_fail(struct profllm_error *error, const struct pl_err *err);
int library_refuse(struct profllm_error *error, enum pl_err_code code, const char *format, ...)
	PL_PRINTF(3, 4);
/* Returns the code with this name ("BUSY"), else `otherwise`. */
enum pl_err_code library_code(const char *name, enum pl_err_code otherwise);

/* ---- handles --------------------------------------------------------------------------------- */

struct profllm_program {
	char *path;
};

struct profllm_experiment {
	char *path; /* NULL: the text */
	char *text;
	size_t len;
	struct library_words sets; /* "KEY=VALUE" */
};

struct profllm_experiment *library_experiment_copy(const struct profllm_experiment *experiment);

struct profllm_findings {
	json_t *document;
	json_t *problems; /* own the texts of the items */
	char *text;       /* of the document */
	struct profllm_finding *items;
	size_t count, room;
	bool has_errors;
};

/* Takes the reference to the document. `problems`: an array of objects as those of `validate --json`. */
profllm_findings *library_findings_new(json_t *document, const json_t *problems);

/* Takes the reference; `path`: of the file, NULL: none. */
profllm_result *library_result_new(json_t *document, const char *path);

/* Returns the field of profllm_result_text(); NULL: there is none. Borrowed. */
json_t *library_field(const json_t *document, const char *path);

/* Returns the path from the root, also after the host changed its directory; NULL on failure. free() */
char *library_absolute(const char *path, struct pl_err *err);

/* ---- processes ------------------------------------------------------------------------------- */

struct library_process {
	pid_t pid;
	int pidfd; /* -1: there is no process */
};

/* The start of a process: words without the program; input NULL: an empty standard input; where its output goes. */
struct library_start {
	const char *program;
	const struct library_words *words;
	const char *input;
	size_t input_len;
	int output; /* standard output; -1: /dev/null */
	int errors; /* standard error */
};

/*
 * Starts a process in a session of its own, with default signals and no other descriptor of the host. Call
 * library_process_wait() at its end.
 */
int library_process_start(const struct library_start *start, struct library_process *ret,
			  struct pl_err *err) PL_MUST_CHECK;
void library_process_signal(const struct library_process *process, int number);
/*
 * Waits up to timeout_ms (below 0: without limit). Returns false if it has not ended. *ret_status: its exit status,
 * 128 + N after signal N; -1: the host took it.
 */
bool library_process_wait(struct library_process *process, int timeout_ms, int *ret_status);

/* Runs a program to its end and takes what it writes. Both texts: free(). */
int library_command(const char *program, const struct library_words *words, const char *input,
		    size_t input_len, char **ret_output, char **ret_errors, int *ret_status,
		    struct pl_err *err) PL_MUST_CHECK;

/* ---- the stream of `run --progress json` (run/stream.h) -------------------------------------- */

#define LIBRARY_STREAM_VERSION 1
#define LIBRARY_LINE_BYTES_MAX (4u << 20)

struct library_callbacks {
	void (*phase)(void *data, const char *phase);
	void *phase_data;
	void (*progress)(void *data, const struct profllm_progress *progress);
	void *progress_data;
	void (*log)(void *data, const char *source, const char *level, const char *text);
	void *log_data;
};

/* The state of a reader. Zero-initialized but for `callbacks`; library_stream_done(). */
struct library_stream {
	struct library_callbacks callbacks;
	struct pl_buf line;  /* that is not complete */
	bool is_long;        /* the line is too long: its rest is left out */
	bool is_known;       /* its version was read */
	int64_t server_line; /* the last one that was reported */
	json_t *problems;
	json_t *end;      /* the last line; NULL: not yet */
	char *last_error; /* message; NULL: none */
};

/* Reads bytes, and calls the callbacks for each complete line. A line of another form is a message. */
void library_stream_feed(struct library_stream *stream, const char *bytes, size_t len);
/* The bytes have ended: the rest is a line. */
void library_stream_end(struct library_stream *stream);
void library_stream_done(struct library_stream *stream);
