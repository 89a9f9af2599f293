/* The sort order of a dictionary's values, cached between queries. New values are sorted separately and merged. */
#pragma once

#include <stdint.h>

struct rank_keeper;
struct rank_keeper *mirror_rank_keeper_new(void);
void mirror_rank_keeper_free(struct rank_keeper *keeper);

/* The order of at least all values with codes < count. Never changes. */
struct ranks {
	unsigned users;
	uint32_t count;
	uint32_t *order;     /* codes in ascending order of their values */
	uint32_t *positions; /* by code: index in `order`; equal values share the first index */
};

/* Compares two existing codes. The order must be the same for all calls with one keeper. */
typedef int ranks_compare_fn(const void *a, const void *b, void *context);

/*
 * Any number of threads may call this; a thread waits while another one computes the order. Call mirror_ranks_put()
 * exactly once.
 */
struct ranks *mirror_ranks_get(struct rank_keeper *keeper, uint32_t count,
			       ranks_compare_fn *compare, void *context);
void mirror_ranks_put(struct rank_keeper *keeper, struct ranks *ranks);
