#include "mirror/shelf.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

#define ASKED_MIN  2 /* requests until they are made */
#define LATER_PART 8 /* made again after growing by one eighth */

struct place {
	struct numbers *numbers; /* NULL: none */
	unsigned asked;          /* requests since they were made, for more rows than they cover */
	bool is_being_made;
	uint64_t used; /* greater is later */
};

struct shelf {
	pthread_mutex_t lock;
	struct place *places; /* of each column */
	size_t count;
	uint64_t used;
	size_t bytes;
};

struct shelf *mirror_shelf_new(size_t columns)
{
	struct shelf *shelf = pl_alloc(sizeof(*shelf));

	pthread_mutex_init(&shelf->lock, NULL);
	shelf->places = pl_alloc_array(columns, sizeof(*shelf->places));
	shelf->count = columns;
	return shelf;
}

void mirror_shelf_free(struct shelf *shelf)
{
	if (shelf == NULL)
		return;
	for (size_t i = 0; i < shelf->count; i++)
		mirror_numbers_put(shelf->places[i].numbers);
	pthread_mutex_destroy(&shelf->lock);
	free(shelf->places);
	free(shelf);
}

/* ---- under the lock -------------------------------------------------------------------------- */

static void set(struct shelf *shelf, struct place *place, struct numbers *numbers)
{
	if (place->numbers != NULL)
		shelf->bytes -= place->numbers->bytes;
	if (numbers != NULL)
		shelf->bytes += numbers->bytes;
	mirror_numbers_put(place->numbers);
	place->numbers = numbers;
	place->asked = 0;
}

static void drop_some(struct shelf *shelf, size_t bytes_max)
{
	while (shelf->bytes > bytes_max) {
		struct place *last = NULL;
		for (size_t i = 0; i < shelf->count; i++) {
			struct place *place = &shelf->places[i];
			if (place->numbers != NULL && (last == NULL || place->used < last->used))
				last = place;
		}
		set(shelf, last, NULL);
	}
}

/* A new reference; NULL: there are none. */
static struct numbers *take(struct shelf *shelf, struct place *place)
{
	place->used = ++shelf->used;
	if (place->numbers != NULL)
		atomic_fetch_add(&place->numbers->users, 1);
	return place->numbers;
}

static bool are_to_be_made(struct place *place, size_t rows)
{
	size_t known = place->numbers != NULL ? place->numbers->known : 0;

	if (rows <= known + known / LATER_PART || place->is_being_made)
		return false;
	return place->is_being_made = ++place->asked >= ASKED_MIN;
}

/* ---- interface ------------------------------------------------------------------------------- */

struct numbers *mirror_shelf_take(const struct mirror_column *column, const struct mask *masks,
				  size_t segments)
{
	struct shelf *shelf = column->shelf;
	size_t rows = 0;

	if (shelf == NULL)
		return NULL;
	struct place *place = &shelf->places[column->at];
	for (size_t i = 0; i < segments; i++)
		rows += masks[i].rows;
	pthread_mutex_lock(&shelf->lock);
	bool is_maker = are_to_be_made(place, rows);
	struct numbers *taken = is_maker ? NULL : take(shelf, place);
	pthread_mutex_unlock(&shelf->lock);
	if (!is_maker)
		return taken;
	struct numbers *made = mirror_numbers_new(column, masks, segments);
	pthread_mutex_lock(&shelf->lock);
	set(shelf, place, made);
	place->is_being_made = false;
	taken = take(shelf, place);
	drop_some(shelf, rows * SHELF_ROW_BYTES);
	pthread_mutex_unlock(&shelf->lock);
	return taken;
}

size_t mirror_shelf_bytes(struct shelf *shelf)
{
	pthread_mutex_lock(&shelf->lock);
	size_t bytes = shelf->bytes;
	pthread_mutex_unlock(&shelf->lock);
	return bytes;
}
