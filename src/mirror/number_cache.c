#include "mirror/number_cache.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

#define REQUESTS_MIN 2 /* requests until they are made */
#define LATER_PART   8 /* made again after growing by one eighth */

struct position {
	struct numbers *numbers; /* NULL: none */
	unsigned requests;       /* requests since they were made, for more rows than they cover */
	bool is_being_made;
	uint64_t used; /* greater is later */
};

struct number_cache {
	pthread_mutex_t lock;
	struct position *entries; /* of each column */
	size_t count;
	uint64_t used;
	size_t bytes;
};

struct number_cache *mirror_number_cache_new(size_t columns)
{
	struct number_cache *number_cache = pl_alloc(sizeof(*number_cache));

	pthread_mutex_init(&number_cache->lock, NULL);
	number_cache->entries = pl_alloc_array(columns, sizeof(*number_cache->entries));
	number_cache->count = columns;
	return number_cache;
}

void mirror_number_cache_free(struct number_cache *number_cache)
{
	if (number_cache == NULL)
		return;
	for (size_t i = 0; i < number_cache->count; i++)
		mirror_numbers_put(number_cache->entries[i].numbers);
	pthread_mutex_destroy(&number_cache->lock);
	free(number_cache->entries);
	free(number_cache);
}

/* ---- under the lock -------------------------------------------------------------------------- */

static void set(struct number_cache *number_cache, struct position *position,
		struct numbers *numbers)
{
	if (position->numbers != NULL)
		number_cache->bytes -= position->numbers->bytes;
	if (numbers != NULL)
		number_cache->bytes += numbers->bytes;
	mirror_numbers_put(position->numbers);
	position->numbers = numbers;
	position->requests = 0;
}

static void drop_some(struct number_cache *number_cache, size_t bytes_max)
{
	while (number_cache->bytes > bytes_max) {
		struct position *last = NULL;
		for (size_t i = 0; i < number_cache->count; i++) {
			struct position *position = &number_cache->entries[i];
			if (position->numbers != NULL &&
			    (last == NULL || position->used < last->used))
				last = position;
		}
		set(number_cache, last, NULL);
	}
}

/* A new reference; NULL: there are none. */
static struct numbers *take(struct number_cache *number_cache, struct position *position)
{
	position->used = ++number_cache->used;
	if (position->numbers != NULL)
		atomic_fetch_add(&position->numbers->users, 1);
	return position->numbers;
}

static bool are_to_be_made(struct position *position, size_t rows)
{
	size_t known = position->numbers != NULL ? position->numbers->known : 0;

	if (rows <= known + known / LATER_PART || position->is_being_made)
		return false;
	return position->is_being_made = ++position->requests >= REQUESTS_MIN;
}

/* ---- interface ------------------------------------------------------------------------------- */

struct numbers *mirror_number_cache_take(const struct mirror_column *column,
					 const struct mask *masks, size_t segments)
{
	struct number_cache *number_cache = column->number_cache;
	size_t rows = 0;

	if (number_cache == NULL)
		return NULL;
	struct position *position = &number_cache->entries[column->at];
	for (size_t i = 0; i < segments; i++)
		rows += masks[i].rows;
	pthread_mutex_lock(&number_cache->lock);
	bool is_maker = are_to_be_made(position, rows);
	struct numbers *taken = is_maker ? NULL : take(number_cache, position);
	pthread_mutex_unlock(&number_cache->lock);
	if (!is_maker)
		return taken;
	struct numbers *made = mirror_numbers_new(column, masks, segments);
	pthread_mutex_lock(&number_cache->lock);
	set(number_cache, position, made);
	position->is_being_made = false;
	taken = take(number_cache, position);
	drop_some(number_cache, rows * NUMBER_CACHE_ROW_BYTES);
	pthread_mutex_unlock(&number_cache->lock);
	return taken;
}

size_t mirror_number_cache_bytes(struct number_cache *number_cache)
{
	pthread_mutex_lock(&number_cache->lock);
	size_t bytes = number_cache->bytes;
	pthread_mutex_unlock(&number_cache->lock);
	return bytes;
}
