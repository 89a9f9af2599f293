/* Limits of the host, checked before anything is sent. */
#pragma once

#include "bench/load/load.h"

/*
 * Reports a limit (open files, ephemeral ports) that the load would exceed. Raises the limit on
 * open files as far as possible.
 */
int bench_load_check_limits(const struct bench_load *load, struct pl_err *err) PL_MUST_CHECK;
