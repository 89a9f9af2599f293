/* Rows of requests: shared by the reader, the selection, the sums and the lanes. */
#pragma once

#include "dash/records/records.h"

#include "result/record.h"

#include <stdatomic.h>

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

enum records_status { RECORDS_COMPLETED, RECORDS_FAILED, RECORDS_NOT_SENT, RECORDS_STATUSES };
extern const char *const dash_records_status_names[RECORDS_STATUSES];

/* The kinds of errors; as many as fit into a bit mask. */
enum records_failure {
#define FAILURE(name, text) RECORDS_FAILURE_##name,
#include "tbl/states.h"
	RECORDS_FAILURES
};
_Static_assert(RECORDS_FAILURES <= 32, "a set of kinds is a uint32_t");
extern const char *const dash_records_failure_names[RECORDS_FAILURES];

/* Times as in struct res_record; RES_NO_TIME: none. */
struct records_row {
	int64_t index;
	int64_t queued_ns;
	int64_t acted_ns;
	int64_t sent_ns;
	int64_t headers_ns;
	int64_t first_ns; /* the first chunk */
	int64_t content_ns;
	int64_t last_ns; /* the last chunk, or the end of a response without chunks */
	int64_t end_ns;
	int64_t max_gap_ns; /* -1: no gap */
	double ttft_s;      /* NaN: none */
	double tpot_s;      /* NaN: none */
	double e2el_s;      /* NaN: none */
	double server_queue_s;
	double server_ttft_s;
	int64_t prompt_tokens; /* RES_NO_COUNT: unknown */
	int64_t output_tokens;
	uint64_t gap_at; /* of struct dash_records */
	uint32_t gap_count;
	uint32_t chunks;
	uint32_t id_at; /* in the texts; 0: none */
	uint32_t message_at;
	uint32_t finish_at;
	uint32_t tries;
	int32_t http_status; /* 0: none */
	uint8_t status;      /* enum records_status */
	uint8_t failure;     /* of a request that did not complete */
	bool has_start;      /* else acted_ns is 0 and only differences of times are known */
};

/* The positions of a curve, in thousandths of a percent, ascending. */
#define RECORDS_POSITIONS 128
extern const int dash_records_positions[RECORDS_POSITIONS];

/* A gap that does not fit into 32 bits of nanoseconds: 4.3 s and longer. */
struct records_long_gap {
	uint64_t at;
	int64_t ns;
};
#define RECORDS_LONG_GAP UINT32_MAX

struct dash_records {
	atomic_uint references;
	struct records_row *rows; /* by index */
	size_t count;
	size_t room;
	uint32_t *
		gaps; /* between the chunks of each request, in ns; RECORDS_LONG_GAP: in the list */
	size_t gap_count;
	size_t gap_room;
	struct records_long_gap *long_gaps; /* by place */
	size_t long_count;
	size_t long_room;
	char *texts; /* each ends with a NUL; the first byte is one, so that 0 is "none" */
	size_t text_len;
	size_t text_room;
	size_t lines;
	size_t skipped;
	size_t attempts; /* lines of attempts that were retried */
	bool is_foreign; /* the clock is not CLOCK_MONOTONIC of the run */
	double itl
		[RECORDS_POSITIONS]; /* curve of the gaps of all completed requests, in ms; NaN: none */
	size_t itl_count;
	double itl_median_ms; /* NaN: none */
};

static inline const char *records_text(const struct dash_records *records, uint32_t at)
{
	return records->texts + at;
}

int64_t dash_records_gap(const struct dash_records *records, uint64_t at);

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
double dash_records_number(const struct dash_records *records, const struct records_row *row,
			   enum records_column column, int64_t origin_ns);
/* Returns the text of a column; NULL: none. */
const char *dash_records_column_text(const struct dash_records *records,
				     const struct records_row *row, enum records_column column);
/* Returns false and sets *ret_nearest to a similar name, or NULL, if there is no such column. */
bool dash_records_column_find(const char *name, enum records_column *ret, const char **ret_nearest);

/* The rows that match, in the order of the plan. Free the array with free(). */
uint32_t *dash_records_match(const struct dash_records *records,
			     const struct dash_records_question *question, size_t *ret_count);
/* Sorts them in the requested order; a row without the value comes last, equal rows stay in the order of the plan. */
void dash_records_sort(const struct dash_records *records,
		       const struct dash_records_question *question, uint32_t *rows, size_t count);
/* Counts {name: count} per status, and per kind of error, of the rows that match everything but these two conditions. */
json_t *dash_records_facets(const struct dash_records *records,
			    const struct dash_records_question *question);

/* `rows`: places in the records; in the order of the plan. */
json_t *dash_records_sums(const struct dash_records *records, const uint32_t *rows, size_t count);
json_t *dash_records_curves(const struct dash_records *records, const uint32_t *rows, size_t count);
/* Computes the curve of the gaps of these rows into ret[RECORDS_POSITIONS], in ms. Returns the number of gaps. */
size_t dash_records_itl(const struct dash_records *records, const uint32_t *rows, size_t count,
			double *ret, double *ret_median_ms);
json_t *dash_records_lanes(const struct dash_records *records,
			   const struct dash_records_question *question, const uint32_t *rows,
			   size_t count);
