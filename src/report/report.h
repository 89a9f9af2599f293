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
#include "records/records.h"
#include "result/compare/documents.h"
#include "result/flat/read.h"

/* A report is smaller: every list that may be long is bounded. */
#define REPORT_BYTES_MAX (64u << 20)

/* ---- data of artifacts ---------------------------------------------------------------------- */

struct series;

/* The contents of the artifacts of one run. Initialize with report_data_init(). */
struct report_data {
	struct records *records; /* NULL: none */
	struct series *series;   /* NULL: none */
	json_t *notes;           /* sentences about artifacts that could not be read */
};
void report_data_init(struct report_data *data);
void report_data_done(struct report_data *data);
#define auto_report_data __attribute__((cleanup(report_data_done), unused)) struct report_data

/* One artifact, wherever it is stored. */
struct report_artifact {
	const char *kind; /* "requests" or "series"; others are not read */
	const char *name; /* for the notes */
	/* The text of its error becomes the note. */
	int (*open)(void *data, struct pl_unpack **ret, struct pl_err *err);
	void *data;
};

struct report_limits {
	size_t records_bytes; /* in memory */
	size_t series_text_bytes;
	size_t series_bytes; /* in memory */
};

/*
 * Reads an artifact, unless one of its kind was read before. An error becomes a note, because the other sections are
 * still useful; the requests before it are kept. cancel: NULL: never.
 */
void report_data_read(struct report_data *data, const struct report_artifact *artifact,
		      const struct report_limits *limits, const struct records_cancel *cancel);
/* Adds a note without reading the artifact. */
void report_data_note(struct report_data *data, const char *name, const char *text);
/* Takes the lists in a file of vllm bench serve, unless there are records. */
void report_data_add_lists(struct report_data *data, const struct res_flat *flat,
			   const struct report_limits *limits);

/* One result. All are borrowed. */
struct report_input {
	const char *path; /* of the result, for commands; NULL: unknown */
	bool is_vllm;     /* vLLM wrote the file, and the document is derived from it */
	const json_t *document;
	const struct report_data *data; /* NULL: none */
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
