#include "base/redact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/text.h"

#define KEY   "sk-Pl4nt3d/Se+cret=\"\\\xc3\xa4 x"
#define OTHER "cret=\"\\\xc3\xa4 x-and-more"
#define SHORT "k3y!"

static void add_secrets(void)
{
	pl_redact_add(KEY);
	pl_redact_add(OTHER);
	pl_redact_add("  " SHORT "\n");
	pl_redact_add("-----BEGIN KEY-----\nTGluZSBvbmUgb2YgdGhlIGtleQ\nTGluZSB0d28gb2YgaXQgYWxs\n"
		      "-----END KEY-----");
}

/* Written by Python's urllib, json, html, base64 and binascii from KEY. */
static const char *const forms[] = {
	KEY,
	"sk-Pl4nt3d%2FSe%2Bcret%3D%22%5C%C3%A4%20x",
	"sk-Pl4nt3d/Se%2Bcret%3D%22%5C%C3%A4%20x",
	"sk-Pl4nt3d%2FSe%2Bcret%3D%22%5C%C3%A4+x",
	"sk-Pl4nt3d%2fSe%2bcret%3d%22%5c%c3%a4%20x",
	"sk-Pl4nt3d/Se+cret=\\\"\\\\\xc3\xa4 x",
	"sk-Pl4nt3d/Se+cret=\\\"\\\\\\u00e4 x",
	"sk-Pl4nt3d\\/Se+cret=\\\"\\\\\\u00E4 x",
	"sk-Pl4nt3d/Se+cret=\\\\\\\"\\\\\\\\\xc3\xa4 x",
	"\\u0073\\u006b\\u002d\\u0050\\u006c\\u0034\\u006e\\u0074\\u0033\\u0064\\u002f\\u0053\\u006"
	"5"
	"\\u002b\\u0063\\u0072\\u0065\\u0074\\u003d\\u0022\\u005c\\u00e4\\u0020\\u0078",
	"sk-Pl4nt3d/Se+cret=&quot;\\\xc3\xa4 x",
	"736b2d506c346e7433642f53652b637265743d225cc3a42078",
	"736B2D506C346E7433642F53652B637265743D225CC3A42078",
};

static char *redacted(const char *text)
{
	char *copy = pl_strdup(text);

	pl_redact_text(copy, PL_REDACT_OTHERS);
	return copy;
}

/* Characters of two, three and four bytes, written by Python's json. */
static void test_base_redact__escapes_of_long_characters(void **state)
{
	(void)state;
	pl_redact_add("pass-\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\x91-word");
	auto_free char *text = redacted("key pass-\\u00e4\\u20ac\\ud83d\\udd11-word, not valid");
	assert_string_equal(text, "key ***, not valid");
}

static void test_base_redact__forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(forms); i++) {
		auto_free char *text = pl_asprintf("key '%s', not valid", forms[i]);
		auto_free char *shown = redacted(text);
		assert_string_equal(shown, "key '***', not valid");
	}
}

/* Whatever precedes the secret, only what it shares a character with stays. */
static void test_base_redact__base64(void **state)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		/* b64encode(KEY), b64encode(b"u:" + KEY + b"!"), urlsafe_b64encode(b"u" + KEY) */
		{ "Basic c2stUGw0bnQzZC9TZStjcmV0PSJcw6QgeA==", "Basic ***A==" },
		{ "Basic dTpzay1QbDRudDNkL1NlK2NyZXQ9IlzDpCB4IQ==", "Basic dT***IQ==" },
		{ "dXNrLVBsNG50M2QvU2UrY3JldD0iXMOkIHg=", "dX***" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *shown = redacted(cases[i].text);
		assert_null(strstr(shown, "UGw0bnQzZC9T"));
		assert_null(strstr(shown, "QbDRudDNkL1Nl"));
		assert_null(strstr(shown, "VBsNG50M2QvU2"));
		assert_non_null(strstr(shown, "***"));
		assert_true(strlen(shown) <= strlen(cases[i].shown) + 3);
	}
}

static void test_base_redact__places(void **state)
{
	static const struct {
		const char *text, *shown;
		bool cut;
	} cases[] = {
		{ "", "", false },
		{ SHORT, "***", false },
		{ SHORT SHORT "|" SHORT, "******|***", false },
		/* the end of one secret is the begin of another */
		{ "<" KEY "-and-more>", "<***>", false },
		{ "nothing to see", "nothing to see", false },
		{ "cut sk-Pl4nt", "cut sk-Pl4nt", false },
		{ "cut sk-Pl4nt", "cut ***", true },
		{ "cut sk-", "cut sk-", true },
		{ "log: TGluZSB0d28gb2YgaXQgYWxs.", "log: ***.", false },
		{ "-----BEGIN KEY-----", "-----BEGIN KEY-----", false },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *text = pl_strdup(cases[i].text);
		(cases[i].cut ? pl_redact_text_cut : pl_redact_text)(text, PL_REDACT_OTHERS);
		assert_string_equal(text, cases[i].shown);
	}
	auto_free char *ours = pl_strdup("key k3y! " KEY);
	pl_redact_text(ours, PL_REDACT_OURS);
	assert_string_equal(ours, "key k3y! ***");
}

static void test_base_redact__no_secrets(void **state)
{
	static const char *const texts[] = { "abc",   "true",  "EMPTY",  "vllm",  "password",
					     "12345", "None",  "***",    "*****", "\n  \n",
					     "",      "False", "  xyz ", NULL };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		pl_redact_add(texts[i]);
		auto_free char *shown = redacted(texts[i] != NULL ? texts[i] : "");
		assert_string_equal(shown, texts[i] != NULL ? texts[i] : "");
	}
}

static void feed(struct pl_redactor *redactor, const char *bytes, size_t len, struct pl_buf *out)
{
	const char *now;
	size_t count = pl_redactor_feed(redactor, bytes, len, &now);

	pl_buf_add(out, now, count);
}

/* However the stream is cut, the output is the same. */
static void test_base_redact__stream(void **state)
{
	static const char text[] = "a " KEY "-and-more b " SHORT SHORT " c sk-Pl4nt no "
				   "sk-Pl4nt3d%2FSe%2Bcret%3D%22%5C%C3%A4%20x d\nsk-Pl4";
	static const char wanted[] = "a *** b ****** c sk-Pl4nt no *** d\n***";

	(void)state;
	srand(7);
	for (int round = 0; round < 3000; round++) {
		struct pl_redactor *redactor = pl_redactor_new();
		auto_buf out = PL_BUF(1000);
		const char *rest;
		for (size_t at = 0, step; at < sizeof(text) - 1; at += step) {
			step = round < 20 ? (size_t)round + 1 : 1 + (size_t)(rand() % 30);
			if (step > sizeof(text) - 1 - at)
				step = sizeof(text) - 1 - at;
			feed(redactor, text + at, step, &out);
		}
		size_t left = pl_redactor_end(redactor, &rest);
		pl_buf_add(&out, rest, left);
		assert_string_equal(pl_buf_text(&out), wanted);
		pl_redactor_free(redactor);
	}
}

/* A line that ends in no part of a secret is not held back. */
static void test_base_redact__stream_is_prompt(void **state)
{
	struct pl_redactor *redactor = pl_redactor_new();
	auto_buf out = PL_BUF(1000);

	(void)state;
	feed(redactor, "INFO started\n", 13, &out);
	assert_string_equal(pl_buf_text(&out), "INFO started\n");
	feed(redactor, "INFO k3", 7, &out);
	assert_string_equal(pl_buf_text(&out), "INFO started\nINFO ");
	feed(redactor, "b\n", 2, &out);
	assert_string_equal(pl_buf_text(&out), "INFO started\nINFO k3b\n");
	pl_redactor_free(redactor);
}

static void test_base_redact__json(void **state)
{
	auto_json json_t *value = json_pack("{s:[s, i, {s:s}], s:n, s:s}", "list", "x " SHORT, 3,
					    SHORT, "plain", "none", "text", "as it is");
	auto_json json_t *shown = pl_redact_json(value, PL_REDACT_OTHERS);
	auto_json json_t *wanted = json_pack("{s:[s, i, {s:s}], s:n, s:s}", "list", "x ***", 3,
					     "***", "plain", "none", "text", "as it is");
	auto_json json_t *clean = json_pack("{s:[s, i]}", "list", "plain", 3);
	auto_json json_t *same = pl_redact_json(clean, PL_REDACT_OTHERS);

	(void)state;
	assert_true(json_equal(shown, wanted));
	assert_ptr_equal(same, clean);
	assert_null(pl_redact_json(NULL, PL_REDACT_OTHERS));
}

/* 64 MiB of a log take about 0.07 s of processor time; the limit is for sanitizers. */
static void test_base_redact__speed(void **state)
{
	static const char line[] = "(APIServer pid=12345) INFO 11-27 10:00:00 [loggers.py:127] "
				   "Engine 000: Avg prompt throughput: 123.4 tokens/s\n";
	size_t len = 1 << 20;
	auto_free char *text = pl_alloc(len);
	struct pl_redactor *redactor = pl_redactor_new();
	const char *out;

	(void)state;
	for (size_t i = 0; i < len; i++)
		text[i] = line[i % (sizeof(line) - 1)];
	clock_t from = clock();
	for (int i = 0; i < 64; i++)
		(void)pl_redactor_feed(redactor, text, len, &out);
	double seconds = (double)(clock() - from) / CLOCKS_PER_SEC;
	printf("%.0f MiB/s\n", 64 / seconds);
	pl_redactor_free(redactor);
	assert_true(seconds < 10);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_redact__no_secrets),
		cmocka_unit_test(test_base_redact__forms),
		cmocka_unit_test(test_base_redact__escapes_of_long_characters),
		cmocka_unit_test(test_base_redact__base64),
		cmocka_unit_test(test_base_redact__places),
		cmocka_unit_test(test_base_redact__stream),
		cmocka_unit_test(test_base_redact__stream_is_prompt),
		cmocka_unit_test(test_base_redact__json),
		cmocka_unit_test(test_base_redact__speed),
	};

	add_secrets();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
