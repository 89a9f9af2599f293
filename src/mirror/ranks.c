#include "mirror/ranks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

struct rank_keeper {
	pthread_mutex_t lock;
	struct ranks *ranks; /* NULL: not requested yet */
};

struct rank_keeper *mirror_rank_keeper_new(void)
{
	struct rank_keeper *keeper = pl_alloc(sizeof(*keeper));

	pthread_mutex_init(&keeper->lock, NULL);
	return keeper;
}

/* Under the lock. */
static void let_go(struct ranks *ranks)
{
	if (ranks == NULL || --ranks->users > 0)
		return;
	free(ranks->order);
	free(ranks->positions);
	free(ranks);
}

void mirror_rank_keeper_free(struct rank_keeper *keeper)
{
	if (keeper == NULL)
		return;
	let_go(keeper->ranks);
	pthread_mutex_destroy(&keeper->lock);
	free(keeper);
}

/* Among equal values, earlier ones come first. */
static void merge(const struct ranks *old, const uint32_t *new, uint32_t new_count,
		  ranks_compare_fn *compare, void *context, uint32_t *ret)
{
	uint32_t old_at = 0, new_at = 0, old_count = old != NULL ? old->count : 0;

	while (old_at < old_count || new_at < new_count) {
		bool take_new = old_at == old_count ||
				(new_at < new_count &&
				 compare(&new[new_at], &old->order[old_at], context) < 0);
		*ret++ = take_new ? new[new_at++] : old->order[old_at++];
	}
}

static struct ranks *make(const struct ranks *old, uint32_t count, ranks_compare_fn *compare,
			  void *context)
{
	uint32_t known = old != NULL ? old->count : 0;
	auto_free uint32_t *new = pl_alloc_array(count - known, sizeof(*new));
	struct ranks *made = pl_alloc(sizeof(*made));

	*made = (struct ranks){ .users = 1,
				.count = count,
				.order = pl_alloc_array(count, sizeof(*made->order)),
				.positions = pl_alloc_array(count, sizeof(*made->positions)) };
	for (uint32_t i = known; i < count; i++)
		new[i - known] = i;
	qsort_r(new, count - known, sizeof(*new), compare, context);
	merge(old, new, count - known, compare, context, made->order);
	for (uint32_t i = 1; i < count; i++) {
		const uint32_t *code = &made->order[i];
		made->positions[*code] = compare(code - 1, code, context) == 0
						 ? made->positions[code[-1]]
						 : i;
	}
	return made;
}

struct ranks *mirror_ranks_get(struct rank_keeper *keeper, uint32_t count,
			       ranks_compare_fn *compare, void *context)
{
	struct ranks *ranks;

	pthread_mutex_lock(&keeper->lock);
	if (keeper->ranks == NULL || keeper->ranks->count < count) {
		ranks = make(keeper->ranks, count, compare, context);
		let_go(keeper->ranks);
		keeper->ranks = ranks;
	}
	ranks = keeper->ranks;
	ranks->users++;
	pthread_mutex_unlock(&keeper->lock);
	return ranks;
}

void mirror_ranks_put(struct rank_keeper *keeper, struct ranks *ranks)
{
	pthread_mutex_lock(&keeper->lock);
	let_go(ranks);
	pthread_mutex_unlock(&keeper->lock);
}
