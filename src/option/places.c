/*
 * The location of each key. The last one counts, like its value. A list suffices: a file has a few
 * dozen keys.
 */
#include "option/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const struct option_place *option_places_find(const struct option_places *places, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < places->count; i++) {
		if (places->items[i].key_len == len && memcmp(places->items[i].key, key, len) == 0)
			return &places->items[i];
	}
	return NULL;
}

void option_places_set(struct option_places *places, const char *key, const char *source, int line,
		       int column)
{
	struct option_place *place = (struct option_place *)option_places_find(places, key);

	if (place == NULL) {
		pl_grow((void **)&places->items, &places->room, places->count + 1,
			sizeof(places->items[0]));
		place = &places->items[places->count++];
		place->key = pl_strdup(key);
		place->key_len = strlen(key);
	}
	free(place->source);
	place->source = pl_strdup(source);
	place->line = line;
	place->column = column;
}

void option_places_done(struct option_places *places)
{
	for (size_t i = 0; i < places->count; i++) {
		free(places->items[i].key);
		free(places->items[i].source);
	}
	free(places->items);
	*places = (struct option_places){ 0 };
}
