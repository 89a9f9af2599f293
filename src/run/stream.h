/*
 * `run --progress json`: standard error has one JSON object per line, for the program that started this one
 * (docs/reference/library.md):
 *
 *	{"stream": …}    the first line: the version of the stream
 *	{"level": …}     a message, as base/log.h writes it; that of a problem of the experiment has it as "problem"
 *	{"phase": …}     the run enters a phase
 *	{"snapshot": …}  the state of the run, once per second; left out if the reader is slow
 *	{"end": …}       the last line
 */
#pragma once

#include <stdbool.h>

#include "run/run.h"

#define RUN_STREAM_VERSION 1

struct run_stream {
	bool is_open;
	const struct run_sink *live; /* that of --upload; NULL: none */
	struct run_sink sink;
};

/* Call it before the first thread. From here on, messages and problems are objects, too. */
void run_stream_open(struct run_stream *stream);
/*
 * Returns the sink of a run, which also hands everything to `live` (NULL: none). It borrows both. `command`: that
 * repeats the run. Returns `live` if the stream is not open.
 */
const struct run_sink *run_stream_sink(struct run_stream *stream, const struct run_sink *live,
				       const char *command);
/* Writes the last line. NULL: no result, no file of it, no error. Does nothing if the stream is not open. */
void run_stream_end(const struct run_stream *stream, int exit_status, const json_t *result,
		    const char *path, const struct pl_err *err);
