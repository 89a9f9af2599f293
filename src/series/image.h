/* A time series that was read, in a file that is read much faster than the lines (base/image.h). */
#pragma once

#include "series/series.h"

int series_save(const struct series *series, int fd, struct pl_err *err) PL_MUST_CHECK;
/* *ret is the caller's first reference. INVALID: not an image of a series, or more than bytes_max in memory. */
int series_load(int fd, size_t bytes_max, struct series **ret, struct pl_err *err) PL_MUST_CHECK;
