/*
 * A CSV file (dash/import/csv.h) with prices of GPUs, for `import --prices`: the columns `gpu` and `per_hour`, in any order
 * and next to others, and one row per GPU. A column `currency` has the same text in all rows.
 */
#pragma once

#include "base/json.h"

/*
 * *ret: {prices: [{gpu, per_hour}], currency}, a new reference; without currency if the file names none. `name`: of the file, in
 * errors, which name the line and the column, too.
 */
int dash_prices_parse(const char *text, const char *name, json_t **ret,
		      struct pl_err *err) PL_MUST_CHECK;
/* The same for a path. */
int dash_prices_read(const char *path, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
