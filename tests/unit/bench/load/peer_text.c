#include "bench/load/peer_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"

#define FFFD "\xef\xbf\xbd"

static void texts_are_made_fit(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *out;
	} rows[] = {
		{ "", 0, "" },
		{ " \r\n\t\0 ", 6, "" },
		{ " kaput \r\n", 9, "kaput" },
		{ "two\nlines\tand", 13, "two\nlines\tand" },
		{ "a\0b", 3, "a b" },
		{ "\x1b[31mred\x7f!", 11, "[31mred !" },
		{ "a\x1b[0m", 5, "a [0m" },
		{ "\xc3\xa4\xe4\xb8\xad\xf0\x9f\x98\x80", 9,
		  "\xc3\xa4\xe4\xb8\xad\xf0\x9f\x98\x80" },
		{ "x\xc2\x9b"
		  "31m",
		  6, "x 31m" },
		{ "\xff\xfe", 2, FFFD FFFD },
		{ "a\xc3", 2, "a" FFFD },
		{ "\xe4\xb8z", 3, FFFD FFFD "z" },
		{ "\xed\xa0\x80", 3, FFFD FFFD FFFD },
		{ "\xc0\x80", 2, FFFD FFFD },
	};
	char out[64];

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		size_t len = bench_peer_text(rows[i].bytes, rows[i].len, out, sizeof(out));
		assert_string_equal(out, rows[i].out);
		assert_int_equal(len, strlen(out));
	}
}

/* For any room, the output is a prefix of whole characters, followed by a NUL. */
static void texts_are_cut_between_characters(void **state)
{
	static const char bytes[] = "a\xc3\xa4\xff\xf0\x9f\x98\x80"
				    "end";
	static const char whole[] = "a\xc3\xa4" FFFD "\xf0\x9f\x98\x80"
				    "end";

	(void)state;
	for (size_t room = 1; room < 20; room++) {
		auto_free char *out = pl_alloc(room);
		size_t len = bench_peer_text(bytes, sizeof(bytes) - 1, out, room);
		assert_true(len < room);
		assert_memory_equal(out, whole, len);
		assert_int_equal(out[len], '\0');
		assert_true(pl_text_is_utf8(out));
		assert_true(len + 5 > room || len == strlen(whole));
	}
}

static void messages_are_found(void **state)
{
	static const struct {
		const char *bytes;
		const char *out; /* NULL: none */
	} rows[] = {
		{ "{\"error\": {\"message\": \"kaput\", \"type\": \"x\"}}", "kaput" },
		{ "{\"error\": {\"type\": \"x\", \"code\": 1}}", NULL },
		{ "{\"error\": \"kaput\"}", "kaput" },
		{ "{\"error\": \"Bad Request\", \"message\": \"kaput\"}", "kaput" },
		{ "{\"message\": \"kaput\", \"error\": \"Bad Request\"}", "kaput" },
		{ "{\"error\": {\"message\": \"kaput\"}, \"message\": \"other\"}", "kaput" },
		{ "{\"object\": \"error\", \"message\": \"kaput\", \"code\": 400}", "kaput" },
		{ "{\"detail\": \"kaput\"}", "kaput" },
		{ "{\"detail\": {\"msg\": \"kaput\"}}", "kaput" },
		{ "{\"detail\": [{\"loc\": [\"message\", {\"a\": []}], \"msg\": \"kaput\"}]}",
		  "kaput" },
		{ "{\"detail\": [\"kaput\", \"b\"]}", "kaput" },
		{ "{\"errors\": [{\"message\": \"kaput\"}, {\"message\": \"b\"}]}", "kaput" },
		{ "{\"error\": {\"error\": {\"message\": \"kaput\"}}}", "kaput" },
		{ " \r\n{\"error\": \"kaput\"}", "kaput" },
		{ "data: {\"error\": \"kaput\"}\n\ndata: [DONE]\n\n", "kaput" },
		/* the end is missing */
		{ "{\"error\": {\"message\": \"kaput\", \"trace\": \"xxx", "kaput" },
		{ "{\"detail\": [{\"msg\": \"kaput\"}, ", "kaput" },
		{ "{\"error\": {\"message\": \"kap", NULL },
		{ "{\"error\": \"\\u0000\\nkaput\\u0007!\"}", "kaput !" },
		{ "{\"error\": \"\"}", NULL },
		{ "{\"error\": \" \"}", NULL },
		{ "{\"error\": null, \"detail\": 5, \"message\": []}", NULL },
		{ "{\"trace\": {\"message\": \"inner\"}}", NULL },
		{ "{}", NULL },
		{ "[\"error\"]", NULL },
		{ "\"error\"", NULL },
		{ "data:", NULL },
		{ "<html>", NULL },
		{ "", NULL },
	};
	char out[64];

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		bool found = bench_peer_message(rows[i].bytes, strlen(rows[i].bytes), out,
						sizeof(out));
		assert_int_equal(found, rows[i].out != NULL);
		if (found)
			assert_string_equal(out, rows[i].out);
	}
}

/* All cuts and all depths end, and read within their bytes (an exact copy shows it to a
 * sanitizer). */
static void anything_has_an_end(void **state)
{
	static const char text[] =
		"data: {\"a\":[1,{\"b\":[]}],\"error\":[[{\"detail\":[\"x\",{}]}],"
		"{\"errors\":{\"message\":[null,\"kaput\"]}}]}";
	char deep[400];
	char out[64];

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		auto_free char *copy = pl_memdup(text, len);
		bool found = bench_peer_message(copy, len, out, sizeof(out));
		assert_true(!found || strcmp(out, "x") == 0);
	}
	assert_true(bench_peer_message(text, sizeof(text) - 1, out, sizeof(out)));
	for (size_t i = 0; i < sizeof(deep); i += 10)
		memcpy(deep + i, "{\"error\":[", 10);
	assert_false(bench_peer_message(deep, sizeof(deep), out, sizeof(out)));
}

static void words_are_the_message_or_all(void **state)
{
	char out[64];

	(void)state;
	assert_int_equal(bench_peer_words("{\"detail\":\"x\"}", 14, out, sizeof(out)), 1);
	assert_string_equal(out, "x");
	assert_int_equal(bench_peer_words("{\"error\":[5]}\n", 14, out, sizeof(out)), 13);
	assert_string_equal(out, "{\"error\":[5]}");
	assert_int_equal(bench_peer_words("", 0, out, sizeof(out)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_made_fit),
		cmocka_unit_test(texts_are_cut_between_characters),
		cmocka_unit_test(messages_are_found),
		cmocka_unit_test(anything_has_an_end),
		cmocka_unit_test(words_are_the_message_or_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
