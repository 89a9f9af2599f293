/*
 * A CSV file with prices of GPUs, for `import --prices`: a head with the columns `gpu` and `per_hour`, in any order and
 * next to others, then one row per GPU. A column `currency` has the same text in all rows. Fields may be in double quotes. Lines that begin with # and empty lines are ignored.
 */
#pragma once

#include "base/json.h"

/* *ret: {prices: [{gpu, per_hour}], currency}, a new reference; without currency if the file names none. Errors name the file and the line. */
int dash_prices_read(const char *path, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
