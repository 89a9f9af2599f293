/*
 * Telemetry of a time range, in bins of equal length: from the lines of RESULT.series.jsonl (api/series.schema.json) to
 *
 *	{t_s: [middle of each bin, from the start], lines, skipped, series: [{source, name, unit, text, values: [number or null]}]}
 *
 * Levels and rates of tbl/telemetry.h are means of the samples in a bin, over all GPUs. A bin without a sample is null:
 * a gap. Requests in flight (source load) are recorded at changes: a bin has the last value. Counters, sets of reasons
 * and series without a number in that time are omitted. Lines that do not follow the schema are skipped and counted.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_SERIES_BINS_MAX 2000

struct store_series_span {
	int64_t from_ns;
	int64_t to_ns; /* after from_ns */
	size_t bins;   /* 1 to STORE_SERIES_BINS_MAX */
};

/* New reference. */
json_t *store_series_bins(const char *text, size_t len, const struct store_series_span *span);
