/*
 * The order of a dictionary's values, kept from one query to the next: those that came since are put in order by
 * themselves, and merged.
 */
#pragma once

#include <stdint.h>

struct rank_keeper;
struct rank_keeper *mirror_rank_keeper_new(void);
void mirror_rank_keeper_free(struct rank_keeper *keeper);

/* Of all values with codes below `count`, or more of them. Never changes. */
struct ranks {
	unsigned users;
	uint32_t count;
	uint32_t *order;  /* codes, the first one first */
	uint32_t *places; /* by code: where in `order`; alike ones share the first one's */
};

/* Compares two codes, of any values that are there: always in the same way for one keeper. */
typedef int ranks_compare_fn(const void *a, const void *b, void *context);

/* Any number of threads may ask; who asks while they are made waits. mirror_ranks_put() exactly once. */
struct ranks *mirror_ranks_get(struct rank_keeper *keeper, uint32_t count,
			       ranks_compare_fn *compare, void *context);
void mirror_ranks_put(struct rank_keeper *keeper, struct ranks *ranks);
