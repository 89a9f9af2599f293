/*
 * A report of one result, or of several compared with the first: a page, Markdown, or text for a terminal.
 *
 * A report is JSON, made once and written in any of the forms:
 *
 *  {title, lead, simulated, sections: [{id, title, blocks: [BLOCK]}]}
 *  BLOCK  {kind: "text", text, tone}                  tone: "", "note", "caution"
 *         {kind: "verdict", verdict, text: [sentence]}    verdict: a name, or null
 *         {kind: "tiles", items: [{label, text, number, unit, note, id}]}
 *         {kind: "table", title, columns: [{title, align, lasting}], rows: [ROW], folded}
 *                   align: "left", "right", "code"; lasting: also in the terminal's 80 columns
 *                   ROW: [CELL] or {group, text}; CELL: text, or {text, number, tone}
 *         {kind: "code", title, text, folded}
 *         {kind: "charts", items: [CHART]}
 *  CHART  {title, text, x, y, x_ticks: [[at, label]], x_low, x_high, zero, y_high, height, table: {columns, rows},
 *          series: [{name, mark, x, y, low, high, left, right, labels}]}
 *         {title, text, x, bars, table, rows: [{label, value_text, from, value, low, high, color}]}
 *
 * The same input gives the same bytes: a report contains no time of its own.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "base/unpack.h"
#include "result/compare/documents.h"
#include "result/flat/read.h"

/* A report is smaller: every list that may be long is bounded. */
#define REPORT_BYTES_MAX (64u << 20)

/* ---- data of artifacts ---------------------------------------------------------------------- */

/* The measurements of the requests of one run, for its charts. Initialize with { 0 }. */
struct report_requests {
	struct report_request {
		double start_s; /* from the first start */
		double ttft_ms; /* NaN: none */
		double tpot_ms;
		double e2el_ms;
		uint64_t index; /* in the plan; 0 in the lists of vllm bench serve */
		bool ok;
	} * items; /* in the order of their starts */
	size_t count;
	size_t room;
	/* lines that are not records, second records of a request, and those after REPORT_REQUESTS_MAX requests */
	size_t skipped;
};
#define REPORT_REQUESTS_MAX 2000000
/* Ends a read early. */
struct report_cancel {
	bool (*is_canceled)(void *data);
	void *data;
};
/*
 * Reads lines of api/requests.schema.json from a file, which may be compressed. Only the last try of a request counts.
 * cancel: NULL: never. Returns -1 with INVALID if the file is too large, or INTERRUPTED if it was canceled. *ret is valid
 * after an error, too: it has the requests before it.
 */
int report_requests_read(struct pl_unpack *file, const struct report_cancel *cancel,
			 struct report_requests *ret, struct pl_err *err) PL_MUST_CHECK;
/* The same from the lists in a file of vllm bench serve; empty without lists. */
void report_requests_of_flat(const struct res_flat *flat, struct report_requests *ret);
void report_requests_done(struct report_requests *requests);
#define auto_report_requests \
	__attribute__((cleanup(report_requests_done), unused)) struct report_requests

struct series;

/* One result, and what its artifacts contain. All are borrowed. */
struct report_input {
	const char *path; /* of the result, for commands; NULL: unknown */
	bool is_vllm;     /* vLLM wrote the file, and the document is derived from it */
	const json_t *document;
	const struct report_requests *requests; /* NULL: no artifact */
	const struct series *series;            /* NULL: no artifact */
	/* lines about artifacts that could not be read; NULL: none */
	const json_t *notes;
};

/* Both return a new reference. */
json_t *report_of_result(const struct res_fields *fields, const struct report_input *input);
/* Two to RES_COMPARE_SIDES_MAX sides; the first one is the baseline. */
json_t *report_of_comparison(const struct res_fields *fields, struct res_compare_documents *sides,
			     size_t count);

/* ---- forms ---------------------------------------------------------------------------------- */

/* One HTML file without scripts, which requests nothing from any host. */
void report_html(const json_t *report, struct pl_buf *buf);
/* Markdown with GitHub's tables. */
void report_markdown(const json_t *report, struct pl_buf *buf);
/* 80 columns. color: use ANSI codes. */
void report_terminal(const json_t *report, bool color, struct pl_buf *buf);
