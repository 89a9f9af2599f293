/*
 * What stands in OUTPUT.journal and how it is read back: JSON on lines.
 *
 *	["ProfLLM journal",3]
 *	["8c1f0a52","head",{"run_id":"exp_…",…}]
 *	["03d7be19","record",{"index":0,…}]
 *
 * - The first item is the CRC-32C, as eight small hexadecimal digits, of all that stands between it
 *   and the line's end: from the comma to the last bracket.
 * - A record's object is the line that the requests file will hold (result/record.h), of a failed
 *   try too. PLAN and ACTED hold some of its keys.
 * - A file may end anywhere: what stands behind its last line end does not count. A line that ends
 *   and is not what was written is damage, and what follows it is not believed either.
 * - Times are CLOCK_MONOTONIC ns, null where there is none.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "bench/load/load.h"
#include "result/record.h"

#include <stdbool.h>

#define RUN_JOURNAL_VERSION 3 /* 1 and 2 were frames of bytes */
#define RUN_LINE_BYTES_MAX  (64u << 20)

/* HEAD is first and once; the others come in any number, a request's PLAN before its ACTED. */
enum run_line_kind {
	RUN_LINE_HEAD,   /* run_id, beside, started_real_ns, started_ns, pid, profllm */
	RUN_LINE_STAGE,  /* stage, t_ns, document: the result so far, without results */
	RUN_LINE_LOAD,   /* what figures are made with; the plan follows */
	RUN_LINE_PLAN,   /* a request of the plan, in order; planned_ns counts from the start */
	RUN_LINE_ACTED,  /* it was sent */
	RUN_LINE_RECORD, /* it is over, or a try of it failed and the next one began */
	RUN_LINE_TICK,   /* t_ns: the run is alive; start_ns: of sending */
	RUN_LINE_KIND_COUNT
};

/* Writers append a whole line; false: the ceiling of `buf`, nothing appended. */
bool run_line_add_start(struct pl_buf *buf);
/* `text`: of one JSON value, without a line end. */
bool run_line_add(struct pl_buf *buf, enum run_line_kind kind, const char *text, size_t len);
bool run_line_add_json(struct pl_buf *buf, enum run_line_kind kind, const json_t *json);
bool run_line_add_plan(struct pl_buf *buf, size_t index, const struct bench_request *request);
bool run_line_add_acted(struct pl_buf *buf, const struct res_record *record);
bool run_line_add_record(struct pl_buf *buf, const struct res_record *record);
bool run_line_add_tick(struct pl_buf *buf, int64_t t_ns, int64_t start_ns);

/* A walk over the lines of a file in memory. */
struct run_lines {
	const char *data;
	size_t len;
	size_t at;     /* behind the last good line */
	size_t number; /* of lines up to there */
};
struct run_line {
	enum run_line_kind kind;
	const char *text; /* of the JSON value */
	size_t len;
};
enum run_lines_found { RUN_LINES_ONE, RUN_LINES_END, RUN_LINES_DAMAGED };

/* The version of the file's form, an older one's too. 0: cut before that is told; -1: no journal at
 * all. Its lines can be walked only where it is RUN_JOURNAL_VERSION. */
int64_t run_lines_begin(struct run_lines *lines, const void *data, size_t len);
enum run_lines_found run_lines_next(struct run_lines *lines, struct run_line *ret);
