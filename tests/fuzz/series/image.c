/*
 * A prepared file of telemetry whose arrays were changed: it is refused, or each of its lists has a number or null per
 * bin. The input is lines of telemetry, and after a NUL the changes (fuzz/image.h).
 */
#include "series/image.h"

#include "../image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BINS 7

static void check(const struct series *series, int64_t from_ns, int64_t to_ns)
{
	const struct series_span span = { from_ns, to_ns, BINS, NULL };
	json_t *answer = series_bins(series, &span), *one;
	size_t i;

	json_array_foreach(json_object_get(answer, "series"), i, one)
		image_must(json_array_size(json_object_get(one, "values")) == BINS &&
			   json_array_size(json_object_get(one, "min")) == BINS &&
			   json_array_size(json_object_get(one, "max")) == BINS);
	json_decref(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = strnlen((const char *)data, size), rest = len < size ? len + 1 : size;
	auto_series struct series *read = NULL;
	auto_series struct series *loaded = NULL;
	auto_fd int fd = image_file();
	int64_t begin_ns, end_ns;

	image_must(series_read((const char *)data, len, IMAGE_BYTES_MAX, &read, PL_ERR_IGNORED) ==
		   0);
	image_must(series_save(read, fd, PL_ERR_IGNORED) == 0);
	image_apply(&fd, data + rest, size - rest);
	int result = series_load(fd, IMAGE_BYTES_MAX, &loaded, PL_ERR_IGNORED);
	image_must(result == 0 || size - rest >= IMAGE_CHANGE_BYTES);
	if (result < 0)
		return 0;
	if (series_range(loaded, &begin_ns, &end_ns))
		check(loaded, begin_ns, end_ns + 1);
	check(loaded, 1000, 1000 + 7000000000);
	return 0;
}
