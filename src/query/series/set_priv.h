/*
 * The rows of an analysis in the order of its axis, and their configurations. Arrays by row use the index in the bitmap
 * of rows.
 */
#pragma once

#include "query/filter.h"
#include "query/pointer.h"
#include "query/request_priv.h"
#include "query/series/series.h"

struct series_row {
	size_t place; /* in the view */
	size_t index; /* in the bitmap */
	int64_t id;
	int64_t time_us;
	int64_t at;        /* in responses: the time, or the rank of the version */
	int64_t position;  /* in an analysis: of one version, ordered by time, too */
	uint32_t version;  /* index in the versions + 1; 0: none */
	const char *order; /* sorts rows of the same `at`: time, run_id, id */
};

struct series_version {
	struct mirror_value value;
	char *label;
	int64_t first_us;
	size_t count; /* rows */
	bool is_release;
};

struct series_configuration {
	char *key;   /* hash of the values of its comparability key */
	char *label; /* the fields in which configurations differ */
	json_t *fields;
	json_t *inputs;                 /* the values of its key, by field id */
	const struct series_row **rows; /* in the order of the axis */
	size_t count;
	size_t older; /* rows that were omitted */
};

struct series_set {
	struct mirror_view *view;
	struct query_pointer pointer;
	struct mirror_ids ids;
	struct query_filter *filter;
	int64_t began_ns;
	json_int_t budget_ms; /* 0: none */

	bool is_by_version;
	const char *version_id;
	const struct mirror_column *version; /* NULL: not recorded in any result */
	struct request_fields vary, keep;
	struct request_fields group_by; /* of lines: instead of the comparability key */
	bool is_grouped;
	bool is_each; /* keys are always made of single inputs, never of derived.input_key */
	const json_t *wanted; /* only rows with one of these versions; NULL: all */
	size_t points_max;    /* newest results of a configuration; SIZE_MAX: all */

	uint64_t *bitmap;
	size_t bitmap_count;
	struct pl_arena *arena;
	struct series_row *rows; /* in the order of the axis */
	size_t row_count;
	struct series_version *versions; /* in the order of the axis, if it has versions */
	size_t version_count;
	struct series_configuration *configurations; /* in order of their keys */
	size_t configuration_count;
	size_t simulated, no_time, no_version, older; /* excluded rows */
};
void query_series_set_done(struct series_set *set);

/* Converts series_row.position to series_row.at. */
int64_t query_series_at(const struct series_set *set, int64_t position);
#define auto_series_set __attribute__((cleanup(query_series_set_done), unused)) struct series_set

/* Collects the ids of a request's lists, opens the view and reads what both requests have. Returns -1 if there is no view. */
int query_series_set_open(const struct mirror_snapshot *snapshot, const json_t *request,
			  struct series_set *set, struct pl_err *err) PL_MUST_CHECK;
/* Reads filter, order, vary and keep. Returns false if faults were added. */
bool query_series_set_read(struct series_set *set, const json_t *request);
/*
 * Returns the values of the version under study in their order: [{value, label, count}] of the rows under the filter. The
 * set must be filled afterwards. -1: INTERRUPTED.
 */
int query_series_set_values(struct series_set *set, const json_t *request, json_t **ret,
			    struct pl_err *err) PL_MUST_CHECK;
/* Reads rows, versions and configurations. -1: INTERRUPTED. */
int query_series_set_fill(struct series_set *set, const json_t *request,
			  struct pl_err *err) PL_MUST_CHECK;

/* ---- keys.c ---- */

/* Divides the rows into configurations. -1: INTERRUPTED. */
int query_series_configure(struct series_set *set, struct pl_err *err) PL_MUST_CHECK;

/* ---- values.c ---- */

/* Identifies the value of each row in the bitmap: equal for equal values of one column; 0: unset or not recorded. */
void query_series_identities(const struct series_set *set, const struct mirror_column *column,
			     uint64_t *ret);
/* Returns the same for one value. */
uint64_t query_series_identity(const struct mirror_value *value, double number);
/* The numbers of the rows in the bitmap; NaN: none. column NULL: all NaN. */
void query_series_numbers(const struct series_set *set, const struct mirror_column *column,
			  double *ret);
/* Returns the value as JSON, a new reference. A value that is not recorded is null. */
json_t *query_series_value_json(const struct mirror_value *value);
/* Returns whether the value equals the JSON; a value that is unset or not recorded never does. */
bool query_series_value_is(const struct mirror_value *value, const json_t *json);
/* Returns the value as text, without quotes; free(). */
char *query_series_value_text(const struct mirror_value *value);
/* The value of a field in a row; MISSING without a column. */
struct mirror_value query_series_value(const struct mirror_column *column, size_t place);
/* Returns the text of a position of the axis; free(). */
char *query_series_label(const struct series_set *set, const struct series_row *row);
/* {by, field}, {simulated, …}. New references. */
json_t *query_series_order_json(const struct series_set *set);
json_t *query_series_excluded_json(const struct series_set *set, size_t no_metric);
