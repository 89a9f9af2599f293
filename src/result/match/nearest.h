/*
 * The most similar configuration of another list: the one that differs in the fewest inputs, and of
 * equally similar ones the first. A missing input equals null.
 *
 * The work grows with the length of the lists, not with their product. For each set of s inputs,
 * s = 0, 1, 2…, configurations that are equal without these inputs meet in a hash table, until each
 * has met one. This is exact for any distance with up to 10 inputs that differ at all, for 4 of up to
 * 12, 3 of up to 18, and 2 of up to 44. A configuration farther away gets the most similar one of
 * RES_NEAREST_SAMPLE others, evenly spread over the list.
 */
#pragma once

#include "base/json.h"

#define RES_NEAREST_SETS_MAX 1024 /* sets of inputs */
#define RES_NEAREST_SAMPLE   256

/*
 * Returns for each of `cells` its index in `others`; SIZE_MAX if there are none. free(). Adds the number of
 * hashed and of compared configurations to *ret_work, if it is not NULL.
 */
size_t *res_match_nearest(const json_t *const *cells, size_t count, const json_t *const *others,
			  size_t other_count, size_t *ret_work);
