/* Columns of requests and questions about them: shared by the selection, the sums and the lanes. */
#pragma once

#include "dash/records/records.h"

#include "result/record.h"

enum records_column {
#define COLUMN(id, type, unit, title, text) RECORDS_##id,
#include "tbl/record_columns.h"
	RECORDS_COLUMNS
};

enum records_type { NUMBER, COUNT, TEXT };

struct records_column_row {
	const char *id;
	enum records_type type;
	const char *unit;
	const char *title;
	const char *text;
};
extern const struct records_column_row dash_records_columns[RECORDS_COLUMNS];

extern const char *const dash_records_status_names[RECORDS_STATUSES];

struct dash_records_question {
	int64_t origin_ns;
	unsigned statuses; /* set of bits; 0: all */
	uint32_t failures; /* set of bits; 0: all */
	int64_t index_from;
	int64_t index_to;
	const char *id; /* part of the request id; NULL: any */
	double from_s;  /* NaN: any */
	double to_s;
	struct records_limit {
		enum records_column column;
		double value;
		bool is_max;
	} limits[2 * DASH_RECORD_LIMITS_MAX];
	size_t limit_count;
	enum records_column sort;
	bool is_descending;
	size_t offset;
	size_t limit;
	bool has_curve;
	size_t lanes;    /* 0: none */
	double stall_ms; /* NaN: by the median gap */
};

/* Returns the number of a column, NaN: none, or a column of texts. */
double dash_records_number(const struct records *records, const struct records_row *row,
			   enum records_column column, int64_t origin_ns);
/* Returns the text of a column; NULL: none. */
const char *dash_records_column_text(const struct records *records, const struct records_row *row,
				     enum records_column column);
/* Returns false and sets *ret_nearest to a similar name, or NULL, if there is no such column. */
bool dash_records_column_find(const char *name, enum records_column *ret, const char **ret_nearest);

/* The rows that match, in the order of the plan. Free the array with free(). */
uint32_t *dash_records_match(const struct records *records,
			     const struct dash_records_question *question, size_t *ret_count);
/* Sorts them in the requested order; a row without the value comes last, equal rows stay in the order of the plan. */
void dash_records_sort(const struct records *records, const struct dash_records_question *question,
		       uint32_t *rows, size_t count);
/* Counts {name: count} per status, and per kind of error, of the rows that match everything but these two conditions. */
json_t *dash_records_facets(const struct records *records,
			    const struct dash_records_question *question);

/* `rows`: places in the records; in the order of the plan. */
json_t *dash_records_sums(const struct records *records, const uint32_t *rows, size_t count);
json_t *dash_records_curves(const struct records *records, const uint32_t *rows, size_t count);
json_t *dash_records_lanes(const struct records *records,
			   const struct dash_records_question *question, const uint32_t *rows,
			   size_t count);
