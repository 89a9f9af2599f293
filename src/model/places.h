/*
 * Where each key of an experiment was set, for what is found out later about its value.
 */
#ifndef MODEL_PLACES_H
#define MODEL_PLACES_H

#include <stddef.h>

/* The texts are the table's own. */
struct md_place {
	char *key; /* "server.tensor_parallel_size" */
	size_t key_len;
	char *source; /* file name or "--set" */
	int line;     /* from 1; 0: none */
	int column;
};

struct md_places {
	struct md_place *items;
	size_t count;
	size_t room;
};

/* The last one stays. */
void md_places_set(struct md_places *places, const char *key, const char *source, int line,
		   int column);
/* NULL: it was not set. */
const struct md_place *md_places_find(const struct md_places *places, const char *key);
void md_places_done(struct md_places *places);

#endif
