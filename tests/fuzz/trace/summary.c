/* Any bytes as a trace, in pieces: the sums do not depend on the pieces, add up, and stay within the span. */
#include "trace/trace.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static int64_t count_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

/* NULL: not a trace. */
static json_t *read_in(const uint8_t *data, size_t size, size_t piece)
{
	auto_trace struct trace_reader *reader = trace_reader_new();

	for (size_t at = 0; at < size; at += piece) {
		size_t len = size - at < piece ? size - at : piece;
		if (trace_reader_add(reader, (const char *)data + at, len, PL_ERR_IGNORED) < 0)
			return NULL;
	}
	return trace_reader_end(reader, PL_ERR_IGNORED) < 0 ? NULL : trace_reader_summary(reader);
}

static void check_group(const json_t *group)
{
	const json_t *top = json_object_get(group, "top");
	int64_t count = count_of(group, "unnamed"), before_ns = INT64_MAX;
	size_t i;
	json_t *one;

	must(json_array_size(top) <= TRACE_TOP);
	must((int64_t)json_array_size(top) <= count_of(group, "names"));
	json_array_foreach((json_t *)top, i, one)
	{
		count += count_of(one, "count");
		must(count_of(one, "total_ns") >= count_of(one, "max_ns"));
		must(count_of(one, "total_ns") <= before_ns);
		before_ns = count_of(one, "total_ns");
	}
	must(count <= count_of(group, "count"));
	if (count_of(group, "names") <= TRACE_TOP)
		must(count == count_of(group, "count"));
}

static void check(const json_t *sums)
{
	int64_t span_ns = count_of(sums, "span_ns");
	int64_t operations = count_of(json_object_get(sums, "kernels"), "count") +
			     count_of(json_object_get(sums, "operations"), "count");
	size_t i;
	json_t *one;

	must(span_ns >= 0);
	must(count_of(sums, "complete_events") + count_of(sums, "skipped") <=
	     count_of(sums, "events"));
	must(operations <= count_of(sums, "complete_events"));
	json_array_foreach(json_object_get(sums, "gpus"), i, one)
	{
		must(count_of(one, "busy_ns") >= 0 && count_of(one, "busy_ns") <= span_ns);
	}
	json_array_foreach(json_object_get(sums, "longest"), i, one)
	{
		must(count_of(one, "begin_ns") >= 0);
		must(count_of(one, "begin_ns") + count_of(one, "duration_ns") <= span_ns);
	}
	check_group(json_object_get(sums, "kernels"));
	check_group(json_object_get(sums, "operations"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_json json_t *whole = read_in(data, size, size + 1);
	auto_json json_t *pieces = read_in(data, size, 3);

	must(json_equal(whole, pieces) || (whole == NULL && pieces == NULL));
	if (whole != NULL)
		check(whole);
	return 0;
}
