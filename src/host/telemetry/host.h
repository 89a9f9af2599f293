/*
 * The host and this process as telemetry sees them: values in the order of their rows in
 * tbl/telemetry.h, from files of /proc that stay open. One thread at a time.
 */
#pragma once

#include "base/mem.h"

#include <stdint.h>

struct host_counters;
struct host_counters *host_counters_new(void);
void host_counters_free(struct host_counters *counters);
PL_AUTO_DEFINE(struct host_counters, host_counters_free);
#define auto_counters PL_AUTO(host_counters_free)

/* The rows of `host`. Rates are over the time since the read before; the first read has none. */
void host_counters_read(struct host_counters *counters, int64_t t_ns, double *values);

struct host_self;
struct host_self *host_self_new(void);
void host_self_free(struct host_self *self);
/* The rows of `client`. */
void host_self_read(struct host_self *self, int64_t t_ns, double *values);

/* What a counter grew by in a second; NaN where it fell, or is not known on both sides. */
double host_rate(double before, double now, int64_t elapsed_ns);
