/*
 * The format of OUTPUT.journal: JSON lines.
 *
 *	["ProfLLM journal",3]
 *	["8c1f0a52","head",{"run_id":"exp_…",…}]
 *	["03d7be19","record",{"index":0,…}]
 *
 * - The first item is the CRC-32C, as eight lowercase hexadecimal digits, of the text between it and the end of the
 *   line: from the comma to the last bracket.
 * - The object of a record is the future line of the requests file (result/record.h), also for a failed attempt. PLAN
 *   and ACTED hold some of its keys.
 * - A file may end anywhere: text after its last line end is ignored. A complete line with a wrong checksum is damage,
 *   and all lines from there on are ignored, too.
 * - Times are CLOCK_MONOTONIC ns; null: none.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "bench/load/load.h"
#include "result/record.h"

#include <stdbool.h>

#define RUN_JOURNAL_VERSION 3 /* versions 1 and 2 were binary frames */
#define RUN_LINE_BYTES_MAX  (64u << 20)

/* HEAD comes first and once. The others occur any number of times, a request's PLAN before its ACTED. */
enum run_line_kind {
	RUN_LINE_HEAD,   /* run_id, separate, started_real_ns, started_ns, pid, profllm */
	RUN_LINE_STAGE,  /* stage, t_ns, document: the result so far, without results */
	RUN_LINE_LOAD,   /* how to compute metrics; the plan follows */
	RUN_LINE_PLAN,   /* a planned request, in order; planned_ns is relative to the start */
	RUN_LINE_ACTED,  /* the request was sent */
	RUN_LINE_RECORD, /* the request has finished, or an attempt failed and the next one began */
	RUN_LINE_TICK,   /* t_ns: the run is alive; start_ns: start of sending */
	RUN_LINE_KIND_COUNT
};

/* Writers append a complete line, or return false and append nothing if `buf` is full. */
bool run_line_add_start(struct pl_buf *buf);
/* `text`: one JSON value without a line end. */
bool run_line_add(struct pl_buf *buf, enum run_line_kind kind, const char *text, size_t len);
bool run_line_add_json(struct pl_buf *buf, enum run_line_kind kind, const json_t *json);
bool run_line_add_plan(struct pl_buf *buf, size_t index, const struct bench_request *request);
bool run_line_add_acted(struct pl_buf *buf, const struct res_record *record);
bool run_line_add_record(struct pl_buf *buf, const struct res_record *record);
bool run_line_add_tick(struct pl_buf *buf, int64_t t_ns, int64_t start_ns);

/* Iterates over the lines of a file in memory. */
struct run_lines {
	const char *data;
	size_t len;
	size_t at;     /* after the last valid line */
	size_t number; /* of lines up to `at` */
};
struct run_line {
	enum run_line_kind kind;
	const char *text; /* of the JSON value */
	size_t len;
};
enum run_lines_found { RUN_LINES_ONE, RUN_LINES_END, RUN_LINES_DAMAGED };

/*
 * Returns the format version of the file, which may be older. 0: the file ends before it; -1: not a journal. The lines
 * can only be read if it is RUN_JOURNAL_VERSION.
 */
int64_t run_lines_begin(struct run_lines *lines, const void *data, size_t len);
enum run_lines_found run_lines_next(struct run_lines *lines, struct run_line *ret);
