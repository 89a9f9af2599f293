#include "base/text.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"

static void test_base_text__to_i64(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t value;
	} rows[] = {
		{ "0", true, 0 },
		{ "-7", true, -7 },
		{ "+7", true, 7 },
		{ "007", true, 7 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "-9223372036854775808", true, INT64_MIN },
		{ "9223372036854775808", false, 0 },
		{ "-9223372036854775809", false, 0 },
		{ "", false, 0 },
		{ "-", false, 0 },
		{ "+", false, 0 },
		{ "+-1", false, 0 },
		{ " 1", false, 0 },
		{ "1 ", false, 0 },
		{ "1.0", false, 0 },
		{ "0x10", false, 0 },
		{ "1e3", false, 0 },
		{ "one", false, 0 },
		{ NULL, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		int64_t value = 4711;
		assert_int_equal(pl_text_to_i64(rows[i].text, &value), rows[i].ok);
		assert_int_equal(value, rows[i].ok ? rows[i].value : 4711);
	}
}

static void test_base_text__to_f64(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		double value;
	} rows[] = {
		{ "0", true, 0 },
		{ "1.5", true, 1.5 },
		{ "-2e3", true, -2000 },
		{ ".5", true, .5 },
		{ "5.", true, 5 },
		{ "1E-2", true, 0.01 },
		{ "inf", true, INFINITY },
		{ "-INF", true, -INFINITY },
		{ "Infinity", true, INFINITY },
		{ "5e-324", true, 5e-324 },
		{ "1e400", false, 0 },
		{ "0x1p3", false, 0 },
		{ "nan(1)", false, 0 },
		{ "", false, 0 },
		{ " 1", false, 0 },
		{ "1 ", false, 0 },
		{ "1.2.3", false, 0 },
		{ "e5", false, 0 },
		{ "1,5", false, 0 },
		{ NULL, false, 0 },
	};
	double value;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		value = 4711;
		assert_int_equal(pl_text_to_f64(rows[i].text, &value), rows[i].ok);
		assert_true(value == (rows[i].ok ? rows[i].value : 4711));
	}
	assert_true(pl_text_to_f64("NaN", &value));
	assert_true(isnan(value));
}

static void test_base_text__durations(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t ns;
	} rows[] = {
		{ "90", true, 90 * PL_NS_PER_S },
		{ "0", true, 0 },
		{ "0.5", true, PL_NS_PER_S / 2 },
		{ "100ms", true, 100 * PL_NS_PER_MS },
		{ "5s", true, 5 * PL_NS_PER_S },
		{ "1.5s", true, 1500 * PL_NS_PER_MS },
		{ "10m", true, 600 * PL_NS_PER_S },
		{ "10min", true, 600 * PL_NS_PER_S },
		{ "2h", true, 7200 * PL_NS_PER_S },
		{ "1d", true, 86400 * PL_NS_PER_S },
		{ "250us", true, 250 * PL_NS_PER_US },
		{ "40ns", true, 40 },
		{ "0.1ms", true, 100 * PL_NS_PER_US },
		{ "1e3", true, 1000 * PL_NS_PER_S },
		{ "1e-3s", true, PL_NS_PER_MS },
		{ "-1s", true, -PL_NS_PER_S },
		{ "200000d", false, 0 },
		{ "5 s", false, 0 },
		{ "5S", false, 0 },
		{ "s", false, 0 },
		{ "", false, 0 },
		{ "1s2", false, 0 },
		{ "1-2s", false, 0 },
		{ "inf", false, 0 },
		{ "1e400s", false, 0 },
		{ NULL, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		int64_t ns = 4711;
		assert_int_equal(pl_text_to_duration_ns(rows[i].text, &ns), rows[i].ok);
		assert_int_equal(ns, rows[i].ok ? rows[i].ns : 4711);
	}
}

static void test_base_text__human_ints(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t value;
	} rows[] = {
		{ "1024", true, 1024 },
		{ "-1", true, -1 },
		{ "1k", true, 1000 },
		{ "25.6k", true, 25600 },
		{ "1.5m", true, 1500000 },
		{ "2g", true, 2000000000 },
		{ "1t", true, 1000000000000 },
		{ "1K", true, 1024 },
		{ "2M", true, 2097152 },
		{ "1G", true, 1073741824 },
		{ "3T", true, 3298534883328 },
		{ "1.5K", false, 0 },
		{ "2.0K", false, 0 },
		{ "1e3K", false, 0 },
		{ "1.5", false, 0 },
		{ "k", false, 0 },
		{ "", false, 0 },
		{ "1kk", false, 0 },
		{ "1 k", false, 0 },
		{ "1b", false, 0 },
		{ "99999999T", false, 0 },
		{ "inf", false, 0 },
		{ NULL, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		int64_t value = 4711;
		assert_int_equal(pl_text_to_human_int(rows[i].text, &value), rows[i].ok);
		assert_int_equal(value, rows[i].ok ? rows[i].value : 4711);
	}
}

static void test_base_text__shortest_floats_equal_python(void **state)
{
	static const struct {
		double value;
		const char *text;
	} rows[] = {
		{ 0x0.0p+0, "0.0" },
		{ -0x0.0p+0, "-0.0" },
		{ 0x1.0000000000000p+0, "1.0" },
		{ -0x1.0000000000000p+0, "-1.0" },
		{ 0x1.999999999999ap-4, "0.1" },
		{ 0x1.999999999999ap-3, "0.2" },
		{ 0x1.3333333333333p-2, "0.3" },
		{ 0x1.3333333333334p-2, "0.30000000000000004" },
		{ 0x1.5555555555555p-2, "0.3333333333333333" },
		{ 0x1.5555555555555p-1, "0.6666666666666666" },
		{ 0x1.4f8b588e368f1p-17, "1e-05" },
		{ 0x1.a36e2eb1c432dp-14, "0.0001" },
		{ 0x1.02e4b6ce5dc68p-13, "0.00012345" },
		{ 0x1.a36371ea531a8p-14, "9.999e-05" },
		{ 0x1.e240c9fbe76c9p+16, "123456.789" },
		{ 0x1.c6bf526340000p+49, "1000000000000000.0" },
		{ 0x1.1c37937e08000p+53, "1e+16" },
		{ 0x1.6345785d8a000p+56, "1e+17" },
		{ 0x1.1c37937e07fffp+53, "9999999999999998.0" },
		{ 0x1.1c37937e07fffp+53, "9999999999999998.0" },
		{ 0x1.b69b4ba630f35p+56, "1.2345678901234568e+17" },
		{ 0x1.0000000000000p+53, "9007199254740992.0" },
		{ 0x1.0000000000001p+53, "9007199254740994.0" },
		{ 0x1.0000000000000p+63, "9.223372036854776e+18" },
		{ 0x1.0000000000000p+64, "1.8446744073709552e+19" },
		{ 0x1.b1ae4d6e2ef50p+69, "1e+21" },
		{ 0x1.0f0cf064dd592p+73, "1e+22" },
		{ 0x1.52d02c7e14af6p+76, "1e+23" },
		{ 0x0.0000000000001p-1022, "5e-324" },
		{ 0x0.0000000000002p-1022, "1e-323" },
		{ 0x0.0000000000003p-1022, "1.5e-323" },
		{ 0x1.0000000000000p-1022, "2.2250738585072014e-308" },
		{ 0x0.fffffffffffffp-1022, "2.225073858507201e-308" },
		{ 0x1.fffffffffffffp+1023, "1.7976931348623157e+308" },
		{ 0x1.0000000000000p-44, "5.684341886080802e-14" },
		{ 0x1.0000000000000p-1022, "2.2250738585072014e-308" },
		{ 0x0.0000000000001p-1022, "5e-324" },
		{ 0x1.0000000000000p-1000, "9.332636185032189e-302" },
		{ 0x1.0000000000000p-140, "7.174648137343064e-43" },
		{ 0x1.0000000000000p-24, "5.960464477539063e-08" },
		{ 0x1.1666666666666p+2, "4.35" },
		{ 0x1.9999999999999p-3, "0.19999999999999998" },
		{ 0x1.249ad2594c37dp+332, "1e+100" },
		{ 0x1.ffffffffffffep+1023, "1.7976931348623155e+308" },
		{ 0x1.0000000000000p+53, "9007199254740992.0" },
		{ 0x1.0000000000000p-1, "0.5" },
		{ 0x1.0000000000000p-2, "0.25" },
		{ 0x1.9000000000000p+6, "100.0" },
		{ 0x1.34a0000000000p+10, "1234.5" },
		{ -0x1.1126666666666p+8, "-273.15" },
		{ 0x1.921fb54442d18p+1, "3.141592653589793" },
		{ 0x1.5bf0a8b145769p+1, "2.718281828459045" },
		{ 0x1.ad7f29abcaf48p-24, "1e-07" },
		{ 0x1.421f5f40d8376p-23, "1.5e-07" },
		{ 0x1.fe185ca57c517p+78, "6.02214076e+23" },
		{ 0x1.b860bde023111p-111, "6.62607015e-34" },
		{ 0x1.1de784a000000p+28, "299792458.0" },
		{ 0x1.56e1fc2f8f359p-997, "1e-300" },
		{ 0x1.c7e83209e90b2p+72, "8.41e+21" },
		{ 0x1.2250fa08398d4p+64, "2.0919495182368195e+19" },
		{ 0x1.a36e2eb1c432dp-15, "5e-05" },
		{ 0x1.a36e2eb1c432dp-14, "0.0001" },
		{ 0x1.0624dd2f1a9fcp-10, "0.001" },
		{ 0x1.674e79c5fe500p+43, "12345678901234.5" },
		{ 0x1.c6bf52633ffffp+49, "999999999999999.9" },
		{ 0x1.fffffffffffffp-1, "0.9999999999999999" },
		{ 0x1.0000000000001p+0, "1.0000000000000002" },
		{ 0x1.4000000000001p+4, "20.000000000000004" },
		{ 0x1.0000000080000p+32, "4294967296.5" },
		{ 0x1.dcd6500000008p+29, "1000000000.000001" },
		{ 0x1.0000000000000p-1017, "7.120236347223045e-307" },
		{ 0x1.ef283c71d933ap+48, "544431068535091.6" },
		{ 0x1.0000000000000p-20, "9.5367431640625e-07" },
		{ 0x1.ffc0000000000p+15, "65504.0" },
		{ 0x1.fffffe0000000p+127, "3.4028234663852886e+38" },
		{ 0x1.0000000000000p-126, "1.1754943508222875e-38" },
		{ 0x1.6d601ad376ab9p-150, "1e-45" },
		{ 0x1.fca0555555555p+24, "33333333.333333332" },
		{ INFINITY, "inf" },
		{ -INFINITY, "-inf" },
		{ NAN, "nan" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		char text[PL_F64_TEXT_BYTES];
		pl_text_from_f64(rows[i].value, text);
		assert_string_equal(text, rows[i].text);
	}
}

static void test_base_text__doubles_are_rounded_to_digits(void **state)
{
	static const struct {
		double value;
		int digits;
		const char *text;
	} rows[] = {
		{ 85.017493504, 7, "85.01749" },
		{ 85.017493504, 4, "85.02" },
		{ -85.017493504, 1, "-90.0" },
		{ 0.00045678912, 3, "0.000457" },
		{ 123456.789, 3, "123000.0" },
		{ 99.99996, 6, "100.0" },
		{ 0x1.fffffffffffffp-1, 16, "0.9999999999999999" },
		{ 0x1.fffffffffffffp-1, 15, "1.0" },
		{ 0.1, 7, "0.1" },
		{ 1.5e-9, 1, "2e-09" },
		{ 0x1.0000000000001p+0, 17, "1.0000000000000002" },
		{ DBL_TRUE_MIN, 3, "5e-324" },
		{ DBL_MAX, 3, "1.8e+308" },
		{ 0.0, 3, "0.0" },
		{ INFINITY, 3, "inf" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		char text[PL_F64_TEXT_BYTES];
		char *end = pl_text_put_f64_rounded(text, rows[i].value, rows[i].digits);
		assert_string_equal(text, rows[i].text);
		assert_ptr_equal(end, text + strlen(text));
	}
}

/* N ns in seconds: the digits of N are the shortest text, from 1e-4 on without an exponent. */
static void test_base_text__whole_ns_in_seconds(void **state)
{
	uint64_t draw = 1;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		draw = draw * 6364136223846793005u + 1442695040888963407u;
		uint64_t ns = 100000 + (draw >> 16) % (uint64_t)pow(10, 6 + i % 10);
		char expected[40], text[PL_F64_TEXT_BYTES];
		int len = snprintf(expected, sizeof(expected), "%llu.%09llu",
				   (unsigned long long)(ns / 1000000000),
				   (unsigned long long)(ns % 1000000000));
		while (expected[len - 1] == '0' && expected[len - 2] != '.')
			expected[--len] = '\0';
		pl_text_from_f64((double)ns / 1e9, text);
		assert_string_equal(text, expected);
		assert_true(strtod(text, NULL) == (double)ns / 1e9);
	}
}

/* Adds every byte of the text and a newline. */
static uint64_t fold_text(uint64_t hash, double value)
{
	char text[PL_F64_TEXT_BYTES + 1];

	pl_text_from_f64(value, text);
	strcat(text, "\n");
	for (const char *at = text; *at != '\0'; at++)
		hash = (hash ^ (unsigned char)*at) * 1099511628211u;
	return hash;
}

#define FOLD_START 14695981039346656037u

static uint64_t fold_neighbors(uint64_t hash, double value)
{
	hash = fold_text(hash, nextafter(value, 0));
	hash = fold_text(hash, value);
	return fold_text(hash, nextafter(value, INFINITY));
}

/* Doubles are denser just below a power of two than above it: shortest forms often fail there. */
static void test_base_text__shortest_floats_at_every_power(void **state)
{
	uint64_t hash = FOLD_START;
	char text[16];

	(void)state;
	for (int k = -1074; k < 1024; k++)
		hash = fold_neighbors(hash, ldexp(1, k));
	assert_true(hash == 0x7530abf1fa599172u);

	hash = FOLD_START;
	for (int k = -323; k < 309; k++) {
		double value;
		snprintf(text, sizeof(text), "1e%d", k);
		assert_true(pl_text_to_f64(text, &value));
		hash = fold_neighbors(hash, value);
	}
	assert_true(hash == 0xca9a9b7ffd537092u);
}

static void test_base_text__shortest_floats_of_any_bits(void **state)
{
	uint64_t hash = FOLD_START;
	uint64_t bits = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		double value;
		bits = bits * 6364136223846793005u + 1442695040888963407u;
		memcpy(&value, &bits, sizeof(value));
		if (isfinite(value))
			hash = fold_text(hash, value);
	}
	assert_true(hash == 0x6dc1fd2fc5ec006fu);
}

static void test_base_text__from_duration(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} rows[] = {
		{ 1500 * PL_NS_PER_MS, "1.5 s" },
		{ 20 * PL_NS_PER_MS, "20 ms" },
		{ 250 * PL_NS_PER_US, "250 us" },
		{ 999, "999 ns" },
		{ 0, "0 ns" },
		{ -2 * PL_NS_PER_S, "-2 s" },
		{ 600 * PL_NS_PER_S, "600 s" },
		{ 3599 * PL_NS_PER_S, "3599 s" },
		{ 3599 * PL_NS_PER_S + 400 * PL_NS_PER_MS, "3599 s" },
		{ 3599 * PL_NS_PER_S + 500 * PL_NS_PER_MS, "1 h" },
		{ 3600 * PL_NS_PER_S, "1 h" },
		{ 3601 * PL_NS_PER_S, "1 h 1 s" },
		{ 5400 * PL_NS_PER_S, "1 h 30 min" },
		{ 12340 * PL_NS_PER_S, "3 h 25 min 40 s" },
		{ 12340 * PL_NS_PER_S - 499 * PL_NS_PER_MS, "3 h 25 min 40 s" },
		{ -7200 * PL_NS_PER_S, "-2 h" },
		{ 100000 * PL_NS_PER_S, "27 h 46 min 40 s" },
		{ INT64_MAX, "2562047 h 47 min 17 s" },
		{ INT64_MIN, "-2562047 h 47 min 17 s" },
	};
	char text[32];

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		pl_text_from_duration(rows[i].ns, text, sizeof(text));
		assert_string_equal(text, rows[i].text);
	}
}

static void test_base_text__distance(void **state)
{
	static const struct {
		const char *a;
		const char *b;
		unsigned distance;
	} rows[] = {
		{ "", "", 0 },
		{ "", "abc", 3 },
		{ "abc", "", 3 },
		{ "rate", "rate", 0 },
		{ "rat", "rate", 1 },
		{ "raet", "rate", 1 }, /* neighbours swapped */
		{ "kitten", "sitting", 3 },
		{ "Max-Num-Seqs", "max_num_seqs", 0 },
		{ "tensor_paralel_size", "tensor_parallel_size", 1 },
		{ "ca", "abc", 3 }, /* no edit inside a swapped pair */
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		assert_int_equal(pl_text_distance(rows[i].a, rows[i].b), rows[i].distance);
		assert_int_equal(pl_text_distance(rows[i].b, rows[i].a), rows[i].distance);
	}
}

static void test_base_text__distance_looks_at_128_bytes(void **state)
{
	char a[301];
	char b[301];

	(void)state;
	memset(a, 'x', 300);
	memset(b, 'x', 300);
	memset(b + 128, 'y', 172);
	a[300] = b[300] = '\0';
	assert_int_equal(pl_text_distance(a, b), 0);
	b[127] = 'y';
	assert_int_equal(pl_text_distance(a, b), 1);
}

static void test_base_text__nearest(void **state)
{
	static const char *const names[] = { "tensor_parallel_size", "pipeline_parallel_size",
					     "model", "max_num_seqs", "request_rate" };
	static const struct {
		const char *given;
		const char *nearest;
	} rows[] = {
		{ "tensor_paralel_size", "tensor_parallel_size" },
		{ "tensor-parallel-size", "tensor_parallel_size" },
		{ "pipline_parallel_sise", "pipeline_parallel_size" },
		{ "modle", "model" },
		{ "max_nmu_seqs", "max_num_seqs" },
		{ "requestrate", "request_rate" },
		{ "zebra_crossing", NULL },
		{ "xyz", NULL },
		{ "mdel", "model" },
		{ "max", NULL },
		{ "moo", NULL },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		const char *found = pl_text_nearest(rows[i].given, names, PL_ARRAY_SIZE(names));
		if (rows[i].nearest == NULL)
			assert_null(found);
		else
			assert_string_equal(found, rows[i].nearest);
	}
	assert_null(pl_text_nearest("model", NULL, 0));
	/* in three letters, two changes are another word */
	assert_null(pl_text_nearest("foo", (const char *const[]){ "from" }, 1));
	assert_string_equal(pl_text_nearest("form", (const char *const[]){ "from" }, 1), "from");
}

static void test_base_text__starts_ends_equal(void **state)
{
	(void)state;
	assert_true(pl_text_starts("abc", ""));
	assert_true(pl_text_starts("abc", "ab"));
	assert_false(pl_text_starts("ab", "abc"));
	assert_true(pl_text_ends("r.json", ".json"));
	assert_true(pl_text_ends("r", ""));
	assert_false(pl_text_ends("json", ".json"));
	assert_true(pl_text_equal(NULL, NULL));
	assert_false(pl_text_equal(NULL, ""));
	assert_false(pl_text_equal("", NULL));
	assert_true(pl_text_equal("a", "a"));
	assert_false(pl_text_equal("a", "b"));
}

static void test_base_text__trim(void **state)
{
	static const struct {
		char text[16];
		const char *trimmed;
	} rows[] = { { "  a b\t\r\n", "a b" }, { "", "" }, { " \n ", "" }, { "x", "x" } };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		char text[16];
		memcpy(text, rows[i].text, sizeof(text));
		assert_string_equal(pl_text_trim(text), rows[i].trimmed);
	}
}

static void test_base_text__json_strings(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		const char *ascii;
		const char *utf8;
	} rows[] = {
		{ "", 0, "\"\"", "\"\"" },
		{ "a\"\\/", 4, "\"a\\\"\\\\/\"", "\"a\\\"\\\\/\"" },
		{ "\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\"", "\"\\b\\f\\n\\r\\t\"" },
		{ "\0\x1f\x7f", 3, "\"\\u0000\\u001f\\u007f\"", "\"\\u0000\\u001f\x7f\"" },
		{ "\xc3\xa9", 2, "\"\\u00e9\"", "\"\xc3\xa9\"" },
		{ "\xe2\x82\xac", 3, "\"\\u20ac\"", "\"\xe2\x82\xac\"" },
		{ "\xf0\x9f\x98\x80", 4, "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"" },
		/* not UTF-8: a stray byte, a cut one, an overlong one, a surrogate, past
		 * U+10FFFF */
		{ "\xff", 1, "\"\\ufffd\"", "\"\xef\xbf\xbd\"" },
		{ "\xe2\x82", 2, "\"\\ufffd\\ufffd\"", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xc0\xaf", 2, "\"\\ufffd\\ufffd\"", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\"",
		  "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xf4\x90\x80\x80", 4, "\"\\ufffd\\ufffd\\ufffd\\ufffd\"",
		  "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xef\xbf\xbd", 3, "\"\\ufffd\"", "\"\xef\xbf\xbd\"" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_buf buf = { 0 };
		pl_buf_init(&buf, 1000);
		assert_true(pl_text_add_json(&buf, rows[i].text, rows[i].len, true));
		assert_string_equal(pl_buf_text(&buf), rows[i].ascii);
		pl_buf_clear(&buf);
		assert_true(pl_text_add_json(&buf, rows[i].text, rows[i].len, false));
		assert_string_equal(pl_buf_text(&buf), rows[i].utf8);
	}
}

/* The code reads eight bytes at a time: it finds a byte to escape at each offset. */
static void test_base_text__each_byte_at_each_place_of_a_json_string(void **state)
{
	char text[] = "abcdefghijklmnopqrstuvwx";

	(void)state;
	for (size_t at = 0; at < strlen(text); at++) {
		char before = text[at];
		for (int byte = 1; byte < 256; byte++) {
			const char one[] = { (char)byte, '\0' };
			auto_buf whole = PL_BUF(1000), parts = PL_BUF(1000);
			text[at] = (char)byte;
			pl_text_add_json(&whole, text, strlen(text), false);
			pl_text_add_json(&parts, one, 1, false);
			auto_free char *wanted = pl_asprintf("\"%.*s%.*s%s\"", (int)at, text,
							     (int)parts.len - 2, parts.data + 1,
							     text + at + 1);
			assert_string_equal(pl_buf_text(&whole), wanted);
		}
		text[at] = before;
	}
}

static void test_base_text__json_string_past_the_ceiling(void **state)
{
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 6);
	assert_true(pl_text_add_json(&buf, "abcd", 4, false));
	pl_buf_clear(&buf);
	assert_false(pl_text_add_json(&buf, "abcde", 5, false));
}

static void test_base_text__utf8(void **state)
{
	static const struct {
		const char *text;
		bool is_utf8;
	} rows[] = {
		{ "", true },
		{ "a\x7f", true },
		{ "\xc3\xbc", true },
		{ "\xef\xbf\xbd", true }, /* U+FFFD itself */
		{ "\xf0\x9f\x98\x80", true },
		{ "\xff", false },
		{ "a\x80", false },
		{ "\xc3", false },
		{ "\xc3(", false },
		{ "\xc0\x80", false },     /* U+0000, too long */
		{ "\xed\xa0\x80", false }, /* half a pair */
		{ "\xf4\x90\x80\x80", false },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++)
		assert_int_equal(pl_text_is_utf8(rows[i].text), rows[i].is_utf8);
}

static void test_base_text__columns(void **state)
{
	(void)state;
	assert_int_equal(pl_text_columns("", 0), 0);
	assert_int_equal(pl_text_columns("abc", 3), 3);
	assert_int_equal(pl_text_columns("abc", 2), 2);
	assert_int_equal(pl_text_columns("a\xC3\xA9\xE2\x80\x93z", 7), 4);
}

static void test_base_text__words(void **state)
{
	(void)state;
	assert_true(pl_text_has_word("ab c", ' ', "ab"));
	assert_true(pl_text_has_word("ab c", ' ', "c"));
	assert_true(pl_text_has_word("ab|c", '|', "c"));
	assert_true(pl_text_has_word("a  b", ' ', "b"));
	assert_false(pl_text_has_word("ab c", ' ', "a"));
	assert_false(pl_text_has_word("ab c", ' ', "abc"));
	assert_false(pl_text_has_word("ab c", '|', "c"));
	assert_false(pl_text_has_word("ab c", ' ', ""));
	assert_false(pl_text_has_word("", ' ', "a"));
	assert_false(pl_text_has_word(NULL, ' ', "a"));
}

static void test_base_text__sizes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0 bytes" },
		{ 1023, "1023 bytes" },
		{ 1024, "1 KiB" },
		{ 1536, "1.5 KiB" },
		{ 1 << 20, "1 MiB" },
		{ 3ull << 30, "3 GiB" },
		/* the largest unit stays */
		{ 1ull << 40, "1024 GiB" },
		{ 1ull << 62, "4294967296 GiB" },
	};
	char text[PL_BYTES_TEXT_BYTES];

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++)
		assert_string_equal(pl_text_from_bytes(cases[i].bytes, text), cases[i].text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_text__to_i64),
		cmocka_unit_test(test_base_text__to_f64),
		cmocka_unit_test(test_base_text__doubles_are_rounded_to_digits),
		cmocka_unit_test(test_base_text__whole_ns_in_seconds),
		cmocka_unit_test(test_base_text__durations),
		cmocka_unit_test(test_base_text__human_ints),
		cmocka_unit_test(test_base_text__shortest_floats_equal_python),
		cmocka_unit_test(test_base_text__shortest_floats_at_every_power),
		cmocka_unit_test(test_base_text__shortest_floats_of_any_bits),
		cmocka_unit_test(test_base_text__from_duration),
		cmocka_unit_test(test_base_text__distance),
		cmocka_unit_test(test_base_text__distance_looks_at_128_bytes),
		cmocka_unit_test(test_base_text__nearest),
		cmocka_unit_test(test_base_text__starts_ends_equal),
		cmocka_unit_test(test_base_text__trim),
		cmocka_unit_test(test_base_text__json_strings),
		cmocka_unit_test(test_base_text__each_byte_at_each_place_of_a_json_string),
		cmocka_unit_test(test_base_text__json_string_past_the_ceiling),
		cmocka_unit_test(test_base_text__utf8),
		cmocka_unit_test(test_base_text__columns),
		cmocka_unit_test(test_base_text__words),
		cmocka_unit_test(test_base_text__sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
