/*
 * The location of each key. The last one counts, like its value. A list suffices: a file has a few
 * dozen keys.
 */
#include "option/locations.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const struct option_location *option_locations_find(const struct option_locations *locations,
						    const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < locations->count; i++) {
		if (locations->items[i].key_len == len &&
		    memcmp(locations->items[i].key, key, len) == 0)
			return &locations->items[i];
	}
	return NULL;
}

void option_locations_set(struct option_locations *locations, const char *key, const char *source,
			  int line, int column)
{
	struct option_location *location = (struct option_location *)option_locations_find(
		locations, key);

	if (location == NULL) {
		pl_grow((void **)&locations->items, &locations->room, locations->count + 1,
			sizeof(locations->items[0]));
		location = &locations->items[locations->count++];
		location->key = pl_strdup(key);
		location->key_len = strlen(key);
	}
	free(location->source);
	location->source = pl_strdup(source);
	location->line = line;
	location->column = column;
}

void option_locations_done(struct option_locations *locations)
{
	for (size_t i = 0; i < locations->count; i++) {
		free(locations->items[i].key);
		free(locations->items[i].source);
	}
	free(locations->items);
	*locations = (struct option_locations){ 0 };
}
