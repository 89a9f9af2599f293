#include "schema/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static bool matches(const char *text, const char *in)
{
	struct pl_err err = PL_ERR_INIT;
	struct res_pattern *pattern = NULL;

	if (schema_pattern_new(text, strlen(text), &pattern, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	bool found = schema_pattern_matches(pattern, in, strlen(in));
	schema_pattern_free(pattern);
	return found;
}

/* The expected values are those of Python 3.11's re.search(). */
static void test_schema_pattern__means_what_python_means(void **state)
{
	static const struct {
		const char *pattern;
		const char *text;
		bool found;
	} rows[] = {
		{ "b", "abc", true },
		{ "^b", "abc", false },
		{ "^a$", "a\n", true },
		{ "^a$", "a\n\n", false },
		{ "^a$", "a\r\n", false },
		{ "^a$", "b\na", false },
		{ "^.$", "\n", false },
		{ "^.$", "\r", true },
		{ "^.$", "\xf0\x9f\x98\x80", true },
		{ "^[^a]$", "\xc3\xa9", true },
		{ "^\\d$", "\xd9\xa3", true },
		{ "^\\w+$", "\xc3\xa9t\xc3\xa9_1", true },
		{ "^\\s$", "\xc2\xa0", true },
		{ "^\\S$", " ", false },
		{ "^[]a]+$", "]a", true },
		{ "^a{2,3}$", "aa", true },
		{ "^a{2,3}$", "aaaa", false },
		{ "^(a|b)*?c(?=d)(?!e)", "abcd", true },
		{ "(?<=a)b(?<!c)", "ab", true },
		{ "\\bfoo\\b", "a foo b", true },
		{ "^[0-9]{1,2}(\\.[0-9]+)?$", "99.9", true },
		{ "^[A-Z]$", "a", false },
		{ "^$", "", true },
		{ "a\\.b\\$\\^", "a.b$^", true },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (matches(rows[i].pattern, rows[i].text) != rows[i].found)
			fail_msg("%s in '%s'", rows[i].pattern, rows[i].text);
	}
}

static void test_schema_pattern__refuses_ambiguous_patterns(void **state)
{
	static const char *const texts[] = {
		"(",        "[a",      "a)",          "*",        "a\\",   "(?i)a",
		"(?P<n>a)", "(?<n>a)", "(?>a)",       "(*F)",     "\\Aa",  "a\\z",
		"\\v",      "\\h",     "\\R",         "\\p{L}",   "\\x41", "\\1",
		"\\Qa\\E",  "a{,3}",   "[[:alpha:]]", "[a[=b=]]", "(?#c)", "\\u0041",
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		struct pl_err err = PL_ERR_INIT;
		struct res_pattern *pattern = NULL;
		if (schema_pattern_new(texts[i], strlen(texts[i]), &pattern, &err) == 0)
			fail_msg("%s is taken", texts[i]);
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_memory_equal(err.text, "at ", 3);
	}
}

static void test_schema_pattern__gives_up(void **state)
{
	char text[4096];

	(void)state;
	memset(text, 'a', sizeof(text) - 2);
	text[sizeof(text) - 2] = 'b';
	text[sizeof(text) - 1] = '\0';
	assert_false(matches("^(a+)+$", text));
	assert_false(matches("^(a|aa)+$", text));
}

/* More groups within each other than machine code has room for. */
static void test_schema_pattern__long_texts(void **state)
{
	static char text[5001];

	(void)state;
	memset(text, 'b', sizeof(text) - 1);
	assert_true(matches("^(a|b)*$", text));
	text[sizeof(text) - 2] = 'c';
	assert_false(matches("^(a|b)*$", text));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schema_pattern__means_what_python_means),
		cmocka_unit_test(test_schema_pattern__refuses_ambiguous_patterns),
		cmocka_unit_test(test_schema_pattern__gives_up),
		cmocka_unit_test(test_schema_pattern__long_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
