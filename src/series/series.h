/*
 * The telemetry of one result: the lines of RESULT.series.jsonl (api/series.schema.json) as columns in memory, and their
 * values in bins of a time range. A file of an hour of eight GPUs has millions of values: it is read once and kept
 * (keep.h), and each zoom computes only bins.
 */
#pragma once

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERIES_BINS_MAX 2000

/* Never changes after it was read; shared by reference counts, which any thread may change. */
struct series;

/*
 * Reads lines; *ret is the caller's first reference. A line that is not a sample is skipped and counted; so is a line of
 * a further GPU after the first SERIES_TRACKS_MAX, and one of more than SERIES_LINE_BYTES_MAX. Lines may come in any
 * order. Returns -1 (INVALID) if the samples take more than about bytes_max in memory; sorting takes as much again.
 */
#define SERIES_TRACKS_MAX     256
#define SERIES_LINE_BYTES_MAX ((size_t)1 << 20)
int series_read(const char *text, size_t len, size_t bytes_max, struct series **ret,
		struct pl_err *err) PL_MUST_CHECK;
/* The same in pieces of any size. Only free the reader after an error, and after the end. */
struct series_reader;
struct series_reader *series_reader_new(size_t bytes_max);
void series_reader_free(struct series_reader *reader);
static inline void series_reader_auto(struct series_reader **owner)
{
	series_reader_free(*owner);
}
#define auto_series_reader __attribute__((cleanup(series_reader_auto), unused))
int series_reader_add(struct series_reader *reader, const char *text, size_t len,
		      struct pl_err *err) PL_MUST_CHECK;
/* Takes the last line, if it has no end. */
int series_reader_end(struct series_reader *reader, struct series **ret,
		      struct pl_err *err) PL_MUST_CHECK;

struct series *series_ref(struct series *series);
void series_unref(struct series *series);

static inline void series_auto(struct series **owner)
{
	series_unref(*owner);
}
#define auto_series __attribute__((cleanup(series_auto), unused))

/* Size in memory. */
size_t series_bytes(const struct series *series);
/* CLOCK_MONOTONIC of the first and the last sample. Returns false, and sets both to 0, if there is none. */
bool series_range(const struct series *series, int64_t *ret_begin_ns, int64_t *ret_end_ns);

struct series_span {
	int64_t from_ns;
	int64_t to_ns;      /* after from_ns */
	size_t bins;        /* 1 to SERIES_BINS_MAX */
	const json_t *only; /* array of names like "gpu.power_w"; NULL: all */
};

/* Returns whether "source.name" can be in a response, and sets *ret_nearest to a similar name, or NULL, if it cannot. */
bool series_is_name(const char *name, const char **ret_nearest);

/*
 * New reference to
 *
 *	{begin_ns, end_ns, t_s: [middle of each bin, in seconds after from_ns], lines, skipped, series: [SERIES]}
 *	SERIES: {source, name, unit, text, interval_s, tracks, values, min, max: [number or null per bin]}
 *
 * Levels and rates of tbl/telemetry.h: mean, smallest and largest sample of a bin, over all GPUs (`tracks` of them). A
 * bin without a sample is null. interval_s is the median time between two samples, so that a reader can tell a gap from
 * bins that are shorter; null: a single sample. Requests in flight (source load) are recorded at changes: interval_s is
 * null, a value is that at the end of a bin, min and max include the value that the bin begins with, and the last value
 * is held up to the end of the recording. They are
 * present if the range begins within the recording. Counters, sets of reasons and other series without a number in the range are
 * omitted.
 */
json_t *series_bins(const struct series *series, const struct series_span *span);
