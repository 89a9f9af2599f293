/*
 * What the host allows a load: looked at before anything is sent.
 */
#pragma once

#include "bench/load/load.h"

/* Says which limit (open files, ephemeral ports) would be hit, before the start. Raises the limit
 * on open files as far as it may. */
int bench_load_check_limits(const struct bench_load *load, struct pl_err *err) PL_MUST_CHECK;
/* True, with a sentence for the user, when more connections begin at once than this host lets wait
 * to be accepted: no reason to stop, for a quick server takes them all the same. */
bool bench_load_backlog_notice(const struct bench_load *load, char *text, size_t room);
