/* Secrets known again by their prints: run/redact.c. */
#include "run/redact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SALT "exp_20261121_180000_abcdef"

static char *found_in(const char *text, const char *secrets, const char *salt)
{
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *known = NULL;
	auto_json json_t *found = json_array();

	assert_int_equal(pl_json_parse(secrets, strlen(secrets), "test", &known, &err), 0);
	auto_json json_t *prints = run_redact_prints(known, SALT);
	auto_free char *retained = pl_json_to_text(prints, PL_JSON_COMPACT);
	assert_null(strstr(retained, "secret"));
	run_redact_find(text, strlen(text), prints, salt, found);
	return pl_json_to_text(found, PL_JSON_COMPACT);
}

static void assert_found(const char *text, const char *secrets, const char *expected)
{
	auto_free char *found = found_in(text, secrets, SALT);

	assert_string_equal(found, expected);
}

static void test_run_redact__prints_find_secrets(void **state)
{
	(void)state;
	assert_found("secret-1", "[\"secret-1\"]", "[\"secret-1\"]");
	assert_found("secret-1 after", "[\"secret-1\"]", "[\"secret-1\"]");
	assert_found("before secret-1", "[\"secret-1\"]", "[\"secret-1\"]");
	assert_found("a \xC3\xA9secret\xC3\xA9 b secret-22",
		     "[\"secret-22\",\"\xC3\xA9secret\xC3\xA9\"]",
		     "[\"secret-22\",\"\xC3\xA9secret\xC3\xA9\"]");
	assert_found("a secret-2, secret-3", "[\"secret-1\",\"secret-3\"]", "[\"secret-3\"]");
}

/* The environment is bytes. */
static void test_run_redact__prints_find_invalid_utf8(void **state)
{
	static const char text[] = "KEY=sec\xFFret-1 after";
	auto_json json_t *known = json_array();
	auto_json json_t *found = json_array();

	(void)state;
	json_array_append_new(known, json_string_nocheck("sec\xFFret-1"));
	auto_json json_t *prints = run_redact_prints(known, SALT);
	run_redact_find(text, strlen(text), prints, SALT, found);
	assert_int_equal(json_array_size(found), 1);
	assert_string_equal(json_string_value(json_array_get(found, 0)), "sec\xFFret-1");
}

static void test_run_redact__prints_find_nothing_else(void **state)
{
	(void)state;
	assert_found("", "[\"secret-1\"]", "[]");
	assert_found("secret-", "[\"secret-1\"]", "[]");
	assert_found("secret-2 1-secret Secret-1", "[\"secret-1\"]", "[]");
	assert_found("secret-1", "[]", "[]");
	auto_free char *other = found_in("secret-1", "[\"secret-1\"]", "another run");
	assert_string_equal(other, "[]");
}

/* A journal is what a file says. */
static void test_run_redact__broken_prints_find_nothing(void **state)
{
	static const char *const prints[] = {
		"null",
		"{}",
		"[1, null, {}]",
		"[{\"bytes\": 0, \"sum\": 0, \"sha256\": \"\"}]",
		"[{\"bytes\": -1, \"sum\": 0, \"sha256\": \"\"}]",
		"[{\"bytes\": 2, \"sum\": \"x\", \"sha256\": 5}]",
		"[{\"bytes\": 9223372036854775807, \"sum\": 1, \"sha256\": \"ab\"}]",
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(prints); i++) {
		struct pl_err err = PL_ERR_INIT;
		auto_json json_t *read = NULL;
		auto_json json_t *found = json_array();
		assert_int_equal(pl_json_parse(prints[i], strlen(prints[i]), "test", &read, &err),
				 0);
		run_redact_find("secret-1", 8, read, SALT, found);
		assert_int_equal(json_array_size(found), 0);
	}
}

/* Only the secrets of an environment are hidden: other values also occur in logs. */
static void test_run_redact__knows_the_secrets_of_a_launch_alone(void **state)
{
	struct run_launch launch = { .values = json_pack("{s:s}", "model", "a-model-name"),
				     .env = json_pack("{s:s, s:s}", "PLACE", "an-ordinary-value",
						      "HF_TOKEN", "hf_secret-value-1"),
				     .secret_env = json_pack("[s]", "HF_TOKEN"),
				     .argv = json_pack("[s, s]", "vllm", "serve") };
	auto_json json_t *text = json_string(
		"a-model-name an-ordinary-value hf_secret-value-1 serve");

	(void)state;
	run_redact_know(&launch);
	auto_json json_t *shown = run_redact(text);
	assert_string_equal(json_string_value(shown), "a-model-name an-ordinary-value *** serve");
	json_decref(launch.values);
	json_decref(launch.env);
	json_decref(launch.secret_env);
	json_decref(launch.argv);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_redact__prints_find_secrets),
		cmocka_unit_test(test_run_redact__prints_find_invalid_utf8),
		cmocka_unit_test(test_run_redact__prints_find_nothing_else),
		cmocka_unit_test(test_run_redact__broken_prints_find_nothing),
		cmocka_unit_test(test_run_redact__knows_the_secrets_of_a_launch_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
