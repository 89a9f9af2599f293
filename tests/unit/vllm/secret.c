#include "vllm/secret.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "vllm/catalog.h"

static void names_of_secrets(void **state)
{
	static const char *const names[] = {
		"HF_TOKEN",
		"HF_TOKENS",
		"TOKEN",
		"AUTHORIZATION",
		"MY_APIKEY",
		"DB_PASSWD",
		"DB_PASS",
		"PGPASSWORD",
		"OPENAI_KEY",
		"KEY",
		"OPENAI_API_KEY_FILE",
		"api-keys",
		"apiKey",
		"MYSQL_PWD",
		"OPENAI_KEY_2",
		"AWS_ACCESS_KEY_ID",
		"CREDENTIALS",
		"secret",
		"CLIENT_SECRETS",
		"HFTOKEN2",
		"TOKEN_FILE",
		"INPUT_TOKEN",
		"INPUT_GITHUB_TOKEN",
		"ID_TOKEN",
		"OUTPUT_TOKEN",
		"secretAccessKey",
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		if (!option_secret_is_name(names[i]))
			fail_msg("'%s' would be shown", names[i]);
	}
}

static void passwords_in_urls(void **state)
{
	static const struct {
		const char *text;
		const char *shown;
	} cases[] = {
		{ "https://user:s3cret@host/x", "https://user:***@host/x" },
		{ "--proxy=http://u:p@@h:1", "--proxy=http://u:***@h:1" },
		{ "a=postgres://u:p@h b=redis://:p@h/0",
		  "a=postgres://u:***@h b=redis://:***@h/0" },
		{ "https://ghp_token@github.com/x", "https://***@github.com/x" },
		{ "ssh://git@github.com/x", "ssh://git@github.com/x" },
		{ "http://host:8000/a@b", "http://host:8000/a@b" },
		{ "http://[::1]:1/", "http://[::1]:1/" },
		{ "u:p@h", "u:p@h" },
		{ "http://", "http://" },
		{ "://:@", "://:@" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *shown = option_secret_urls_shown(cases[i].text);
		auto_free char *word = vllm_secret_word_shown(cases[i].text);
		auto_json json_t *text = json_string(cases[i].text);
		auto_json json_t *json = vllm_secret_json_shown(text);
		assert_string_equal(shown, cases[i].shown);
		assert_string_equal(word, cases[i].shown);
		assert_string_equal(json_string_value(json), cases[i].shown);
		assert_int_equal(vllm_secret_json_has(text), !json_equal(text, json));
		assert_int_equal(option_secret_in_url(cases[i].text),
				 strcmp(cases[i].text, cases[i].shown) != 0);
		/* what was hidden stays as it is */
		assert_false(option_secret_in_url(shown));
	}
}

static void names_of_none(void **state)
{
	static const char *const names[] = {
		"",
		"_",
		"TOKENIZERS_PARALLELISM",
		"PWD",
		"OLD_PATH",
		"MAX_TOKENS",
		"VLLM_MAX_TOKENS_PER_EXPERT_FUSED_MOE_CHUNK",
		"MONKEY",
		"KEYBOARD",
		"num_speculative_tokens",
		"stop_token_ids",
		"eos_token",
		"PASS_MANAGER",
		"ssl_keyfile",
		"COMPASS",
		"config_key",
		"cudagraph_token_budgets",
		"classifier_from_token",
		"total_token_throughput",
		"output_tokens",
		"prompt_token_count",
		"completion_tokens_details",
		"generation_tokens_total",
		"token_lengths",
		"token_ids",
		"additional_special_tokens",
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		if (option_secret_is_name(names[i]))
			fail_msg("'%s' would be hidden", names[i]);
	}
}

/* The flags of two of vLLM's arguments are secrets. */
static void flags_of_secrets(void **state)
{
	static const char *const flags[] = {
		"--api-key", "--api_key=x",
		"--apikey",  "--api-kez",
		"--hf-toke", "-api-key",
		"--hf-tokn", "--some-secret=x",
		"–-api-key", "--model-loader-extra-config.token",
		"--header",  "--head=X=y",
		"--hf_to",
	};
	static const char *const others[] = { "--hf-name",
					      "--max-num-batched-tokens",
					      "--long-prefill-token",
					      "--no-enable-prompt-tokens-details",
					      "-tp",
					      "--",
					      "--sim-step",
					      "--hf_na",
					      "api-key" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(flags); i++) {
		if (!vllm_secret_is_flag(flags[i]))
			fail_msg("'%s' is none", flags[i]);
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(others); i++) {
		if (vllm_secret_is_flag(others[i]))
			fail_msg("'%s' is one", others[i]);
	}
	for (size_t i = 0; i < vllm_arg_count(vllm_catalog_reference()); i++) {
		const struct option_row *arg = vllm_arg_at(vllm_catalog_reference(), i);
		if (arg->flag != NULL && vllm_secret_is_flag(arg->flag) != arg->secret)
			fail_msg("'%s' is taken wrongly", arg->flag);
	}
}

static void words_are_shown(void **state)
{
	static const struct {
		const char *word, *shown;
	} cases[] = {
		{ "", "" },
		{ "org/model", "org/model" },
		{ "--api-key", "--api-key" },
		{ "--api-key=S", "--api-key=***" },
		{ "--seed=1", "--seed=1" },
		{ "HF_TOKEN=S", "HF_TOKEN=***" },
		{ "--env=HF_TOKEN=S", "--env=HF_TOKEN=***" },
		{ "-eHF_TOKEN=S", "-eHF_TOKEN=***" },
		{ "A=1", "A=1" },
		{ "{\"a\": {\"aws_secret_access_key\": \"S\"}}",
		  "{\"a\":{\"aws_secret_access_key\":\"***\"}}" },
		{ "--x={\"api_key\":\"S\"}", "--x={\"api_key\":\"***\"}" },
		{ "{\"api_key\": [\"S\"", "***" },
		{ "{\"a\": \"{\\\"api_key\\\": \\\"S\\\"}\"}", "{\"a\":\"***\"}" },
		{ "{\"api\\u005fkey\": \"S\"}", "{\"api_key\":\"***\"}" },
		{ "{\"token\": 4, \"key\": null, \"max_tokens\": \"5\"}",
		  "{\"token\": 4, \"key\": null, \"max_tokens\": \"5\"}" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *shown = vllm_secret_word_shown(cases[i].word);
		assert_string_equal(shown, cases[i].shown);
	}
}

static void assigned_secrets_are_found(void **state)
{
	(void)state;
	assert_true(option_secret_is_assigned("HF_TOKEN=S"));
	assert_true(option_secret_is_assigned("exec env A=1 HF_TOKEN='S' vllm serve"));
	assert_true(option_secret_is_assigned("--env=DB_PASSWD=$ecret") == false);
	assert_true(option_secret_is_assigned("--env=DB_PASSWD=$1"));
	assert_false(option_secret_is_assigned("HF_TOKEN"));
	assert_false(option_secret_is_assigned("HF_TOKEN="));
	assert_false(option_secret_is_assigned("HF_TOKEN=${HF_TOKEN}"));
	assert_false(option_secret_is_assigned("TOKENIZERS_PARALLELISM=false"));
	assert_false(option_secret_is_assigned("--long-prefill-token-threshold=5"));
}

static void json_is_shown(void **state)
{
	static const struct {
		const char *json, *shown;
	} cases[] = {
		{ "[\"--header\",\"A=S\",\"S\",\"--seed\",\"1\"]",
		  "[\"--header\",\"A=***\",\"***\",\"--seed\",\"1\"]" },
		{ "[\"--api-key=a,\",\"S\",\"--seed\",\"1\"]",
		  "[\"--api-key=***\",\"***\",\"--seed\",\"1\"]" },
		{ "[\"--apikey\",\"S\",\"T\",\"-x\",\"y\"]",
		  "[\"--apikey\",\"***\",\"***\",\"-x\",\"y\"]" },
		{ "{\"api_key\":\"S\",\"top_k\":5,\"a\":{\"tokens\":[\"S\"],\"token\":3}}",
		  "{\"api_key\":\"***\",\"top_k\":5,\"a\":{\"tokens\":\"***\",\"token\":3}}" },
		{ "[1,{\"password\":\"S\"},\"b\"]", "[1,{\"password\":\"***\"},\"b\"]" },
		{ "\"{\\\"api_key\\\": \\\"S\\\"}\"", "\"***\"" },
		{ "{\"key\":[1,2]}", "{\"key\":[1,2]}" },
		{ "{}", "{}" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *json = json_loads(cases[i].json, JSON_DECODE_ANY, NULL);
		auto_json json_t *shown = vllm_secret_json_shown(json);
		auto_free char *text = pl_json_to_text(shown, PL_JSON_COMPACT);
		assert_string_equal(text, cases[i].shown);
		assert_int_equal(vllm_secret_json_has(json), !json_equal(json, shown));
		assert_false(vllm_secret_json_has(shown));
	}
	assert_null(vllm_secret_words_shown(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_secrets),           cmocka_unit_test(names_of_none),
		cmocka_unit_test(flags_of_secrets),           cmocka_unit_test(words_are_shown),
		cmocka_unit_test(assigned_secrets_are_found), cmocka_unit_test(json_is_shown),
		cmocka_unit_test(passwords_in_urls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
