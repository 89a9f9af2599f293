/*
 * Matched cells of a comparison: the rows of each side that have a counterpart on every other side. A cell is the
 * combination of a row's values in all inputs. Inputs without a value that occurs on all sides are not part of it: they
 * are what is compared, or differ in every run. Unset and not recorded are values like any other.
 */
#pragma once

#include "base/json.h"
#include "mirror/view.h"

#define QUERY_MATCH_GROUPS_MAX 50 /* of a chart or a summary; comparisons have fewer sides */

struct matching_side {
	uint64_t *rows; /* borrowed; rows without a match are removed */
	size_t count;   /* of rows before the removal */
	size_t fell_out;
};

struct matching {
	json_t *by;    /* ids of the differing inputs that form the cells */
	json_t *apart; /* ids of inputs without a value that occurs on all sides */
	size_t cells;  /* number of cells on all sides */
	size_t groups; /* of query_matching_keep_groups() */
};

/* Both lists of *ret are new references, also after -1: INTERRUPTED. */
int query_matching_keep(const struct mirror_view *view, struct matching_side *sides, size_t count,
			struct matching *ret, struct pl_err *err) PL_MUST_CHECK;

/*
 * The same for groups: group_of maps the index of a row in the bitmap to its group. Rows with a value >= count are in
 * no group and are removed. With fewer than two groups or more than QUERY_MATCH_GROUPS_MAX, all rows stay, and both
 * lists of *ret are NULL.
 */
int query_matching_keep_groups(const struct mirror_view *view, uint64_t *rows,
			       const uint32_t *group_of, size_t count, struct matching *ret,
			       struct pl_err *err) PL_MUST_CHECK;
/* {groups, by, apart, cells}: takes the lists. New reference; NULL: nothing was matched. */
json_t *query_matching_json(const struct matching *matching);
