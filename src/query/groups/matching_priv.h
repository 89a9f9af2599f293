/*
 * Matched cells of a comparison: of each side the rows of which every other side has the like.
 *
 * A cell is what a row has at each input at once. Inputs of which no value occurs on all sides are not part of it: they are
 * what is compared, or what tells one run from the next. Unset and not recorded are values like any other.
 */
#pragma once

#include "base/json.h"
#include "mirror/view.h"

#define QUERY_MATCH_GROUPS_MAX 50 /* of a chart, or of a summary; sides of a comparison are fewer */

struct matching_side {
	uint64_t *rows; /* borrowed; those without a match are taken out */
	size_t count;   /* of rows before */
	size_t fell_out;
};

struct matching {
	json_t *by;    /* ids of the inputs in which rows differ, and which make the cells */
	json_t *apart; /* ids of those of which no value occurs on all sides */
	size_t cells;  /* that all sides have */
	size_t groups; /* of query_matching_keep_groups() */
};

/* Both lists of *ret are new references, also after -1: INTERRUPTED. */
int query_matching_keep(const struct mirror_view *view, struct matching_side *sides, size_t count,
			struct matching *ret, struct pl_err *err) PL_MUST_CHECK;

/*
 * Of rows in groups: group_of by a row's place in the bitmap; from `count` on it is in none and goes. With fewer than two
 * groups or more than QUERY_MATCH_GROUPS_MAX all rows stay, and both lists of *ret are NULL.
 */
int query_matching_keep_groups(const struct mirror_view *view, uint64_t *rows,
			       const uint32_t *group_of, size_t count, struct matching *ret,
			       struct pl_err *err) PL_MUST_CHECK;
/* {groups, by, apart, cells}: takes the lists. New reference; NULL: nothing was matched. */
json_t *query_matching_json(const struct matching *matching);
