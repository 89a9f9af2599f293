/* The current location of a reader in a request, and the faults it has found. */
#pragma once

#include "schema/schema.h"

#define FAULTS_MAX 20 /* more would not help */

struct query_pointer {
	struct pl_buf pointer;
	struct schema_faults *faults;
};

#define POINTER_BYTES_MAX (1u << 20)
static inline void query_pointer_done(struct query_pointer *pointer)
{
	pl_buf_done(&pointer->pointer);
}
#define auto_query_pointer __attribute__((cleanup(query_pointer_done), unused)) struct query_pointer

/* Enter a key or an item; leave with the returned value. */
size_t query_pointer_enter(struct query_pointer *pointer, const char *key);
size_t query_pointer_enter_item(struct query_pointer *pointer, size_t i);
void query_pointer_leave(struct query_pointer *pointer, size_t before);

/* Adds a fault and returns false. `keyword` is borrowed; nearest may be NULL. */
bool query_pointer_fault(struct query_pointer *pointer, const char *keyword, const json_t *found,
			 const char *expected, const char *nearest);
/* "at most 1000 nodes" */
bool query_pointer_limit(struct query_pointer *pointer, const json_t *found, size_t most,
			 const char *what);
bool query_pointer_missing(struct query_pointer *pointer, const char *key, const char *expected);
