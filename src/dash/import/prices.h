/*
 * A CSV file with prices of GPUs, for `import --prices`: a head with the columns `gpu` and `per_hour`, in any order and
 * next to others, then one row per GPU. Fields may be in double quotes. Lines that begin with # and empty lines are ignored.
 */
#pragma once

#include "base/json.h"

/* *ret: [{gpu, per_hour}], a new reference. Errors name the file and the line. */
int dash_prices_read(const char *path, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
