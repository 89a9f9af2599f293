/*
 * The names of all server arguments' rows in one hash table, '-' and '_' alike.
 *
 * - Borrows the rows and their texts; built anew when other rows take their place.
 * - Read by any thread; built while there is one.
 */
#ifndef MODEL_ARG_INDEX_H
#define MODEL_ARG_INDEX_H

#include <stddef.h>

struct md_arg;

/* A name may be of several kinds; bits. */
enum md_arg_name {
	MD_ARG_NAME = 1,
	MD_ARG_LONG_ALIAS = 2,
	MD_ARG_NEGATIVE = 4,
};

void md_arg_index_build(const struct md_arg *rows, size_t count);
/* `name` without dashes in front. The lowest of the kinds asked for wins, then the first row. */
const struct md_arg *md_arg_index_find(const char *name, unsigned kinds);

#endif
