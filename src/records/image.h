/* Records that were read, in a file that is read much faster than the lines (base/image.h). */
#pragma once

#include "records/records.h"

int records_save(const struct records *records, int fd, struct pl_err *err) PL_MUST_CHECK;
/* *ret is the caller's first reference. INVALID: not an image of records, or more than bytes_max in memory. */
int records_load(int fd, size_t bytes_max, struct records **ret, struct pl_err *err) PL_MUST_CHECK;
