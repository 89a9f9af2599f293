/* Any bytes as lines of telemetry: every list has a place for each bin, and each line is one or is skipped. */
#include "series/series.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BINS 7

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* The number of lines that are samples if each is read alone, and so by tokens. */
static size_t samples_alone(const char *text, size_t size)
{
	size_t count = 0;

	for (size_t at = 0; at < size;) {
		const char *newline = memchr(text + at, '\n', size - at);
		size_t len = newline != NULL ? (size_t)(newline - text) - at : size - at;
		auto_series struct series *read = NULL;
		const struct series_span span = { 0, 1, 1, NULL };
		must(series_read(text + at, len, 64 << 20, &read, PL_ERR_IGNORED) == 0);
		json_t *answer = series_bins(read, &span);
		count += (size_t)json_integer_value(json_object_get(answer, "lines"));
		json_decref(answer);
		at += len + 1;
	}
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct series_span span = { 1000, 1000 + 7000000000, BINS, NULL };
	auto_series struct series *read = NULL;
	/* without a NUL at the end, so that a sanitizer sees reads after it */
	must(series_read((const char *)data, size, 64 << 20, &read, PL_ERR_IGNORED) == 0);
	json_t *answer = series_bins(read, &span);
	size_t lines = 0, i;
	json_t *series;

	for (size_t at = 0; at < size; at++)
		lines += data[at] != '\n' && (at + 1 == size || data[at + 1] == '\n');
	must(json_array_size(json_object_get(answer, "t_s")) == BINS);
	must((size_t)json_integer_value(json_object_get(answer, "lines")) +
		     (size_t)json_integer_value(json_object_get(answer, "skipped")) ==
	     lines);
	/* no input of this size has too many tracks */
	must((size_t)json_integer_value(json_object_get(answer, "lines")) ==
	     samples_alone((const char *)data, size));
	json_array_foreach(json_object_get(answer, "series"), i, series)
	{
		const json_t *values = json_object_get(series, "values");
		must(json_array_size(values) == BINS);
		for (size_t bin = 0; bin < BINS; bin++) {
			const json_t *value = json_array_get(values, bin);
			const json_t *min = json_array_get(json_object_get(series, "min"), bin);
			const json_t *max = json_array_get(json_object_get(series, "max"), bin);
			must(json_is_null(value) == json_is_null(min) &&
			     json_is_null(value) == json_is_null(max));
			must(json_is_null(value) ||
			     json_number_value(min) <= json_number_value(max));
		}
	}
	json_decref(answer);
	return 0;
}
