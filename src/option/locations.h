/* The location at which each key of an experiment was set, for errors found later. */
#pragma once

#include <stddef.h>

/* The table owns the texts. */
struct option_location {
	char *key; /* "server.tensor_parallel_size" */
	size_t key_len;
	char *source; /* file name or "--set" */
	int line;     /* from 1; 0: none */
	int column;
};

struct option_locations {
	struct option_location *items;
	size_t count;
	size_t room;
};

/* Overwrites an earlier location. */
void option_locations_set(struct option_locations *locations, const char *key, const char *source,
			  int line, int column);
/* Returns NULL if it was not set. */
const struct option_location *option_locations_find(const struct option_locations *locations,
						    const char *key);
void option_locations_done(struct option_locations *locations);
