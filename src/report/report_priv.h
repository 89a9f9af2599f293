/* Shared by the files of this directory. */
#pragma once

#include "report/report.h"

#include "plot/chart.h"

/* ---- building (blocks.c); all append to an array of blocks, sections or rows ------------------ */

json_t *report_new(const char *title, const char *lead, bool is_simulated);
/* Returns the blocks of a new section; borrowed. */
json_t *report_add_section(json_t *report, const char *id, const char *title);
/* Removes the last section if it has no block. */
void report_drop_empty(json_t *report);
void report_add_text(json_t *blocks, const char *tone, const char *text);
void report_add_code(json_t *blocks, const char *title, const char *text, bool is_folded);

/* columns: "Title<", "Title>" or "Title`" for left, right and code; "!" after it: lasting; separated by "|". */
json_t *report_add_table(json_t *blocks, const char *title, const char *columns, bool is_folded);
/* Returns a new row of the table; borrowed. */
json_t *report_add_row(json_t *table);
void report_add_group(json_t *table, const char *title, const char *text);
void report_add_cell(json_t *row, const char *text);
void report_add_toned_cell(json_t *row, const char *text, const char *tone);
/* A number with its exact value for programs; NaN: "–". is_count: all digits. */
void report_add_number_cell(json_t *row, double number, bool is_count);

/* "1,234", "12.34", "0.001234": four digits, or all digits of a count. */
#define REPORT_NUMBER_BYTES 48
void report_number_text(double number, bool is_count, char text[REPORT_NUMBER_BYTES]);

/* Returns "ms ↓", "tok/s ↑"; the caller frees it with free(). */
char *report_unit_text(const struct res_field *field);
/* Returns a field's value in one line; NULL if it is missing or null. The caller frees it with free(). */
char *report_value_text(const struct res_fields *fields, const char *id, const json_t *document);
/* Returns the number of a field; NaN: none. */
double report_value(const struct res_fields *fields, const char *id, const json_t *document);
/* Returns a title: name, run_id or path; borrowed. */
const char *report_title(const json_t *document, const char *path);
/* Returns model, load and engine in one line; the caller frees it with free(). */
char *report_facts(const struct res_fields *fields, const json_t *document);

/* ---- requests (requests.c) --------------------------------------------------------------------- */

/* The measurements of the requests that were started, in the order of their starts. */
struct report_requests {
	struct report_request {
		double start_s; /* from the first start */
		double ttft_ms; /* NaN: none */
		double tpot_ms;
		double e2el_ms;
		int64_t index; /* in the plan */
		bool ok;
	} * items;
	size_t count;
};
void report_requests_of(const struct records *records, struct report_requests *ret);
void report_requests_done(struct report_requests *requests);
#define auto_report_requests \
	__attribute__((cleanup(report_requests_done), unused)) struct report_requests

/* ---- charts (charts.c, telemetry.c) ------------------------------------------------------------ */

/* Return a new chart of its array; borrowed. */
json_t *report_add_chart(json_t *charts, const char *title, const char *text, const char *x,
			 const char *y);
json_t *report_add_line(json_t *chart, const char *name, const char *mark);
/* Appends to a list of a series or chart; NaN becomes null. */
void report_push(json_t *series, const char *list, double value);
/* Sets the ticks of an axis of percentiles. */
void report_set_percentile_axis(json_t *chart, double highest);
/* Position of a percentile on that axis: the number of nines. */
double report_nines(double percentile);
/* The table of a chart: as report_add_table(). */
json_t *report_chart_table(json_t *chart, const char *columns);

void report_add_latencies(const struct report_input *input, json_t *blocks);
void report_add_telemetry(const struct report_input *input, json_t *blocks);
/* Adds the section of results.latency_breakdown, if the document has it. */
void report_add_breakdown(const json_t *document, json_t *report);
void report_add_startup(const json_t *document, json_t *blocks);

/* Draws a chart as SVG; id: unique within the page (figure.c). */
void report_svg(const json_t *chart, const char *id, struct pl_buf *buf);
/* Number that the JSON value is; NaN: null or another type. */
double report_json_number(const json_t *value);
/* Text of a cell. */
const char *report_cell_text(const json_t *cell);

/* The style sheet; NUL-terminated. */
extern const char report_style[];
