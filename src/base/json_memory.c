/*
 * Part of each program, and of no library: jansson belongs to the host of libprofllm. Without memory,
 * json_object_set_new() returns -1, which no caller checks: a document would lose the key without an error.
 */
#include <stdlib.h>

#include "base/json.h"

static void *take_memory(size_t size)
{
	return pl_must(malloc(size > 0 ? size : 1));
}

/* Runs before main() and before the constructors that read JSON. */
__attribute__((constructor(101))) static void give_memory(void)
{
	json_set_alloc_funcs(take_memory, free);
}
