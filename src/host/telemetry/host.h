/*
 * The host and this process, for telemetry: values in the order of their rows in tbl/telemetry.h,
 * from /proc files that stay open. One thread at a time.
 */
#pragma once

#include "base/mem.h"

#include <stdint.h>

struct host_counters;
struct host_counters *host_counters_new(void);
void host_counters_free(struct host_counters *counters);
PL_AUTO_DEFINE(struct host_counters, host_counters_free);
#define auto_counters PL_AUTO(host_counters_free)

/*
 * Reads the `host` rows. Rates cover the time since the previous reading; the first reading has
 * none.
 */
void host_counters_read(struct host_counters *counters, int64_t t_ns, double *values);

struct host_self;
struct host_self *host_self_new(void);
void host_self_free(struct host_self *self);
/* Reads the `client` rows. */
void host_self_read(struct host_self *self, int64_t t_ns, double *values);

/* Returns a counter's growth per second; NaN if it decreased or one value is unknown. */
double host_rate(double before, double now, int64_t elapsed_ns);
