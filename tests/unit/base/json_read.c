/* jansson's own reader is the other source: what ours takes it takes too, and both make the same of it. */
#include "base/json_read_priv.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

static json_t *by_jansson(const char *text, size_t len)
{
	return json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
}

/* Is it taken? A copy without a byte behind it, so that a read beyond the end is seen. */
static bool is_read(const char *text, size_t len)
{
	auto_free char *copy = malloc(len > 0 ? len : 1);

	memcpy(copy, text, len);
	auto_json json_t *read = pl_json_read(copy, len);
	auto_json json_t *expected = by_jansson(copy, len);
	if (read == NULL)
		return false;
	if (expected == NULL || !json_equal(read, expected))
		fail_msg("read otherwise than by jansson: %.*s", (int)len, text);
	auto_free char *written = pl_json_to_text(read, PL_JSON_COMPACT);
	auto_free char *as_expected = pl_json_to_text(expected, PL_JSON_COMPACT);
	assert_string_equal(written, as_expected);
	return true;
}

static const char *const sound[] = {
	"{}",
	"[]",
	" \n\t\r[ ] ",
	"null",
	"true",
	" false ",
	"\"\"",
	"\"text\"",
	"{\"a\":1,\"b\":[2,-3,0,-0,123456789012345678,-123456789012345678]}",
	"[0.5,-0.0,1e3,1E+3,1e-3,1.25e2,5e-324,1e-999,1.7976931348623157e308,0.1]",
	"[123456789.123456789]",
	"[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\\uffff\"]",
	"{\"\\u0061\\n\":\"\\u0062\",\"c\":{\"\\\"\":\"\\\"\"}}",
	"{\"\xc3\xa9\":\"\xe2\x82\xac\xf0\x9f\x98\x80\",\"\":{\"\":[{}]}}",
	"[[[[[[]]]],[null,true,false]]]",
};

static void test_base_json_read__what_jansson_reads(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(sound); i++) {
		if (!is_read(sound[i], strlen(sound[i])))
			fail_msg("not read: %s", sound[i]);
	}
}

static const char *const left[] = {
	"",
	" ",
	"[",
	"]",
	"{",
	"}",
	"[1",
	"[1,",
	"[1,]",
	"[,1]",
	"[1 2]",
	"{\"a\"}",
	"{\"a\":}",
	"{\"a\":1,}",
	"{a:1}",
	"{\"a\":1,\"a\":2}",
	"{\"a\":1,\"\\u0061\":2}",
	"{} x",
	"[]]",
	"nul",
	"nulll",
	"True",
	"[NaN]",
	"[Infinity]",
	"[01]",
	"[-]",
	"[+1]",
	"[.5]",
	"[1.]",
	"[1e]",
	"[1e+]",
	"[0x10]",
	"[1_0]",
	"[--1]",
	"[1234567890123456789]",
	"[12345678901234567890]",
	"[1e999]",
	"\"",
	"\"a",
	"\"\\",
	"\"\\x\"",
	"\"\\u12\"",
	"\"\\u12g4\"",
	"\"\\u0000\"",
	"{\"\\u0000\":1}",
	"\"\\ud800\"",
	"\"\\ud800\\u0041\"",
	"\"\\ud800x\"",
	"\"\\udc00\"",
	"\"\\ud800\\",
	"\"\\ud83d\\ude0\"",
	"\"a\nb\"",
	"\"\x01\"",
	"\"\xff\"",
	"\"\xc0\x80\"",
	"\"\xc3\"",
	"\"\xed\xa0\x80\"",
	"{\"\xff\":1}",
	"\"\\n\xff\"",
	"\xef\xbb\xbf{}",
	"// x\n{}",
	"[1]\v",
};

static void test_base_json_read__all_else_is_left_to_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(left); i++) {
		if (is_read(left[i], strlen(left[i])))
			fail_msg("read: %s", left[i]);
	}
	/* bytes of 0 are not the end */
	assert_false(is_read("[1]\0", 4));
	assert_false(is_read("[1,\0]", 5));
	assert_false(is_read("\"a\0b\"", 5));
}

static void test_base_json_read__depth_is_bounded(void **state)
{
	enum { LEVELS = 256 };
	char text[2 * LEVELS + 2];

	(void)state;
	memset(text, '[', LEVELS);
	memset(text + LEVELS, ']', LEVELS);
	assert_true(is_read(text, (size_t)2 * LEVELS));
	memset(text, '[', LEVELS + 1);
	memset(text + LEVELS + 1, ']', LEVELS + 1);
	assert_false(is_read(text, sizeof(text)));
}

/* Every text cut at each place, and with each of its bytes changed, doubled and left out. */
static void test_base_json_read__broken_texts(void **state)
{
	static const char bytes[] = "\"\\{}[],:01.eE-+ nu\n\x80\xff";
	char text[256];
	size_t taken = 0;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(sound); i++) {
		size_t len = strlen(sound[i]);
		for (size_t at = 0; at < len; at++) {
			memcpy(text, sound[i], len);
			taken += is_read(text, at);
			/* with the 0 behind them */
			for (size_t k = 0; k < sizeof(bytes); k++) {
				text[at] = bytes[k];
				taken += is_read(text, len);
			}
			memcpy(text + at, sound[i] + at + 1, len - at - 1);
			taken += is_read(text, len - 1);
			text[at] = sound[i][at];
			memcpy(text + at + 1, sound[i] + at, len - at);
			taken += is_read(text, len + 1);
		}
	}
	assert_true(taken > 1000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_json_read__what_jansson_reads),
		cmocka_unit_test(test_base_json_read__all_else_is_left_to_it),
		cmocka_unit_test(test_base_json_read__depth_is_bounded),
		cmocka_unit_test(test_base_json_read__broken_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
