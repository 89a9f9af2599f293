/*
 * Lines of the series file: {"t_ns":…,"source":…,"id":…,"values":{…}} (api/series.schema.json).
 * Several threads may write.
 */
#pragma once

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct pl_zst;
struct host_lines;
/* `zst` NULL: writes nothing. Borrowed. */
struct host_lines *host_lines_new(struct pl_zst *zst);
void host_lines_free(struct host_lines *lines);
/* `id` NULL: null; NaN: null. Once writing failed nothing more is written. */
void host_lines_add(struct host_lines *lines, int64_t t_ns, const char *source, const char *id,
		    const char *const *names, const double *values, size_t count);
/* These two once nobody writes any more. */
int64_t host_lines_count(const struct host_lines *lines);
/* -1 with the first failure. */
int host_lines_check(const struct host_lines *lines, struct pl_err *err) PL_MUST_CHECK;
