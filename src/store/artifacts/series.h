/*
 * Telemetry over a time, in bins of the same length: from the lines of RESULT.series.jsonl (api/series.schema.json) to
 *
 *	{t_s: [middle of each bin, from the begin], lines, skipped, series: [{source, name, unit, text, values: [number or null]}]}
 *
 * Levels and rates of tbl/telemetry.h are means of what was sampled in a bin, over all GPUs where there are several; a bin
 * without a sample is null: a gap. Requests in flight (source load) are told where they change: a bin has what it ends
 * with. Counters and sets of reasons are left out, and so is what has no number in that time. Lines that are none of the schema's are
 * skipped and counted.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_SERIES_BINS_MAX 2000

struct store_series_span {
	int64_t from_ns;
	int64_t to_ns; /* behind from_ns */
	size_t bins;   /* 1 to STORE_SERIES_BINS_MAX */
};

/* New reference. */
json_t *store_series_bins(const char *text, size_t len, const struct store_series_span *span);
