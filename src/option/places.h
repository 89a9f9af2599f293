/*
 * Where each key of an experiment was set, for what is found out later about its value.
 */
#pragma once

#include <stddef.h>

/* The texts are the table's own. */
struct option_place {
	char *key; /* "server.tensor_parallel_size" */
	size_t key_len;
	char *source; /* file name or "--set" */
	int line;     /* from 1; 0: none */
	int column;
};

struct option_places {
	struct option_place *items;
	size_t count;
	size_t room;
};

/* The last one stays. */
void option_places_set(struct option_places *places, const char *key, const char *source, int line,
		       int column);
/* NULL: it was not set. */
const struct option_place *option_places_find(const struct option_places *places, const char *key);
void option_places_done(struct option_places *places);
