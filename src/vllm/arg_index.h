/*
 * The names of all server arguments' rows in one hash table, '-' and '_' alike.
 *
 * - Borrows the rows and their texts; built anew when other rows take their place.
 * - Read by any thread; built while there is one.
 */
#ifndef VLLM_ARG_INDEX_H
#define VLLM_ARG_INDEX_H

#include <stddef.h>

struct option_row;

/* A name may be of several kinds; bits. */
enum vllm_arg_name {
	VLLM_ARG_NAME = 1,
	VLLM_ARG_LONG_ALIAS = 2,
	VLLM_ARG_NEGATIVE = 4,
};

void vllm_arg_index_build(const struct option_row *rows, size_t count);
/* `name` without dashes in front. The lowest of the kinds asked for wins, then the first row. */
const struct option_row *vllm_arg_index_find(const char *name, unsigned kinds);

#endif
