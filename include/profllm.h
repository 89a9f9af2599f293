/*
 * libprofllm: run experiments of ProfLLM from a C or C++ program, and read their results.
 *
 * A run is a process: the library executes the program 'profllm', reads its progress, and hands it to callbacks. So the
 * host may have threads, children and signal handlers of its own:
 * - The library starts no thread, installs no signal handler, writes to no standard stream, and changes neither the
 *   working directory nor the umask. It waits for its own child processes only, by descriptor.
 * - If the host ends in any way, the run and its server end, too. A child that the host forks, and that executes no
 *   program, counts as the host.
 * - The host may ignore SIGCHLD or reap all children: the library then takes the exit status from the program's output.
 *
 * Errors: functions that can fail return 0 (PROFLLM_OK) or a code of enum profllm_code. Their last parameter gets the
 * code and one line of text; it may be NULL. On failure they leave their results untouched. Wrong usage, such as NULL
 * for a handle, is undefined unless a comment permits it. If memory runs out, the library writes one line to standard
 * error and calls abort(); jansson may report a valid text as invalid instead.
 *
 * Threads: different handles may be used by different threads at the same time. One handle may be used by one thread
 * at a time, with two exceptions: a profllm_program may be shared, and any thread may call profllm_run_cancel(). The
 * library reads the environment of the process when it starts a program, so no other thread may change it then
 * (setenv()). A thread needs 64 KiB of stack, and what its callbacks take.
 *
 * Ownership: the caller frees what a parameter `ret` returns with the function of its type, which accepts NULL. A text
 * that a function returns as const char * belongs to its handle. A text for `char **` is freed with profllm_free().
 * The library copies all texts that it is given. Texts and paths are UTF-8.
 *
 * ABI: libprofllm.so.0 keeps the functions, values and struct members below. Members may be appended to structs that
 * only the library creates, and functions may be added.
 */
#ifndef PROFLLM_H
#define PROFLLM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PROFLLM_API __attribute__((visibility("default")))
#else
#define PROFLLM_API
#endif

/* ---- errors and versions --------------------------------------------------------------------- */

/* Reasons of failures. docs/reference/exit-status.md has the exit status of each. */
enum profllm_code {
	PROFLLM_OK = 0,
	PROFLLM_FAILED = 1,        /* run failed or partly failed */
	PROFLLM_INVALID = 2,       /* invalid value, file or usage */
	PROFLLM_IO = 3,            /* file or device cannot be used */
	PROFLLM_FULL = 4,          /* no disk space left */
	PROFLLM_NOT_FOUND = 5,     /* object does not exist */
	PROFLLM_LAUNCH = 6,        /* server did not start */
	PROFLLM_TIMEOUT = 7,       /* timed out */
	PROFLLM_BUSY = 8,          /* resource in use */
	PROFLLM_VERDICT = 9,       /* verdict not accepted */
	PROFLLM_REGRESSION = 10,   /* regression found */
	PROFLLM_NOT_UPLOADED = 11, /* run completed, but its result was not uploaded */
	PROFLLM_NETWORK = 12,      /* peer is unreachable or violated the protocol */
	PROFLLM_INTERRUPTED = 13,  /* canceled, or ended by a signal */
	PROFLLM_INTERNAL = 14      /* internal error */
};

/* An error, in the caller's memory; needs no initialization. */
struct profllm_error {
	int code;           /* enum profllm_code */
	char message[1020]; /* one line without a period at its end; a longer one is cut */
};

/* Returns the name of a code, such as "BUSY"; "UNKNOWN" for other numbers. Static. */
PROFLLM_API const char *profllm_code_name(int code);
/* Returns the version of the library, such as "0.1.0". Static. */
PROFLLM_API const char *profllm_version(void);
/* Frees a text that the library returned for `char **`; NULL: does nothing. */
PROFLLM_API void profllm_free(void *text);

/* ---- the program ----------------------------------------------------------------------------- */

typedef struct profllm_program profllm_program;

/*
 * Finds the program 'profllm': at `path`; if it is NULL, in the directory that $PROFLLM_BIN names; if that is not set,
 * in PREFIX/bin of the library in PREFIX/lib, in the directory that the build was configured for, or in $PATH. Returns
 * PROFLLM_NOT_FOUND with the places that were searched if there is none. Starts nothing.
 */
PROFLLM_API int profllm_program_open(const char *path, profllm_program **ret,
				     struct profllm_error *error);
PROFLLM_API void profllm_program_close(profllm_program *program);
/* Returns the path of the program, from the root: the host may change its directory. */
PROFLLM_API const char *profllm_program_path(const profllm_program *program);
/* Asks the program for its version, such as "0.1.0"; takes milliseconds. */
PROFLLM_API int profllm_program_version(const profllm_program *program, char **ret,
					struct profllm_error *error);

/* ---- experiments ----------------------------------------------------------------------------- */

/* The input of a run: an experiment file (YAML or JSON) or its text, and values that replace some of its keys. */
typedef struct profllm_experiment profllm_experiment;

/*
 * `path`: an experiment file, or a result whose run is to be repeated. It is read when the experiment is checked or
 * run.
 */
PROFLLM_API int profllm_experiment_from_file(const char *path, profllm_experiment **ret,
					     struct profllm_error *error);
/* `text`: `length` bytes, at most 8 MiB. Paths in it are relative to the working directory. */
PROFLLM_API int profllm_experiment_from_text(const char *text, size_t length,
					     profllm_experiment **ret, struct profllm_error *error);
/*
 * Replaces a key: `key` such as "server.max_num_seqs", `value` as in a file, such as "8", "\"text\"" or "[1, 2]".
 * Whether both are valid, profllm_validate() reports.
 */
PROFLLM_API int profllm_experiment_set(profllm_experiment *experiment, const char *key,
				       const char *value, struct profllm_error *error);
PROFLLM_API void profllm_experiment_free(profllm_experiment *experiment);

/* ---- findings -------------------------------------------------------------------------------- */

/* A finding of a check. NULL or 0: it does not apply. The library owns the struct and its texts. */
struct profllm_finding {
	const char *severity; /* "error" or "warning" */
	const char *
		key; /* of the experiment, such as "server.max_num_seqs"; of a result: JSON Pointer */
	const char *found;
	const char *expected;
	const char *nearest; /* the name or value that was probably meant */
	const char *rule;    /* id of a rule between arguments (docs/reference/constraints.md) */
	int line;            /* in the file or text, from 1 */
	int column;          /* from 1 */
};

typedef struct profllm_findings profllm_findings;

/* Returns whether none is an error. */
PROFLLM_API bool profllm_findings_ok(const profllm_findings *findings);
PROFLLM_API size_t profllm_findings_count(const profllm_findings *findings);
/* Returns number `index`, from 0; NULL: there are fewer. */
PROFLLM_API const struct profllm_finding *profllm_findings_get(const profllm_findings *findings,
							       size_t index);
/* Returns everything as JSON: for an experiment, what 'profllm validate --json' prints, with the memory forecast. */
PROFLLM_API const char *profllm_findings_json(const profllm_findings *findings);
PROFLLM_API void profllm_findings_free(profllm_findings *findings);

/*
 * Checks an experiment as 'profllm validate' does. `hardware`: the GPUs to check against, such as "h100x8"; NULL:
 * those of this host. Also succeeds if the experiment is invalid: the findings say so.
 */
PROFLLM_API int profllm_validate(const profllm_program *program,
				 const profllm_experiment *experiment, const char *hardware,
				 profllm_findings **ret, struct profllm_error *error);

/* ---- results --------------------------------------------------------------------------------- */

/* A result of a run (docs/reference/result-file.md). It does not change. */
typedef struct profllm_result profllm_result;

/* Reads a result file of at most 256 MiB and 128 levels. PROFLLM_INVALID: it is not a result of ProfLLM. */
PROFLLM_API int profllm_result_read(const char *path, profllm_result **ret,
				    struct profllm_error *error);
PROFLLM_API int profllm_result_parse(const char *text, size_t length, profllm_result **ret,
				     struct profllm_error *error);
PROFLLM_API void profllm_result_free(profllm_result *result);
/*
 * `path` below names a field: keys with dots between them, such as "results.mean_ttft_ms", or a JSON Pointer (RFC
 * 6901), such as "/results/p99.9_ttft_ms" and "/artifacts/0/name". "": the whole result.
 */
/* Returns a text; NULL: there is no such field, or it is not a text. */
PROFLLM_API const char *profllm_result_text(const profllm_result *result, const char *path);
/* PROFLLM_NOT_FOUND: there is no such field, or it is null (not measured). PROFLLM_INVALID: it is not a number. */
PROFLLM_API int profllm_result_number(const profllm_result *result, const char *path, double *ret,
				      struct profllm_error *error);
/* Returns any field as JSON; "" gives the complete result. */
PROFLLM_API int profllm_result_json(const profllm_result *result, const char *path, char **ret,
				    struct profllm_error *error);
/*
 * Checks the result against its JSON schema. If it was read from a file, also checks that each of its artifacts has
 * the size and the SHA-256 that the result names; this reads them. Also succeeds if something is wrong: the findings
 * say so.
 */
PROFLLM_API int profllm_result_check(const profllm_result *result, profllm_findings **ret,
				     struct profllm_error *error);
/*
 * Writes the result to a temporary file, syncs it and renames it to `path`: there is never a part of it. An existing
 * result or empty file is replaced only if `overwrite` is set, and another file never, else the function returns PROFLLM_INVALID, also if it is a link to
 * nothing. Threads and processes may write to one path at the same time. Artifacts are not copied.
 */
PROFLLM_API int profllm_result_write(const profllm_result *result, const char *path, bool overwrite,
				     struct profllm_error *error);

/* ---- runs ------------------------------------------------------------------------------------ */

/* One run of an experiment. */
typedef struct profllm_run profllm_run;

enum profllm_run_flag {
	PROFLLM_RUN_SIMULATOR = 1, /* start profllm-sim instead of vLLM */
	PROFLLM_RUN_OVERWRITE =
		2, /* replace an existing result, if the new one is at least as complete */
	PROFLLM_RUN_FORCE =
		4 /* start in spite of broken rules between arguments; the result records this */
};

/* Progress, once per second. Numbers below 0 and NULL: unknown. Valid during the callback. */
struct profllm_progress {
	const char *phase; /* as for the callback of phases */
	const char *step;  /* within the phase, such as "loading weights" */
	double elapsed_s;  /* since the start of the run */
	double remaining_s;
	double request_total;
	double request_done; /* failed ones included */
	double request_failed;
	double request_in_flight;
	const char *json; /* all of it: LiveSnapshot in api/openapi.yaml */
};

/*
 * Prepares a run whose result is written to the file `output`, with its artifacts next to it. Later changes of
 * `experiment` do not concern the run. `program` must outlive it.
 */
PROFLLM_API int profllm_run_new(const profllm_program *program,
				const profllm_experiment *experiment, const char *output,
				profllm_run **ret, struct profllm_error *error);
/* Before the start. `flags`: values of enum profllm_run_flag, combined with |; with others, the start fails. */
PROFLLM_API void profllm_run_set_flags(profllm_run *run, unsigned flags);
/* Before the start. Waits up to `seconds` for GPUs and ports in use; below 0: without limit. Default: not at all. */
PROFLLM_API void profllm_run_set_wait(profllm_run *run, double seconds);

/*
 * Callbacks, set before the start; NULL: none. profllm_run_dispatch() and profllm_run_wait() call them, in the thread
 * that calls these. A callback may call profllm_run_cancel(), but no other function of its run. It returns: no
 * longjmp(), no exception of C++.
 *
 * phase: starting, warming_up, measuring, draining, profiling, stopping. More may be added. log: a line of the program
 * (source "profllm") or of the server (source "server"): of the server's last five lines in each second, the new ones;
 * its complete log is an artifact. `level`: error, warning, info, or another word of the server in lowercase; NULL:
 * none.
 */
PROFLLM_API void profllm_run_on_phase(profllm_run *run,
				      void (*callback)(void *data, const char *phase), void *data);
PROFLLM_API void profllm_run_on_progress(profllm_run *run,
					 void (*callback)(void *data,
							  const struct profllm_progress *progress),
					 void *data);
PROFLLM_API void profllm_run_on_log(profllm_run *run,
				    void (*callback)(void *data, const char *source,
						     const char *level, const char *text),
				    void *data);

/*
 * Starts the run, once. It proceeds without further calls, but stops if its progress is not read for long: see
 * dispatch.
 */
PROFLLM_API int profllm_run_start(profllm_run *run, struct profllm_error *error);
/*
 * Waits up to `timeout_ms` (below 0: without limit, 0: not at all) for progress, and calls the callbacks.
 * *ret_running: the run has not ended. Call it at least every few seconds while the run lasts. After the end it does
 * nothing. Fails only if the run was not started or waiting is impossible.
 */
PROFLLM_API int profllm_run_dispatch(profllm_run *run, int timeout_ms, bool *ret_running,
				     struct profllm_error *error);
/*
 * Returns a descriptor for poll(): if it is readable, or at its end, call profllm_run_dispatch(run, 0). -1: not
 * running.
 */
PROFLLM_API int profllm_run_descriptor(const profllm_run *run);
/* Dispatches until the end. Fails like profllm_run_dispatch(); profllm_run_result() says how the run ended. */
PROFLLM_API int profllm_run_wait(profllm_run *run, struct profllm_error *error);
/*
 * Ends the run: the first call asks it to stop its server and to write what was measured (status "interrupted"), the
 * second one kills the server at once. Returns immediately. Any thread may call it from profllm_run_new() until
 * profllm_run_free(). Before the start, it makes the start fail with PROFLLM_INTERRUPTED; after the end it does
 * nothing.
 */
PROFLLM_API void profllm_run_cancel(profllm_run *run);
/* Returns the exit status of 'profllm run' (docs/reference/exit-status.md); -1: not ended. */
PROFLLM_API int profllm_run_exit_status(const profllm_run *run);
/*
 * Returns the result after the end. A run that failed has one, too, once its server was to start: its "status" says
 * so. If there is none, fails with the reason: PROFLLM_INVALID for an invalid experiment, PROFLLM_BUSY for GPUs in
 * use.
 */
PROFLLM_API int profllm_run_result(const profllm_run *run, profllm_result **ret,
				   struct profllm_error *error);
/*
 * Returns the problems of an experiment that kept the run from starting, or that it had in spite of; none before the
 * end.
 */
PROFLLM_API int profllm_run_findings(const profllm_run *run, profllm_findings **ret,
				     struct profllm_error *error);
/*
 * Frees the run. If it has not ended, kills its server, waits for its end, and loses what was not dispatched; the
 * result is written. This takes up to some seconds; after two minutes, it kills the program. NULL: does nothing.
 */
PROFLLM_API void profllm_run_free(profllm_run *run);

#ifdef __cplusplus
}
#endif

#endif
