/*
 * Any bytes as lines of records, in pieces: each line is a record or is skipped, every count adds up, and no two requests
 * of a lane overlap.
 */
#include "dash/records/records.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PIECE 37

static void must(bool holds)
{
	if (!holds)
		abort();
}

static int64_t count_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void check_lanes(const json_t *lanes)
{
	const json_t *list = json_object_get(lanes, "requests");
	double ends[DASH_RECORD_LANES_MAX];
	size_t used = 0, i;
	json_t *one;

	json_array_foreach((json_t *)list, i, one)
	{
		size_t lane = (size_t)count_of(one, "lane");
		double start = json_number_value(json_object_get(one, "start_s"));
		const json_t *end = json_object_get(one, "end_s");
		must(lane <= used && lane < DASH_RECORD_LANES_MAX);
		must(lane == used || ends[lane] <= start);
		used += lane == used;
		ends[lane] = json_is_number(end) ? json_number_value(end) : start;
		must(ends[lane] >= start);
	}
	must((int64_t)used == count_of(lanes, "lane_count"));
}

static void check_page(const json_t *page)
{
	const json_t *sums = json_object_get(page, "sums");

	must(count_of(sums, "completed") + count_of(sums, "failed") + count_of(sums, "not_sent") ==
	     count_of(page, "count"));
	must(count_of(page, "total") + count_of(page, "attempts") == count_of(page, "lines"));
	check_lanes(json_object_get(page, "lanes"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_records_reader struct records_reader *reader = records_reader_new(64 << 20);
	auto_records struct records *records = NULL;
	size_t lines = 0;
	char bytes[100];

	for (size_t at = 0; at < size; at += PIECE)
		must(records_reader_add(reader, (const char *)data + at,
					size - at < PIECE ? size - at : PIECE,
					PL_ERR_IGNORED) == 0);
	must(records_reader_end(reader, &records, PL_ERR_IGNORED) == 0);
	for (size_t at = 0; at < size; at++)
		lines += data[at] != '\n' && (at + 1 == size || data[at + 1] == '\n');
	static const char *const sorts[] = { "-ttft_ms", "request_id", "max_itl_ms" };
	for (size_t i = 0; i < 3; i++) {
		auto_records_question struct dash_records_question *question = NULL;
		auto_json json_t *query = json_pack("{s:s, s:b, s:i, s:f}", "sort", sorts[i],
						    "curve", 1, "lanes", 100, "from_s",
						    i == 0 ? -1e9 : 1.0);
		must(dash_records_question_new(query, 1000000000, &question, PL_ERR_IGNORED) == 0);
		auto_json json_t *page = dash_records_page(records, question);
		check_page(page);
		must((size_t)count_of(page, "lines") + (size_t)count_of(page, "skipped") == lines);
		struct dash_records_csv *csv = dash_records_csv_new(records, question);
		while (dash_records_csv_read(csv, bytes, sizeof(bytes)) > 0)
			continue;
		dash_records_csv_free(csv);
	}
	return 0;
}
