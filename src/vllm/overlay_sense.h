/*
 * Refuses an overlay whose spellings of a switch contradict each other: one that lists
 * "--disable-x" as an alias of "--enable-x" would start the server with the opposite of what was
 * asked for.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

struct option_row;

/*
 * Checks the row that an overlay's entry made. `generated`: a program wrote the entry, so that an
 * alias which has nothing in common with the row's flag was not decided by a person; `before` is
 * the row without the overlay (NULL: there was none), whose own aliases are known. `path` is the
 * overlay's file, where the line is looked up; NULL: it has none.
 */
int vllm_overlay_sense(const struct option_row *row, const struct option_row *before,
		       bool generated, const char *path, struct pl_err *err) PL_MUST_CHECK;
