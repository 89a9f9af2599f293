/*
 * The sums over a trace in Chrome's format, read block by block: an object with "traceEvents", or the bare array of
 * events. Any bytes are accepted; memory is bounded whatever the file contains. Belongs to one thread.
 *
 * Only complete events ("ph": "X") count. Frames around others are not operations: the profiler itself, user
 * annotations and functions of Python. The span of the trace is the time from the first begin to the last end of an
 * operation.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_TOP 20 /* items of each list */

struct trace_reader;

struct trace_reader *trace_reader_new(void);
void trace_reader_free(struct trace_reader *reader);
PL_AUTO_DEFINE(struct trace_reader, trace_reader_free);
#define auto_trace PL_AUTO(trace_reader_free)

/* INVALID: the bytes are not such a trace. */
int trace_reader_add(struct trace_reader *reader, const char *bytes, size_t len,
		     struct pl_err *err) PL_MUST_CHECK;
/* Returns whether the file is whole: the brackets around the events are closed. */
bool trace_reader_is_whole(const struct trace_reader *reader);
/* Returns the number of events so far. */
int64_t trace_reader_events(const struct trace_reader *reader);
/* Returns distributedInfo.rank of the file; -1: none so far. */
int64_t trace_reader_rank(const struct trace_reader *reader);
/* Call it after the last block. INVALID: there is no list of events, or it ends before its first event does. */
int trace_reader_end(struct trace_reader *reader, struct pl_err *err) PL_MUST_CHECK;
/* New reference: schema TraceSummary of api/openapi.yaml, without the members of the file. After trace_reader_end(). */
json_t *trace_reader_summary(struct trace_reader *reader);

/* Returns the rank in a file name, the number after its last "rank": "dp0_pp0_tp1_rank1.1732.pt.trace.json.gz"; -1: none. */
int64_t trace_rank(const char *name);
