/* One request of query_impact(), and its response. */
#pragma once

#include "query/configurations/configurations_priv.h"
#include "query/filter.h"
#include "query/impact/impact.h"
#include "query/pointer.h"
#include "query/request_priv.h"
#include "result/impact/impact.h"

struct input {
	const struct mirror_column *column;
	bool is_host;
	bool is_derived;
};

struct inputs {
	struct input *items;
	size_t count, room;
};

struct impact {
	struct query_pointer pointer;
	struct mirror_view *view;
	struct mirror_ids ids;
	struct query_filter *filter;
	struct configurations configurations; /* only rows, and counts of excluded ones */
	const struct mirror_column *metric;
	struct request_fields vary;
	double effect;
	const json_t *pairs_of; /* NULL: none */
	const struct mirror_column *pairs_column;
	size_t limit;
	json_int_t budget_ms;
	int64_t began_ns;

	size_t unmeasured;
	size_t row_count;
	size_t *places; /* by row */
	int64_t *row_ids;
	double *values;
	bool *is_set;           /* by column: an argument that some row sets */
	struct inputs inputs;   /* those that vary, in the order of their ids */
	struct inputs constant; /* the others */
	struct res_impact_factor *factors;
	struct res_impact_analysis analysis;
};

/* Writes the response. INVALID: it is too large. */
int query_impact_write(const struct impact *impact, int64_t data_version, struct pl_buf *out,
		       struct pl_err *err) PL_MUST_CHECK;
