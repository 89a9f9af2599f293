/* The work of one analysis: its rows in an order that depends on their codes and values alone. */
#pragma once

#include "result/impact/impact.h"

/* Rows by cell: those of cell i are rows[starts[i] … starts[i + 1]]. */
struct impact_cells {
	size_t *starts;
	size_t *rows;
	size_t count;
};
void res_impact_cells_done(struct impact_cells *cells);

struct impact_factor {
	uint32_t *codes;  /* by row, in the order of the work */
	uint64_t *hashes; /* by code */
	size_t *counts;   /* rows by code */
	size_t distinct;  /* codes with rows */
	size_t recorded;  /* of them without 0 */
	bool is_key;      /* part of cells, and the first of its group */
	bool is_part;     /* part of a group: its partition of the rows counts */
	bool has_host;    /* the group has a host input */
	size_t lead;      /* first input of its group */
	bool *determines; /* by lead: each value of this one has one value of that one */
};

struct impact_work {
	const struct res_impact_factor *about;
	struct impact_factor *factors;
	size_t factor_count;
	size_t row_count;
	bool is_grouped; /* false: there was no time to compare all inputs with each other */
	size_t *order;   /* row of the question */
	int64_t *ids;    /* by row */
	double *values;  /* by row */
	double *logs;    /* by row */
	uint64_t *cells; /* hash of all keys, by row: a sum, so that inputs can be subtracted */
};

/* Collects the rows with equal hashes; `ignored`: leads that do not count. */
void res_impact_cells_make(const struct impact_work *work, const size_t *ignored,
			   size_t ignored_count, struct impact_cells *ret);
/* The same for an effect of this lead: without it, and without what it determines. */
void res_impact_cells_of(const struct impact_work *work, size_t lead, size_t other,
			 struct impact_cells *ret);
/* Returns the median of the logarithms of these rows; `room` has place for them. */
double res_impact_median(const struct impact_work *work, const size_t *rows, size_t count,
			 double *room);
/* Sorts rows of a cell by the code of a lead, otherwise in their order. */
void res_impact_sort_rows(const struct impact_work *work, size_t lead, size_t *rows, size_t count);

/* Adds the contrasts of a lead; returns whether pairs were omitted because a host input differs. */
bool res_impact_contrasts_make(const struct impact_work *work, size_t lead,
			       struct res_impact_effect *ret);
void res_impact_interactions_make(const struct impact_work *work,
				  struct res_impact_analysis *analysis);

/* Plain means of all rows with either code of a factor. */
void res_impact_plain(const struct impact_work *work, size_t factor, uint32_t from, uint32_t to,
		      double ret_means[2], size_t ret_counts[2], double *ret_ratio);
