#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "library/library.h"

static void assert_field(const json_t *document, const char *path, const char *expected)
{
	const json_t *value = library_field(document, path);
	auto_free char *text = value != NULL ? pl_json_to_text(value, PL_JSON_COMPACT) : NULL;

	if (expected == NULL)
		assert_null(value);
	else
		assert_string_equal(text, expected);
}

/* The examples of RFC 6901, section 5, and paths with dots. */
static void test_library_result__finds_fields(void **state)
{
	static const char text[] =
		"{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,"
		"\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8,\"x\":{\"y\":{\"p99.9\":9}}}";
	auto_json json_t *document = pl_json_of_text(text);
	static const struct {
		const char *path;
		const char *expected;
	} rows[] = {
		{ "/foo", "[\"bar\",\"baz\"]" },
		{ "/foo/0", "\"bar\"" },
		{ "/", "0" },
		{ "/a~1b", "1" },
		{ "/c%d", "2" },
		{ "/e^f", "3" },
		{ "/g|h", "4" },
		{ "/i\\j", "5" },
		{ "/k\"l", "6" },
		{ "/ ", "7" },
		{ "/m~0n", "8" },
		{ "/x/y/p99.9", "9" },
		{ "x.y", "{\"p99.9\":9}" },
		{ "x.y.p99.9", NULL },
		{ "/foo/2", NULL },
		{ "/foo/-", NULL },
		{ "/foo/00", NULL },
		{ "/foo/99999999999999999999", NULL },
		{ "/foo/", NULL },
		{ "/m~n", NULL },
		{ "/m~", NULL },
		{ "/foo/0/1", NULL },
		{ "no", NULL },
	};

	(void)state;
	assert_ptr_equal(library_field(document, ""), document);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++)
		assert_field(document, rows[i].path, rows[i].expected);
}

static void assert_refused(const char *text, const char *message)
{
	profllm_result *result = (profllm_result *)text;
	struct profllm_error error;

	assert_int_equal(profllm_result_parse(text, strlen(text), &result, &error),
			 PROFLLM_INVALID);
	assert_ptr_equal(result, text);
	assert_non_null(strstr(error.message, message));
	assert_int_equal(profllm_result_parse(text, strlen(text), &result, NULL), PROFLLM_INVALID);
}

static void test_library_result__refuses_what_is_no_result(void **state)
{
	(void)state;
	assert_refused("", "result:1:");
	assert_refused("[]", "'result' is not a result of ProfLLM: run_id or status is missing");
	assert_refused("{\"run_id\":\"a\",\"status\":1}", "run_id or status is missing");
	assert_refused("{\"run_id\":\"a\",\"run_id\":\"b\",\"status\":\"completed\"}", "run_id");
}

static void test_library_result__reports_faults_of_the_schema(void **state)
{
	static const char text[] = "{\"run_id\":\"a\",\"status\":\"no such\",\"artifacts\":7}";
	profllm_result *result;
	profllm_findings *findings;
	bool has_status = false;

	(void)state;
	assert_int_equal(profllm_result_parse(text, strlen(text), &result, NULL), PROFLLM_OK);
	assert_int_equal(profllm_result_check(result, &findings, NULL), PROFLLM_OK);
	assert_false(profllm_findings_ok(findings));
	for (size_t i = 0; i < profllm_findings_count(findings); i++)
		has_status |= strcmp(profllm_findings_get(findings, i)->key, "/status") == 0;
	assert_true(has_status);
	assert_non_null(strstr(profllm_findings_json(findings), "\"/status\""));
	profllm_findings_free(findings);
	profllm_result_free(result);
}

/* Levels are counted outside of strings; the limit keeps the recursion within a small stack. */
static void test_library_result__limits_the_levels(void **state)
{
	static const char head[] = "{\"run_id\":\"a\",\"status\":\"[[[\\\"{{\",\"x\":";
	struct profllm_error error;

	(void)state;
	for (size_t levels = LIBRARY_LEVELS_MAX - 1; levels <= LIBRARY_LEVELS_MAX; levels++) {
		profllm_result *result = NULL;
		auto_buf text = PL_BUF(4096);
		pl_buf_add_text(&text, head);
		for (size_t i = 0; i < levels; i++)
			pl_buf_add_char(&text, '[');
		for (size_t i = 0; i < levels; i++)
			pl_buf_add_char(&text, ']');
		pl_buf_add_text(&text, ",\"y\":[[]]}");
		int code = profllm_result_parse(text.data, text.len, &result, &error);
		assert_int_equal(code, levels < LIBRARY_LEVELS_MAX ? PROFLLM_OK : PROFLLM_INVALID);
		if (code != PROFLLM_OK)
			assert_non_null(strstr(error.message, "more than 128 levels"));
		profllm_result_free(result);
	}
}

static void test_library_result__cuts_messages_between_characters(void **state)
{
	char text[2000];
	struct profllm_error error;

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	text[sizeof(text) - 2] = '\0';
	for (int shift = 0; shift < 2; shift++) {
		assert_int_equal(
			library_refuse(&error, PL_ERR_BUSY, "%s%s", shift ? "x" : "", text),
			PROFLLM_BUSY);
		assert_int_equal(error.code, PROFLLM_BUSY);
		assert_in_range(strlen(error.message), sizeof(error.message) - 2,
				sizeof(error.message) - 1);
		auto_json json_t *valid = json_string(error.message);
		assert_non_null(valid);
	}
	assert_string_equal(profllm_code_name(PROFLLM_NOT_UPLOADED), "NOT_UPLOADED");
	assert_string_equal(profllm_code_name(99), "UNKNOWN");
	assert_string_equal(profllm_code_name(0), "OK");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_library_result__finds_fields),
		cmocka_unit_test(test_library_result__refuses_what_is_no_result),
		cmocka_unit_test(test_library_result__reports_faults_of_the_schema),
		cmocka_unit_test(test_library_result__limits_the_levels),
		cmocka_unit_test(test_library_result__cuts_messages_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
