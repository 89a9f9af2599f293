/* Any bytes as lines of telemetry: every list has a place for each bin, and each line is one or is skipped. */
#include "store/artifacts/series.h"

#include <stdbool.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BINS 7

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct store_series_span span = { 1000, 1000 + 7000000000, BINS };
	json_t *answer = store_series_bins((const char *)data, size, &span);
	size_t lines = 0, i;
	json_t *series;

	for (size_t at = 0; at < size; at++)
		lines += data[at] != '\n' && (at + 1 == size || data[at + 1] == '\n');
	must(json_array_size(json_object_get(answer, "t_s")) == BINS);
	must((size_t)json_integer_value(json_object_get(answer, "lines")) +
		     (size_t)json_integer_value(json_object_get(answer, "skipped")) ==
	     lines);
	json_array_foreach(json_object_get(answer, "series"), i, series)
		must(json_array_size(json_object_get(series, "values")) == BINS);
	json_decref(answer);
	return 0;
}
