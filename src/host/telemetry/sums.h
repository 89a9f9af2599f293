/*
 * What is kept of sampled quantities (rows of tbl/telemetry.h) while a run goes on, in memory that
 * does not grow with its length: means, extremes and integrals over the measured windows.
 *
 * - A source is sampled as a whole: one array of values, one time.
 * - NaN is "not told". What lies between two samples counts only where both are known, so a source
 *   that vanishes for a while leaves a gap: covered_s falls behind the window's length.
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

#define HOST_SOURCE_VALUES_MAX 16 /* no source has more */
#define HOST_BITS_MAX          8  /* no set has more */
/* Heat and power brake, of a GPU's reasons: what keeps it from what it could do (host/gpu/gpu.h). */
#define HOST_BAD_BITS 0x06

const char *host_source_name(enum host_source source);
/* The source's rows: the first, and how many. */
enum host_quantity host_source_first(enum host_source source, size_t *ret_count);
const char *host_quantity_name(enum host_quantity quantity);

/* Measured runs, in order; the last may be open. */
struct host_windows {
	struct host_window {
		int64_t begin_ns;
		int64_t end_ns; /* INT64_MAX: open */
	} * items;
	size_t count;
	size_t room;
};

void host_windows_begin(struct host_windows *windows, int64_t t_ns);
/* Harmless where none is open. */
void host_windows_end(struct host_windows *windows, int64_t t_ns);
bool host_windows_hold(const struct host_windows *windows, int64_t t_ns);
/* All of them that are closed, together; NaN: none. */
double host_windows_length_s(const struct host_windows *windows);
void host_windows_done(struct host_windows *windows);

/* When nothing is asked of it: before the server is started, after it was stopped. */
enum host_idle { HOST_IDLE_BEFORE, HOST_IDLE_AFTER, HOST_IDLE_COUNT };

/* One quantity of one GPU, of the host … */
struct host_sum {
	double highest; /* of all samples, in a window or not; NaN: none */
	/* of the samples since host_sums_idle() */
	struct host_idle_part {
		double sum;
		double min;
		double max;
		int64_t count;
	} idle[HOST_IDLE_COUNT];
	/* in windows: */
	double integral;  /* value times seconds; of a COUNT its growth */
	double covered_s; /* seconds that are in `integral` */
	double min;
	double max;
	int64_t samples;             /* with a value */
	int64_t bits[HOST_BITS_MAX]; /* BITS: samples with each */
	int64_t bad_samples;         /* BITS: samples with one of HOST_BAD_BITS */
	/* the sample before: */
	double last;
	int64_t last_ns; /* of a value that is known */
};

/* The quantities of one source's one entity. */
struct host_sums {
	enum host_source source;
	int64_t gap_ns;      /* levels further apart than this are not joined */
	int64_t sample_ns;   /* of the sample before; INT64_MIN: none */
	enum host_idle idle; /* HOST_IDLE_COUNT: now is no such time */
	struct host_sum sums[HOST_SOURCE_VALUES_MAX];
};

void host_sums_init(struct host_sums *sums, enum host_source source, int64_t gap_ns);
/* `values` in the order of the source's rows; times rise. */
void host_sums_add(struct host_sums *sums, const struct host_windows *windows, int64_t t_ns,
		   const double *values);
/* Samples from here on are idle ones of then, and what was kept of then is given up;
 * HOST_IDLE_COUNT: they are not. */
void host_sums_idle(struct host_sums *sums, enum host_idle when);
const struct host_sum *host_sums_get(const struct host_sums *sums, enum host_quantity quantity);

/* Mean over the measured windows; NaN where too little of them is covered to tell. */
double host_sum_mean(const struct host_sum *sum, const struct host_windows *windows);
/* Integral or growth over the measured windows; NaN as above. */
double host_sum_total(const struct host_sum *sum, const struct host_windows *windows);
/* Share of the windows that lies between known samples; NaN without a window. */
double host_sum_coverage(const struct host_sum *sum, const struct host_windows *windows);
/* Mean of the idle samples; NaN: none. */
double host_sum_idle(const struct host_sum *sum, enum host_idle when);
/* One alone does not show that power is level, and two do so by chance. */
#define HOST_IDLE_LOOKS 3
/*
 * Of a GPU's power: HOST_IDLE_LOOKS samples of HOST_IDLE_AFTER at least, level, and where those
 * before were, if there were any; for just behind a server's end power may stay level for a while
 * above what it falls to then.
 */
bool host_power_is_at_rest(const struct host_sum *power);
