/*
 * Two sides with results of several configurations, such as two releases over a grid: a comparison of their means mixes
 * the configurations, so a comparison also has the summary of the matched ones (result/match/grid.h).
 */
#pragma once

#include "result/compare/documents.h"

struct res_compare_releases_options {
	const struct res_field *metrics; /* NULL: headline metrics with a direction and a number */
	size_t metric_count;
	const char *const *vary; /* inputs that do not count for the match */
	size_t vary_count;
};

/*
 * Returns the JSON of the grid, a new reference, or NULL if each of the two sides has one configuration. Simulated results
 * are excluded if there are others, and so are copies: results with the run_id of an earlier one of their side;
 * `excluded` {simulated, copies} counts them.
 */
json_t *res_compare_releases(const struct res_fields *fields,
			     const struct res_compare_documents *sides,
			     const struct res_compare_releases_options *options);
