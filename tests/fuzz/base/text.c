/*
 * Any bytes as numbers, durations, names and JSON strings. Also the shortest form of any double:
 * it reads back as the same one.
 */
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_double(const uint8_t *data)
{
	char text[PL_F64_TEXT_BYTES];
	double value;
	double retry = 0;

	memcpy(&value, data, sizeof(value));
	pl_text_from_f64(value, text);
	bool ok = pl_text_to_f64(text, &retry);
	assert(ok && (isnan(value) ? isnan(retry) : retry == value));
}

static void check_numbers(const char *text)
{
	static const char *const names[] = { "tensor_parallel_size", "model", "" };
	char shown[40];
	int64_t whole;
	int64_t human;
	double number;

	if (pl_text_to_i64(text, &whole)) {
		bool ok = pl_text_to_human_int(text, &human) && pl_text_to_f64(text, &number);
		assert(ok && human == whole);
	}
	if (pl_text_to_duration_ns(text, &whole))
		pl_text_from_duration(whole, shown, sizeof(shown));
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++)
		assert(pl_text_distance(text, names[i]) == pl_text_distance(names[i], text));
	assert(pl_text_distance(text, text) == 0);
	pl_text_nearest(text, names, PL_ARRAY_SIZE(names));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = pl_memdup(data, size);
	auto_buf buf = { 0 };

	if (size >= sizeof(double))
		check_double(data);
	check_numbers(text);
	pl_buf_init(&buf, size * 6 + 2);
	for (int ascii = 0; ascii < 2; ascii++) {
		pl_buf_clear(&buf);
		bool ok = pl_text_add_json(&buf, (const char *)data, size, ascii);
		assert(ok && buf.data[0] == '"' && buf.data[buf.len - 1] == '"');
	}
	char *trimmed = pl_text_trim(text);
	assert(pl_text_ends(trimmed, "") && strlen(trimmed) <= size);
	return 0;
}
