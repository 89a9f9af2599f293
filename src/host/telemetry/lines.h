/*
 * Lines of the time series file: {"t_ns":…,"source":…,"id":…,"values":{…}}
 * (api/series.schema.json). Several threads may write.
 */
#pragma once

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct pl_zst;
struct host_lines;
/* `zst` is borrowed; NULL: writes nothing. */
struct host_lines *host_lines_new(struct pl_zst *zst);
void host_lines_free(struct host_lines *lines);
/* `id` NULL becomes null, and so does NaN. After a write error nothing more is written. */
void host_lines_add(struct host_lines *lines, int64_t t_ns, const char *source, const char *id,
		    const char *const *names, const double *values, size_t count);
/* Call these two after all writers have stopped. */
int64_t host_lines_count(const struct host_lines *lines);
/* Returns -1 with the first error. */
int host_lines_check(const struct host_lines *lines, struct pl_err *err) PL_MUST_CHECK;
