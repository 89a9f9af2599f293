#include "io/jwalk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

/* An exact copy, so that a sanitizer sees a read beyond it. */
struct doc {
	char *copy;
	struct io_jwalk walk;
};

static void doc_open(struct doc *doc, const char *text, size_t len)
{
	doc->copy = pl_memdup(text, len);
	io_jwalk_init(&doc->walk, doc->copy, len);
}

static void doc_close(struct doc *doc)
{
	free(doc->copy);
}

static bool accepts(const char *text, size_t len)
{
	struct doc doc;
	enum io_jwalk_token token;

	doc_open(&doc, text, len);
	do
		token = io_jwalk_next(&doc.walk);
	while (token != IO_JWALK_DONE && token != IO_JWALK_ERROR);
	assert_int_equal(io_jwalk_next(&doc.walk), token);
	doc_close(&doc);

	/* skipping checks as much as walking */
	struct doc retry;
	doc_open(&retry, text, len);
	bool skipped = io_jwalk_skip_value(&retry.walk) != IO_JWALK_ERROR &&
		       io_jwalk_next(&retry.walk) == IO_JWALK_DONE;
	assert_int_equal(skipped, token == IO_JWALK_DONE);
	doc_close(&retry);
	return token == IO_JWALK_DONE;
}

static const char *const good[] = { "0",
				    "-0",
				    "7",
				    "-12",
				    "1.5",
				    "0.25",
				    "-0.0",
				    "1e5",
				    "1E+5",
				    "1.25e-10",
				    "123456789012345678901234567890",
				    "1e999",
				    "true",
				    "false",
				    "null",
				    "\"\"",
				    "\"abc\"",
				    "\"0123456\"",
				    "\"01234567\"",
				    "\"0123456789abcdef0\"",
				    "\" ~\x7f\"",
				    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
				    "\"\\u0000\"",
				    "\"\\u00e9\\u4E2D\\uffff\"",
				    "\"\\ud83d\\ude00\"",
				    "\"\xc2\x80\"",
				    "\"\xdf\xbf\"",
				    "\"\xe0\xa0\x80\"",
				    "\"\xed\x9f\xbf\"",
				    "\"\xee\x80\x80\"",
				    "\"\xef\xbf\xbf\"",
				    "\"\xf0\x90\x80\x80\"",
				    "\"\xf4\x8f\xbf\xbf\"",
				    "\"caf\xc3\xa9 \xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80 end\"",
				    "[]",
				    "{}",
				    " [ ] ",
				    "\t{\r\n}\n",
				    "[1]",
				    "[1,2,3]",
				    "[ 1 , \"a\" , null ]",
				    "{\"a\":1}",
				    "{ \"a\" : 1 , \"b\" : [ { } ] }",
				    "{\"\":\"\"}",
				    "{\"a\":1,\"a\":2}",
				    "[[[[[]]]]]",
				    "[{\"a\":[{\"b\":{}}]},[]]",
				    "[true,false,null,-1.5e3]" };

static const char *const bad[] = { "",
				   " ",
				   "01",
				   "-",
				   "-a",
				   "+1",
				   ".5",
				   "1.",
				   "1.e5",
				   "1e",
				   "1e+",
				   "1.5.5",
				   "0x10",
				   "1a",
				   "--1",
				   "Infinity",
				   "NaN",
				   "tru",
				   "True",
				   "truefalse",
				   "nul",
				   "nulll",
				   "'a'",
				   "abc",
				   "\"",
				   "\"abc",
				   "\"abc\\\"",
				   "\"\\",
				   "\"\\x\"",
				   "\"\\U0041\"",
				   "\"\\u\"",
				   "\"\\u12\"",
				   "\"\\u12g4\"",
				   "\"\\u123",
				   "\"\\ud83d\\ude0\"",
				   "\"\n\"",
				   "\"\t\"",
				   "\"0123456\x01\"",
				   "\"01234567\x1f\"",
				   "\"\x80\"",
				   "\"\xbf\"",
				   "\"\xc0\x80\"",
				   "\"\xc1\xbf\"",
				   "\"\xc2\"",
				   "\"\xc2",
				   "\"\xc2\x41\"",
				   "\"\xe0\x9f\xbf\"",
				   "\"\xe4\xb8\"",
				   "\"\xed\xa0\x80\"",
				   "\"\xf0\x8f\xbf\xbf\"",
				   "\"\xf0\x9f\x98\"",
				   "\"\xf4\x90\x80\x80\"",
				   "\"\xf5\x80\x80\x80\"",
				   "\"\xff\"",
				   "\xef\xbb\xbf[]",
				   "\xc2\xa0[]",
				   "[",
				   "]",
				   "[1",
				   "[1,",
				   "[1,]",
				   "[,1]",
				   "[1 2]",
				   "[1,,2]",
				   "[1}",
				   "[1:2]",
				   "[\"a\":1]",
				   "{",
				   "}",
				   "{\"a\"",
				   "{\"a\":",
				   "{\"a\":}",
				   "{\"a\" 1}",
				   "{\"a\":1",
				   "{\"a\":1,",
				   "{\"a\":1,}",
				   "{,}",
				   "{\"a\":1]",
				   "{a:1}",
				   "{1:1}",
				   "{\"a\"::1}",
				   "{\"a\":1 \"b\":2}",
				   "{\"a\",\"b\"}",
				   "[] []",
				   "[],",
				   "{}}",
				   "[1]//c",
				   "/**/1",
				   "[\f]",
				   "[\v]" };

static void test_io_jwalk__good_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(good); i++) {
		if (!accepts(good[i], strlen(good[i])))
			fail_msg("'%s' was refused", good[i]);
	}
}

static void test_io_jwalk__bad_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(bad); i++) {
		if (accepts(bad[i], strlen(bad[i])))
			fail_msg("'%s' was accepted", bad[i]);
	}
	assert_false(accepts("[\0]", 3));
	assert_false(accepts("\"\0\"", 3));
	assert_false(accepts("1\0", 2));
}

/* No good text of brackets or quotes stays good when its end is missing. */
static void test_io_jwalk__cut_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(good); i++) {
		const char *close = strrchr(good[i], good[i][0] == '"' ? '"' : ']');
		for (size_t len = 0; close != NULL && good[i] + len <= close; len++) {
			if (good[i][0] == '[' || good[i][0] == '"')
				assert_false(accepts(good[i], len));
		}
	}
}

static void test_io_jwalk__every_escape_and_byte(void **state)
{
	(void)state;
	for (int c = 1; c < 256; c++) {
		char text[] = { '"', '\\', (char)c, '"', '\0' };

		bool known = strchr("\"\\/bfnrt", c) != NULL;
		assert_int_equal(accepts(text, 4), known);
		for (size_t at = 0; at < 20; at++) {
			char plain[24] = "\"abcdefghijklmnopqrst\"";
			plain[1 + at] = (char)c;
			bool fits = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
			/* a backslash forms an escape with the next letter */
			if (c == '\\')
				fits = at + 1 < 20 && strchr("bfnrt", plain[2 + at]) != NULL;
			if (accepts(plain, 22) != fits)
				fail_msg("byte 0x%02x at %zu", (unsigned)c, at);
		}
	}
}

static void test_io_jwalk__depth_is_bounded(void **state)
{
	char text[2 * IO_JWALK_DEPTH_MAX + 2];

	(void)state;
	for (size_t depth = IO_JWALK_DEPTH_MAX; depth <= IO_JWALK_DEPTH_MAX + 1; depth++) {
		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		assert_int_equal(accepts(text, 2 * depth), depth == IO_JWALK_DEPTH_MAX);
	}
}

static void test_io_jwalk__levels_keep_their_kind(void **state)
{
	auto_buf text = { 0 };

	(void)state;
	pl_buf_init(&text, 1 << 16);
	for (int i = 0; i < IO_JWALK_DEPTH_MAX / 2; i++)
		pl_buf_add_text(&text, "[{\"a\":");
	pl_buf_add_text(&text, "1");
	for (int i = 0; i < IO_JWALK_DEPTH_MAX / 2; i++)
		pl_buf_add_text(&text, "}]");
	assert_true(accepts(text.data, text.len));
	text.data[text.len - 5] = ']'; /* one closing bracket of the wrong kind */
	text.data[text.len - 6] = ']';
	assert_false(accepts(text.data, text.len));
}

static void expect(struct io_jwalk *walk, enum io_jwalk_token token, const char *text)
{
	assert_int_equal(io_jwalk_next(walk), token);
	assert_int_equal(walk->len, strlen(text));
	assert_memory_equal(walk->text, text, walk->len);
}

static void test_io_jwalk__tokens_in_order(void **state)
{
	static const char text[] = " {\"a\" : [1, -2.5e3 ,\"x\\n\"], \"b\":{}, \"c\":null,"
				   "\"d\":true,\"e\":false} ";
	struct io_jwalk walk;

	(void)state;
	io_jwalk_init(&walk, text, sizeof(text) - 1);
	expect(&walk, IO_JWALK_OBJECT, "{");
	expect(&walk, IO_JWALK_KEY, "a");
	assert_true(io_jwalk_is(&walk, "a"));
	assert_false(io_jwalk_is(&walk, "ab"));
	assert_false(io_jwalk_is(&walk, ""));
	expect(&walk, IO_JWALK_ARRAY, "[");
	expect(&walk, IO_JWALK_NUMBER, "1");
	expect(&walk, IO_JWALK_NUMBER, "-2.5e3");
	expect(&walk, IO_JWALK_STRING, "x\\n");
	assert_true(walk.escaped);
	assert_false(io_jwalk_is(&walk, "x\\n"));
	expect(&walk, IO_JWALK_END, "]");
	expect(&walk, IO_JWALK_KEY, "b");
	assert_false(walk.escaped);
	expect(&walk, IO_JWALK_OBJECT, "{");
	expect(&walk, IO_JWALK_END, "}");
	expect(&walk, IO_JWALK_KEY, "c");
	expect(&walk, IO_JWALK_NULL, "null");
	expect(&walk, IO_JWALK_KEY, "d");
	expect(&walk, IO_JWALK_TRUE, "true");
	expect(&walk, IO_JWALK_KEY, "e");
	expect(&walk, IO_JWALK_FALSE, "false");
	expect(&walk, IO_JWALK_END, "}");
	expect(&walk, IO_JWALK_DONE, "");
	expect(&walk, IO_JWALK_DONE, "");
}

static void test_io_jwalk__skipping(void **state)
{
	static const char text[] = "{\"a\":{\"b\":[1,{\"c\":2}]},\"d\":[[],[3]],\"e\":5}";
	struct io_jwalk walk;

	(void)state;
	io_jwalk_init(&walk, text, sizeof(text) - 1);
	expect(&walk, IO_JWALK_OBJECT, "{");
	expect(&walk, IO_JWALK_KEY, "a");
	assert_int_equal(io_jwalk_skip_value(&walk), IO_JWALK_OBJECT);
	expect(&walk, IO_JWALK_KEY, "d");
	expect(&walk, IO_JWALK_ARRAY, "[");
	assert_int_equal(io_jwalk_skip_value(&walk), IO_JWALK_ARRAY);
	assert_int_equal(io_jwalk_skip(&walk), IO_JWALK_END);
	expect(&walk, IO_JWALK_KEY, "e");
	assert_int_equal(io_jwalk_skip_value(&walk), IO_JWALK_NUMBER);
	assert_int_equal(io_jwalk_skip_value(&walk), IO_JWALK_END);
	assert_int_equal(io_jwalk_next(&walk), IO_JWALK_DONE);

	io_jwalk_init(&walk, "[[1,}]]", 7);
	expect(&walk, IO_JWALK_ARRAY, "[");
	assert_int_equal(io_jwalk_skip_value(&walk), IO_JWALK_ERROR);
	assert_int_equal(io_jwalk_skip_value(&walk), IO_JWALK_ERROR);
}

static void test_io_jwalk__whole_numbers(void **state)
{
	static const struct {
		const char *text;
		bool fits;
		int64_t value;
	} rows[] = {
		{ "0", true, 0 },
		{ "-0", true, 0 },
		{ "42", true, 42 },
		{ "-42", true, -42 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "-9223372036854775808", true, INT64_MIN },
		{ "9223372036854775808", false, 0 },
		{ "-9223372036854775809", false, 0 },
		{ "99999999999999999999", false, 0 },
		{ "1.0", false, 0 },
		{ "1e3", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct io_jwalk walk;
		int64_t value = 0;
		io_jwalk_init(&walk, rows[i].text, strlen(rows[i].text));
		assert_int_equal(io_jwalk_next(&walk), IO_JWALK_NUMBER);
		assert_int_equal(io_jwalk_to_i64(&walk, &value), rows[i].fits);
		assert_true(value == rows[i].value);
	}
}

static void test_io_jwalk__decoding(void **state)
{
	static const struct {
		const char *text;
		const char *bytes;
		size_t len;
	} rows[] = {
		{ "\"\"", "", 0 },
		{ "\"plain\"", "plain", 5 },
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8 },
		{ "\"a\\u0041b\"", "aAb", 3 },
		{ "\"\\u0000\"", "\0", 1 },
		{ "\"\\u007f\\u0080\\u07FF\"", "\x7f\xc2\x80\xdf\xbf", 5 },
		{ "\"\\u0800\\ufffd\"", "\xe0\xa0\x80\xef\xbf\xbd", 6 },
		{ "\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!", 5 },
		{ "\"\\uD800\\uDC00\"", "\xf0\x90\x80\x80", 4 },
		/* halves of a pair */
		{ "\"\\ud83d\"", "\xef\xbf\xbd", 3 },
		{ "\"\\ude00\"", "\xef\xbf\xbd", 3 },
		{ "\"\\ud83dx\"", "\xef\xbf\xbdx", 4 },
		{ "\"\\ud83d\\n\"", "\xef\xbf\xbd\n", 4 },
		{ "\"\\ud83d\\u0041\"",
		  "\xef\xbf\xbd"
		  "A",
		  4 },
		{ "\"\\ude00\\ud83d\"", "\xef\xbf\xbd\xef\xbf\xbd", 6 },
		{ "\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80", 7 },
		{ "\"\\udbff\\udfff\"", "\xf4\x8f\xbf\xbf", 4 },
		{ "\"\xc3\xa9\\n\xe4\xb8\xad\"", "\xc3\xa9\n\xe4\xb8\xad", 6 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct doc doc;
		char out[32];
		doc_open(&doc, rows[i].text, strlen(rows[i].text));
		assert_int_equal(io_jwalk_next(&doc.walk), IO_JWALK_STRING);
		for (size_t room = 0; room < sizeof(out); room++) {
			memset(out, '#', sizeof(out));
			size_t len = io_jwalk_decode(&doc.walk, out, room);
			assert_int_equal(out[room], '#');
			if (room < rows[i].len) {
				assert_true(len == (size_t)-1);
				continue;
			}
			assert_int_equal(len, rows[i].len);
			assert_memory_equal(out, rows[i].bytes, len);
			assert_int_equal(out[len], room > len ? '\0' : '#');
		}
		doc_close(&doc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_io_jwalk__good_texts),
		cmocka_unit_test(test_io_jwalk__bad_texts),
		cmocka_unit_test(test_io_jwalk__cut_texts),
		cmocka_unit_test(test_io_jwalk__every_escape_and_byte),
		cmocka_unit_test(test_io_jwalk__depth_is_bounded),
		cmocka_unit_test(test_io_jwalk__levels_keep_their_kind),
		cmocka_unit_test(test_io_jwalk__tokens_in_order),
		cmocka_unit_test(test_io_jwalk__skipping),
		cmocka_unit_test(test_io_jwalk__whole_numbers),
		cmocka_unit_test(test_io_jwalk__decoding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
