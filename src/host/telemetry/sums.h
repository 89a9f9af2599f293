/*
 * Aggregates of sampled quantities (rows of tbl/telemetry.h) during a run, in memory that does not
 * grow with its length: means, extremes and integrals over the measured windows.
 *
 * - A source is sampled as a whole: one array of values, one time.
 * - NaN means unknown. The time between two samples counts only if both are known, so a source that
 *   disappears for a while leaves a gap: covered_s falls behind the window's length.
 * - One thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum host_source { HOST_SOURCE_gpu, HOST_SOURCE_host, HOST_SOURCE_server, HOST_SOURCE_client };

enum host_quantity {
#define QUANTITY(source, name, unit, kind, text) HOST_Q_##source##_##name,
#include "tbl/telemetry.h"
	HOST_Q_COUNT
};

#define HOST_SOURCE_VALUES_MAX 16 /* maximum number of rows of a source */
#define HOST_BITS_MAX          8  /* maximum number of bits of a set */
/*
 * The bits of a GPU's throttle reasons that lower performance: thermal and power brake
 * (host/gpu/gpu.h).
 */
#define HOST_BAD_BITS 0x06

const char *host_source_name(enum host_source source);
/* Returns the first row of the source, and their number. */
enum host_quantity host_source_first(enum host_source source, size_t *ret_count);
const char *host_quantity_name(enum host_quantity quantity);

/* Measured runs, in order; the last one may be open. */
struct host_windows {
	struct host_window {
		int64_t begin_ns;
		int64_t end_ns; /* INT64_MAX: open */
	} * items;
	size_t count;
	size_t room;
};

void host_windows_begin(struct host_windows *windows, int64_t t_ns);
/* Does nothing if no window is open. */
void host_windows_end(struct host_windows *windows, int64_t t_ns);
bool host_windows_hold(const struct host_windows *windows, int64_t t_ns);
/* Returns the total length of the closed windows; NaN: none. */
double host_windows_length_s(const struct host_windows *windows);
void host_windows_done(struct host_windows *windows);

/* Periods without load: before the server is started and after it was stopped. */
enum host_idle { HOST_IDLE_BEFORE, HOST_IDLE_AFTER, HOST_IDLE_COUNT };

/* One quantity of one GPU, of the host … */
struct host_sum {
	double highest; /* of all samples, inside and outside of windows; NaN: none */
	/* of the samples since host_sums_idle() */
	struct host_idle_part {
		double sum;
		double min;
		double max;
		int64_t count;
	} idle[HOST_IDLE_COUNT];
	/* inside windows: */
	double integral;  /* value times seconds; for a COUNT its growth */
	double covered_s; /* seconds included in `integral` */
	double min;
	double max;
	int64_t samples;             /* with a value */
	int64_t bits[HOST_BITS_MAX]; /* BITS: number of samples with each bit */
	int64_t bad_samples;         /* BITS: number of samples with a bit of HOST_BAD_BITS */
	/* the previous sample: */
	double last;
	int64_t last_ns; /* time of the last known value */
};

/* All quantities of one source for one entity. */
struct host_sums {
	enum host_source source;
	int64_t gap_ns;      /* levels further apart than this are not connected */
	int64_t sample_ns;   /* time of the previous sample; INT64_MIN: none */
	enum host_idle idle; /* HOST_IDLE_COUNT: not idle now */
	struct host_sum sums[HOST_SOURCE_VALUES_MAX];
};

void host_sums_init(struct host_sums *sums, enum host_source source, int64_t gap_ns);
/* `values` are in the order of the source's rows; times must increase. */
void host_sums_add(struct host_sums *sums, const struct host_windows *windows, int64_t t_ns,
		   const double *values);
/*
 * Counts the samples from now on as idle samples of period `when`, and discards earlier ones of
 * that period; HOST_IDLE_COUNT: no longer idle.
 */
void host_sums_idle(struct host_sums *sums, enum host_idle when);
const struct host_sum *host_sums_get(const struct host_sums *sums, enum host_quantity quantity);

/* Returns the mean over the measured windows; NaN if too little of them is covered. */
double host_sum_mean(const struct host_sum *sum, const struct host_windows *windows);
/* Returns the integral or growth over the measured windows; NaN likewise. */
double host_sum_total(const struct host_sum *sum, const struct host_windows *windows);
/* Returns the share of the windows between known samples; NaN without a window. */
double host_sum_coverage(const struct host_sum *sum, const struct host_windows *windows);
/* Returns the mean of the idle samples; NaN: none. */
double host_sum_idle(const struct host_sum *sum, enum host_idle when);
/* One sample cannot show that power is level, and two may agree by chance. */
#define HOST_IDLE_LOOKS 3
/*
 * Returns whether a GPU's power is at its idle level: at least HOST_IDLE_LOOKS samples of
 * HOST_IDLE_AFTER that are level and, if there were samples of HOST_IDLE_BEFORE, not above them.
 * Right after a server's end, power may be level for a while above its final value.
 */
bool host_power_is_at_rest(const struct host_sum *power);
