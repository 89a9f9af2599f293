/*
 * Rejects an overlay whose flags of a switch contradict each other: if it lists "--disable-x" as an
 * alias of "--enable-x", the server would start with the opposite of the requested value.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

struct option_row;

/*
 * Checks the row that an overlay's entry made. `generated`: a program wrote the entry, so an alias
 * unrelated to the row's flag was not decided by a person. `before`: the row without the overlay
 * (NULL: none), whose aliases are known. `path`: the overlay's file, used to find the line; NULL:
 * none.
 */
int vllm_overlay_sense(const struct option_row *row, const struct option_row *before,
		       bool generated, const char *path, struct pl_err *err) PL_MUST_CHECK;
