/* The current location of a reader in a request, and the faults it has found. */
#pragma once

#include "schema/schema.h"

#define FAULTS_MAX 20 /* more would not help */

struct place {
	struct pl_buf pointer;
	struct schema_faults *faults;
};

#define PLACE_BYTES_MAX (1u << 20)
static inline void place_done(struct place *place)
{
	pl_buf_done(&place->pointer);
}
#define auto_place __attribute__((cleanup(place_done), unused)) struct place

/* Enter a key or an item; leave with the returned value. */
size_t query_place_enter(struct place *place, const char *key);
size_t query_place_enter_item(struct place *place, size_t i);
void query_place_leave(struct place *place, size_t before);

/* Adds a fault and returns false. `keyword` is borrowed; nearest may be NULL. */
bool query_place_fault(struct place *place, const char *keyword, const json_t *found,
		       const char *expected, const char *nearest);
/* "at most 1000 nodes" */
bool query_place_limit(struct place *place, const json_t *found, size_t most, const char *what);
bool query_place_missing(struct place *place, const char *key, const char *expected);
