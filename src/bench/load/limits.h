/*
 * What the host allows a load: looked at before anything is sent.
 */
#pragma once

#include "bench/load/load.h"

/* Says which limit (open files, ephemeral ports) would be hit, before the start. Raises the limit
 * on open files as far as it may. */
int bench_load_check_limits(const struct bench_load *load, struct pl_err *err) PL_MUST_CHECK;
