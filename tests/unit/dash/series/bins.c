#include "dash/parsed/parsed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "series/series.h"

#define MS 1000000LL

/* Four bins of a second, after the first second of the run. */
static const struct series_span span = { 1000 * MS, 5000 * MS, 4, NULL };

#define BYTES_MAX (1 << 20)

static struct series *read_text(const char *text)
{
	struct series *series = NULL;

	assert_int_equal(series_read(text, strlen(text), BYTES_MAX, &series, PL_ERR_IGNORED), 0);
	return series;
}

static json_t *bins_of(const char *text)
{
	auto_series struct series *series = read_text(text);

	return series_bins(series, &span);
}

static const json_t *list_of(const json_t *answer, const char *source, const char *name,
			     const char *member)
{
	PL_JSON_EACH(series, json_object_get(answer, "series")) {
		if (strcmp(pl_json_get_text(series, "source"), source) == 0 &&
		    strcmp(pl_json_get_text(series, "name"), name) == 0)
			return json_object_get(series, member);
	}
	return NULL;
}

static const json_t *values_of(const json_t *answer, const char *source, const char *name)
{
	return list_of(answer, source, name, "values");
}

/* NaN stands for null. */
static void assert_values(const json_t *values, const double *expected)
{
	assert_int_equal(json_array_size(values), span.bins);
	for (size_t i = 0; i < span.bins; i++) {
		const json_t *value = json_array_get(values, i);
		assert_int_equal(json_is_null(value), isnan(expected[i]));
		if (!isnan(expected[i]) && !(fabs(json_number_value(value) - expected[i]) < 1e-9))
			fail_msg("bin %zu: %.17g, expected %.17g", i, json_number_value(value),
				 expected[i]);
	}
}

#define POWER(ms, watts) \
	"{\"t_ns\": " #ms "000000, \"source\": \"gpu\", \"values\": {\"power_w\": " #watts "}}\n"
#define FLIGHT(ms, count)                                                                          \
	"{\"t_ns\": " #ms "000000, \"source\": \"load\", \"values\": {\"in_flight\": " #count "}}" \
	"\n"

/* The first moment belongs to the range, and its end does not. */
static void test_dash_series_bins__means(void **state)
{
	static const double expected[] = { 100, 250, NAN, 50 };
	auto_json json_t *answer = bins_of(POWER(999, 900) POWER(1000, 80) POWER(1999, 120) POWER(
		2000, 200) POWER(2500, 300) POWER(4999, 50) POWER(5000, 900));

	(void)state;
	assert_values(values_of(answer, "gpu", "power_w"), expected);
	assert_int_equal(json_array_size(json_object_get(answer, "series")), 1);
	assert_int_equal(pl_json_get_i64(answer, "lines"), 7);
	static const double middles[] = { 0.5, 1.5, 2.5, 3.5 };
	assert_values(json_object_get(answer, "t_s"), middles);
}

/* Requests in flight keep their last value, also that of before the range. */
static void test_dash_series_bins__held(void **state)
{
	static const double expected[] = { 3, 5, 5, 0 }, begun[] = { NAN, NAN, 7, NAN };
	auto_json json_t *answer = bins_of(FLIGHT(10, 2) FLIGHT(500, 3) FLIGHT(2100, 9)
						   FLIGHT(2900, 5) FLIGHT(4999, 0));
	auto_json json_t *later = bins_of(FLIGHT(3000, 7));
	auto_json json_t *before = bins_of(FLIGHT(10, 2));
	auto_json json_t *quiet = bins_of(FLIGHT(10, 2) POWER(1000, 80));
	static const double same[] = { 2, NAN, NAN, NAN };

	(void)state;
	assert_values(values_of(answer, "load", "in_flight"), expected);
	assert_values(values_of(later, "load", "in_flight"), begun);
	assert_values(values_of(quiet, "load", "in_flight"), same);
	/* the recording ended before the range */
	assert_int_equal(json_array_size(json_object_get(before, "series")), 0);
}

/* Counters and sets of reasons have no mean; a name belongs to its source. */
static void test_dash_series_bins__omitted(void **state)
{
	auto_json json_t *answer = bins_of(
		"{\"t_ns\": 1500000000, \"source\": \"gpu\", \"values\": {\"energy_j\": 5, "
		"\"throttle\": 4, \"cpu_share\": 1, \"power_w\": null, \"other\": 1, "
		"\"temperature_c\": \"40\", \"utilization\": 0.5}}");

	(void)state;
	assert_int_equal(json_array_size(json_object_get(answer, "series")), 1);
	assert_non_null(values_of(answer, "gpu", "utilization"));
	assert_int_equal(pl_json_get_i64(answer, "lines"), 1);
}

static void test_dash_series_bins__lines(void **state)
{
	static const struct {
		const char *text;
		int64_t lines, skipped;
	} cases[] = {
		{ "", 0, 0 },
		{ "\n\n\n", 0, 0 },
		{ "{\"t_ns\": 0, \"source\": \"gpu\", \"values\": {}}", 1, 0 },
		{ "{\"t_ns\": 0, \"source\": \"gpu\", \"values\": {}}\n\n{", 1, 1 },
		{ "not JSON\n", 0, 1 },
		{ "[]\n5\n\"t\"\n", 0, 3 },
		{ "{\"t_ns\": -1, \"source\": \"gpu\", \"values\": {}}\n", 0, 1 },
		{ "{\"t_ns\": 1.5, \"source\": \"gpu\", \"values\": {}}\n", 0, 1 },
		{ "{\"source\": \"gpu\", \"values\": {}}\n", 0, 1 },
		{ "{\"t_ns\": 0, \"values\": {}}\n", 0, 1 },
		{ "{\"t_ns\": 0, \"source\": 1, \"values\": {}}\n", 0, 1 },
		{ "{\"t_ns\": 0, \"source\": \"gpu\", \"values\": []}\n", 0, 1 },
		{ "{\"t_ns\": 0, \"source\": \"gpu\"}\n", 0, 1 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *answer = bins_of(cases[i].text);
		if (pl_json_get_i64(answer, "lines") != cases[i].lines ||
		    pl_json_get_i64(answer, "skipped") != cases[i].skipped)
			fail_msg("%s: %lld lines, %lld skipped", cases[i].text,
				 (long long)pl_json_get_i64(answer, "lines"),
				 (long long)pl_json_get_i64(answer, "skipped"));
	}
}

#define GPU(ms, id, watts)                                         \
	"{\"t_ns\":" #ms "000000,\"source\":\"gpu\",\"id\":\"" #id \
	"\",\"values\":{\"power_w\":" #watts "}}\n"

/* Mean, smallest and largest of two GPUs; the lines of one come after those of the other. */
static void test_dash_series_bins__extremes(void **state)
{
	static const double mean[] = { 150, 300, NAN, NAN }, low[] = { 80, 250, NAN, NAN },
			    high[] = { 220, 350, NAN, NAN };
	auto_json json_t *answer = bins_of(GPU(1000, a, 80) GPU(1500, a, 100) GPU(2000, a, 250) GPU(
		1000, b, 200) GPU(1500, b, 220) GPU(2000, b, 350));

	(void)state;
	assert_values(list_of(answer, "gpu", "power_w", "values"), mean);
	assert_values(list_of(answer, "gpu", "power_w", "min"), low);
	assert_values(list_of(answer, "gpu", "power_w", "max"), high);
	assert_int_equal(json_integer_value(list_of(answer, "gpu", "power_w", "tracks")), 2);
	assert_true(json_real_value(list_of(answer, "gpu", "power_w", "interval_s")) == 0.5);
	assert_int_equal(pl_json_get_i64(answer, "begin_ns"), 1000 * MS);
	assert_int_equal(pl_json_get_i64(answer, "end_ns"), 2000 * MS);
}

/* A held value counts in the bin that begins with it. */
static void test_dash_series_bins__held_extremes(void **state)
{
	static const double low[] = { 3, 3, 5, 0 }, high[] = { 3, 9, 5, 5 };
	auto_json json_t *answer = bins_of(FLIGHT(500, 3) FLIGHT(2100, 9) FLIGHT(2900, 5)
						   FLIGHT(4999, 0));

	(void)state;
	assert_values(list_of(answer, "load", "in_flight", "min"), low);
	assert_values(list_of(answer, "load", "in_flight", "max"), high);
	assert_true(json_is_null(list_of(answer, "load", "in_flight", "interval_s")));
}

/* Order of lines and of members does not matter. */
static void test_dash_series_bins__any_order(void **state)
{
	static const double expected[] = { 100, 250, NAN, 50 };
	auto_json json_t *answer = bins_of(POWER(4999, 50) POWER(1999, 120) POWER(2500, 300) POWER(
		1000,
		80) "{\"values\": {\"other\": [1, {}], \"power_w\": 200}, \"more\": {\"a\": []}, "
		    "\"id\": null, \"source\": \"gpu\", \"t_ns\": 2000000000}\n");

	(void)state;
	assert_values(values_of(answer, "gpu", "power_w"), expected);
	assert_int_equal(pl_json_get_i64(answer, "skipped"), 0);
}

static void test_dash_series_bins__only(void **state)
{
	auto_json json_t *names = json_pack("[s, s]", "host.load_1m", "load.in_flight");
	const struct series_span some = { 0, 5000 * MS, 3, names };
	static const char text[] = POWER(1000, 80) FLIGHT(1000, 4);
	auto_series struct series *series = read_text(text);
	auto_json json_t *answer = series_bins(series, &some);
	const char *nearest = NULL;

	(void)state;
	assert_int_equal(json_array_size(json_object_get(answer, "series")), 1);
	assert_non_null(values_of(answer, "load", "in_flight"));
	assert_true(series_is_name("gpu.power_w", &nearest));
	assert_false(series_is_name("gpu.power", &nearest));
	assert_string_equal(nearest, "gpu.power_w");
	/* counters have no bins */
	assert_false(series_is_name("gpu.energy_j", &nearest));
	assert_false(series_is_name("", &nearest));
}

/* Every number is the double that strtod() reads. */
static void test_dash_series_bins__numbers(void **state)
{
	static const char *const forms[] = {
		"0",
		"-0",
		"0.1",
		"-12.5",
		"8630272",
		"24278839296",
		"0.05977707063",
		"10004782.2177",
		"9007199254740993",
		"18446744073709551616",
		"123456789012345678901234567890",
		"1e3",
		"1.5E-7",
		"0.000000000000000000000000000123",
		"4.9e-324",
		"2.2250738585072011e-308",
		"9007199254740992.5",
		"0.30000000000000004",
		"1e400",
		"0.1234567890123456789",
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(forms); i++) {
		auto_free char *line = pl_asprintf(
			"{\"t_ns\":1000000000,\"source\":\"gpu\",\"values\":{\"power_w\":%s}}",
			forms[i]);
		auto_json json_t *answer = bins_of(line);
		double expected = strtod(forms[i], NULL);
		const json_t *value = json_array_get(values_of(answer, "gpu", "power_w"), 0);
		if (isfinite(expected) ? json_number_value(value) != expected : value != NULL)
			fail_msg("%s: %.17g", forms[i], json_number_value(value));
	}
}

/* Further GPUs than a host can have are skipped, and counted. */
static void test_dash_series_bins__many_tracks(void **state)
{
	auto_buf text = PL_BUF(1 << 20);

	(void)state;
	for (int i = 0; i < SERIES_TRACKS_MAX + 5; i++)
		assert_true(pl_buf_addf(&text,
					"{\"t_ns\":1000000000,\"source\":\"gpu\",\"id\":\"%d\","
					"\"values\":{\"power_w\":%d}}\n",
					i, i));
	auto_json json_t *answer = bins_of(text.data);
	assert_int_equal(pl_json_get_i64(answer, "lines"), SERIES_TRACKS_MAX);
	assert_int_equal(pl_json_get_i64(answer, "skipped"), 5);
	assert_int_equal(json_integer_value(list_of(answer, "gpu", "power_w", "tracks")),
			 SERIES_TRACKS_MAX);
}

/* Makes the series of a text, and counts how often. */
struct source {
	const char *text;
	int reads;
};

static int read_source(void *data, size_t bytes_max, void **ret, struct pl_err *err)
{
	struct source *source = data;
	struct series *series = NULL;

	source->reads++;
	if (series_read(source->text, strlen(source->text), bytes_max, &series, err) < 0)
		return -1;
	*ret = series;
	return 0;
}

static void ref(void *series)
{
	series_ref(series);
}

static void unref(void *series)
{
	series_unref(series);
}

static size_t bytes_of(const void *series)
{
	return series_bytes(series);
}

static const struct dash_parsed_kind kind = { ref, unref, bytes_of };

static struct series *open_of(struct dash_parsed_cache *cache, const char *sha256,
			      struct source *source)
{
	void *series = NULL;

	assert_int_equal(dash_parsed_open(cache, &kind, sha256, read_source, source, &series,
					  PL_ERR_IGNORED),
			 0);
	return series;
}

/* The least recently used one is dropped and read again; a reference outlives it. */
static void test_dash_series_bins__cache(void **state)
{
	struct source source = { POWER(1000, 80), 0 };
	auto_series struct series *one = read_text(source.text);
	struct dash_parsed_cache *cache = dash_parsed_cache_new(2 * series_bytes(one));

	(void)state;
	auto_series struct series *a = open_of(cache, "a", &source);
	auto_series struct series *b = open_of(cache, "b", &source);
	auto_series struct series *again = open_of(cache, "a", &source);
	assert_ptr_equal(again, a);
	assert_int_equal(source.reads, 2);
	auto_series struct series *c = open_of(cache, "c", &source);
	auto_series struct series *kept = open_of(cache, "a", &source);
	assert_ptr_equal(kept, a);
	auto_series struct series *dropped = open_of(cache, "b", &source);
	assert_ptr_not_equal(dropped, b);
	assert_int_equal(source.reads, 4);
	dash_parsed_cache_free(cache);
	assert_true(series_bytes(c) > 0);
}

/* Samples that take more memory than the cache has are refused before they are all read. */
static void test_dash_series_bins__too_many(void **state)
{
	auto_buf text = PL_BUF(8 << 20);
	struct pl_err err = PL_ERR_INIT;
	struct series *series = NULL;

	(void)state;
	for (int i = 0; i < 20000; i++)
		assert_true(pl_buf_addf(&text,
					"{\"t_ns\":%d,\"source\":\"server_metrics\","
					"\"values\":{\"running\":1}}\n",
					i));
	assert_int_equal(series_read(text.data, text.len, BYTES_MAX, &series, &err), -1);
	assert_int_equal(err.code, PL_ERR_INVALID);
	assert_null(series);

	/* samples without a value take none */
	pl_buf_clear(&text);
	for (int i = 0; i < 20000; i++)
		assert_true(pl_buf_addf(&text,
					"{\"t_ns\":%d,\"source\":\"server_metrics\","
					"\"values\":{}}\n",
					i));
	assert_int_equal(series_read(text.data, text.len, BYTES_MAX, &series, &err), 0);
	assert_true(series_bytes(series) < 1000);
	series_unref(series);
}

/* One GPU with a single sample does not hide the interval of the others. */
static void test_dash_series_bins__interval(void **state)
{
	auto_json json_t *answer = bins_of(GPU(1000, a, 80) GPU(2000, a, 80) GPU(2000, b, 90));
	auto_json json_t *single = bins_of(GPU(1000, a, 80));

	(void)state;
	assert_true(json_real_value(list_of(answer, "gpu", "power_w", "interval_s")) == 1);
	assert_true(json_is_null(list_of(single, "gpu", "power_w", "interval_s")));
}

/* A value is held until the recording ends, through samples without a number, and not into a bin that begins with another. */
static void test_dash_series_bins__held_ends(void **state)
{
	static const double ended[] = { 3, 3, NAN, NAN }, changed_low[] = { 2, 2, NAN, NAN },
			    changed_high[] = { 2, 2, NAN, NAN };
	auto_json json_t *answer = bins_of(FLIGHT(500, 3) FLIGHT(700, null) POWER(2100, 80));
	auto_json json_t *changed = bins_of(FLIGHT(500, 3) FLIGHT(1000, 2) POWER(2100, 80));

	(void)state;
	assert_values(list_of(answer, "load", "in_flight", "values"), ended);
	assert_values(list_of(changed, "load", "in_flight", "min"), changed_low);
	assert_values(list_of(changed, "load", "in_flight", "max"), changed_high);
}

static void test_dash_series_bins__ends_of_numbers(void **state)
{
	static const struct {
		const char *text;
		int64_t lines;
	} cases[] = {
		{ "{\"t_ns\":9223372036854775806,\"source\":\"gpu\",\"values\":{\"power_w\":1}}",
		  1 },
		{ "{\"t_ns\":9223372036854775807,\"source\":\"gpu\",\"values\":{\"power_w\":1}}",
		  0 },
		{ "{\"t_ns\":0,\"source\":\"gpu\",\"values\":{\"power_w\":1.5e3", 0 },
	};
	char id[160], line[300];

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *answer = bins_of(cases[i].text);
		assert_int_equal(pl_json_get_i64(answer, "lines"), cases[i].lines);
	}
	/* the longest id has 127 bytes */
	for (int len = 126; len < 130; len++) {
		memset(id, 'g', sizeof(id));
		id[len] = '\0';
		snprintf(line, sizeof(line),
			 "{\"t_ns\":1,\"source\":\"gpu\",\"id\":\"%s\",\"values\":{\"power_w\":1}}",
			 id);
		auto_json json_t *answer = bins_of(line);
		assert_int_equal(pl_json_get_i64(answer, "lines"), len < 128);
	}
	/* the sum of the largest doubles is infinite, their mean is not */

	auto_json json_t *answer = bins_of(POWER(1000, 1.7e308) POWER(1001, 1.7e308));
	assert_true(json_number_value(json_array_get(values_of(answer, "gpu", "power_w"), 0)) ==
		    1.7e308);
}

/* Appends a line, with a time in ms in the place of "@". Returns its end. */
static char *put_line(char *at, const char *format, const char *ms)
{
	const char *place = strchr(format, '@');

	at = stpcpy(stpncpy(at, format, (size_t)(place - format)), ms);
	return stpcpy(stpcpy(at, place + 1), "\n");
}

/*
 * After a first line, lines are read by the form of earlier ones (series/form.h). Each of these is read as if it were
 * alone: in a bin of its own, after a line of the same track whose form most of them share.
 */
static void test_dash_series_bins__forms(void **state)
{
#define LINE(values) "{\"t_ns\":@000000,\"source\":\"gpu\",\"id\":\"a\",\"values\":{" values "}}"
	static const struct {
		const char *format;
		double power_w;
	} cases[] = {
		{ LINE("\"power_w\":7,\"sm_clock_mhz\":1"), 7 },
		{ LINE("\"power_w\":0,\"sm_clock_mhz\":1"), 0 },
		{ LINE("\"power_w\":-0.5,\"sm_clock_mhz\":1"), -0.5 },
		{ LINE("\"power_w\":588.487,\"sm_clock_mhz\":1"), 588.487 },
		{ LINE("\"power_w\":0.1000000000000000055,\"sm_clock_mhz\":1"), 0.1 },
		{ LINE("\"power_w\":123456789012345678901,\"sm_clock_mhz\":1"),
		  123456789012345678901.0 },
		{ LINE("\"power_w\":9007199254740993,\"sm_clock_mhz\":1"), 9007199254740992.0 },
		{ LINE("\"power_w\":2.5e2,\"sm_clock_mhz\":1"), 250 },
		{ LINE("\"power_w\":1e999,\"sm_clock_mhz\":1"), NAN },
		{ LINE("\"power_w\":null,\"sm_clock_mhz\":1"), NAN },
		{ LINE("\"sm_clock_mhz\":1"), NAN },
		{ LINE("\"sm_clock_mhz\":1,\"power_w\":8"), 8 },
		{ LINE("\"power_w\":8,\"power_w\":9"), 9 },
		{ LINE("\"power_w\":8,\"power_w\":null"), NAN },
		{ LINE("\"other\":5,\"power_w\":8"), 8 },
		{ "{\"t_ns\":@000000,\"values\":{\"power_w\":6},\"source\":\"gpu\",\"id\":\"a\"}",
		  6 },
		{ "{\"t_ns\":1,\"t_ns\":@000000,\"source\":\"gpu\",\"id\":\"a\",\"values\":{"
		  "\"power_w\":6}}",
		  6 },
		{ "{\"t_ns\":@000000,\"source\":\"gpu\",\"id\":\"a\",\"values\":{\"power_w\":6},"
		  "\"source\":\"gpu\"}",
		  NAN },
	};
	static const char *const malformed[] = {
		LINE("\"power_w\":07,\"sm_clock_mhz\":1"),
		LINE("\"power_w\":7.,\"sm_clock_mhz\":1"),
		LINE("\"power_w\":.7,\"sm_clock_mhz\":1"),
		LINE("\"power_w\":-,\"sm_clock_mhz\":1"),
		LINE("\"power_w\":,\"sm_clock_mhz\":1"),
		LINE("\"power_w\":7,\"sm_clock_mhz\":1") "}",
		LINE("\"power_w\":7,\"sm_clock_mhz\":"),
		LINE("\"power_w\":+7,\"sm_clock_mhz\":1"),
		"{\"t_ns\":-@000000,\"source\":\"gpu\",\"id\":\"a\",\"values\":{\"power_w\":6}}",
		"{\"t_ns\":0@000000,\"source\":\"gpu\",\"id\":\"a\",\"values\":{\"power_w\":6}}",
	};

	(void)state;
	for (size_t first = 0; first < PL_ARRAY_SIZE(cases); first++) {
		for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
			char lines[600];
			double expected[] = { cases[first].power_w, cases[i].power_w, NAN, 5 };
			char *end = put_line(lines, cases[first].format, "1500");
			end = put_line(end, cases[i].format, "2500");
			put_line(end, LINE("\"power_w\":5"), "4500");
			auto_json json_t *answer = bins_of(lines);
			assert_int_equal(pl_json_get_i64(answer, "lines"), 3);
			assert_values(values_of(answer, "gpu", "power_w"), expected);
		}
		for (size_t i = 0; i < PL_ARRAY_SIZE(malformed); i++) {
			char lines[400];
			char *end = put_line(lines, cases[first].format, "1500");
			put_line(end, malformed[i], "2500");
			auto_json json_t *answer = bins_of(lines);
			assert_int_equal(pl_json_get_i64(answer, "lines"), 1);
			assert_int_equal(pl_json_get_i64(answer, "skipped"), 1);
		}
	}
}

/* Lines that come in pieces are those of the complete text, and a line that is too long is skipped. */
static void test_dash_series_bins__pieces(void **state)
{
	static const char text[] = POWER(1000, 80) "\n" POWER(1999, 120) "{\n" POWER(2000, 200)
		POWER(4999, 50);
	auto_json json_t *expected = bins_of(text);
	auto_free char *space = pl_alloc(SERIES_LINE_BYTES_MAX);

	(void)state;
	memset(space, ' ', SERIES_LINE_BYTES_MAX);
	for (size_t size = 1; size <= sizeof(text); size++) {
		auto_series_reader struct series_reader *reader = series_reader_new(BYTES_MAX);
		auto_series struct series *series = NULL;
		for (size_t at = 0; at < strlen(text); at += size)
			assert_int_equal(series_reader_add(reader, text + at,
							   at + size < strlen(text)
								   ? size
								   : strlen(text) - at,
							   PL_ERR_IGNORED),
					 0);
		assert_int_equal(series_reader_end(reader, &series, PL_ERR_IGNORED), 0);
		auto_json json_t *bins = series_bins(series, &span);
		assert_true(json_equal(bins, expected));
	}
	auto_series_reader struct series_reader *reader = series_reader_new(BYTES_MAX);
	auto_series struct series *series = NULL;
	assert_int_equal(series_reader_add(reader, space, SERIES_LINE_BYTES_MAX, PL_ERR_IGNORED),
			 0);
	assert_int_equal(series_reader_add(reader, text, strlen(text), PL_ERR_IGNORED), 0);
	assert_int_equal(series_reader_end(reader, &series, PL_ERR_IGNORED), 0);
	auto_json json_t *bins = series_bins(series, &span);
	assert_int_equal(pl_json_get_i64(bins, "lines"), 3);
	assert_int_equal(pl_json_get_i64(bins, "skipped"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_series_bins__forms),
		cmocka_unit_test(test_dash_series_bins__pieces),
		cmocka_unit_test(test_dash_series_bins__extremes),
		cmocka_unit_test(test_dash_series_bins__held_extremes),
		cmocka_unit_test(test_dash_series_bins__any_order),
		cmocka_unit_test(test_dash_series_bins__only),
		cmocka_unit_test(test_dash_series_bins__numbers),
		cmocka_unit_test(test_dash_series_bins__many_tracks),
		cmocka_unit_test(test_dash_series_bins__cache),
		cmocka_unit_test(test_dash_series_bins__too_many),
		cmocka_unit_test(test_dash_series_bins__interval),
		cmocka_unit_test(test_dash_series_bins__held_ends),
		cmocka_unit_test(test_dash_series_bins__ends_of_numbers),
		cmocka_unit_test(test_dash_series_bins__means),
		cmocka_unit_test(test_dash_series_bins__held),
		cmocka_unit_test(test_dash_series_bins__omitted),
		cmocka_unit_test(test_dash_series_bins__lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
