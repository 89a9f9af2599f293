/*
 * Any text as a Range, of files of several sizes: a part is always one of the file.
 */
#include "dash/range.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t sizes[] = { 0, 1, 10, 1000, INT64_MAX };
	auto_free char *text = pl_strndup((const char *)data, size);

	for (size_t i = 0; i < PL_ARRAY_SIZE(sizes); i++) {
		int64_t from = -1, len = -1;
		enum dash_range range = dash_range_read(text, sizes[i], &from, &len);
		if (range == DASH_RANGE_PART ? from < 0 || len < 1 || from > sizes[i] - len
					     : from != -1 || len != -1 ||
						       (sizes[i] == 0 && range == DASH_RANGE_PART))
			abort();
	}
	return 0;
}
