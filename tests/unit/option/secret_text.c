#include "option/secret_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "option/secret.h"

static bool is_flag(const char *flag)
{
	return strcmp(flag, "--api-key") == 0 || strcmp(flag, "--header") == 0 ||
	       strcmp(flag, "--output-tokens") == 0;
}

static void secrets_are_hidden(void **state)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {
		/* NAME=value, as a shell and a log have it */
		{ "AWS_SECRET_ACCESS_KEY=S", "AWS_SECRET_ACCESS_KEY=***" },
		{ "A=1\nHF_TOKEN=S T\nB=2", "A=1\nHF_TOKEN=***\nB=2" },
		{ "export HF_TOKEN=S; vllm serve m", "export HF_TOKEN=*** vllm serve m" },
		{ "env A=1 HF_TOKEN='S T' vllm", "env A=1 HF_TOKEN='***' vllm" },
		{ "x DB_PASSWD=\"a\\\"S\" y", "x DB_PASSWD=\"***\" y" },
		{ "sh -c \"HF_TOKEN=S vllm serve\"", "sh -c \"HF_TOKEN=***\"" },
		{ "args: Namespace(api_key='S', port=1, hf_token=None, keys=['S', 'T'])",
		  "args: Namespace(api_key='***', port=1, hf_token=None, keys=***" },
		{ "password = 1234", "password = ***" },
		{ "x Authorization=Bearer S T", "x Authorization=***" },
		{ "sent x_auth_token=Bearer S to it", "sent x_auth_token=*** to it" },
		{ "server.api_key=S", "server.api_key=***" },
		{ "HF_TOKEN='S", "HF_TOKEN='***" },
		/* headers and settings */
		{ "Authorization: Bearer S", "Authorization: ***" },
		{ "curl -H \"Authorization: Bearer S\" http://h",
		  "curl -H \"Authorization: ***\" http://h" },
		{ "curl -H 'X-Api-Key: S' -H 'Accept: */*'",
		  "curl -H 'X-Api-Key: ***' -H 'Accept: */*'" },
		{ "> GET /\n> Cookie: a=S; b=T\n> A: b", "> GET /\n> Cookie: ***\n> A: b" },
		{ "Set-Cookie: sid=S; Path=/", "Set-Cookie: ***" },
		{ "server:\n  api_key: S\n  port: 1\n- password: \"S T\" # x",
		  "server:\n  api_key: ***\n  port: 1\n- password: \"***\" # x" },
		{ "token: hf_S", "token: ***" },
		{ "got {\"api_key\": \"S\", \"n\": 1}", "got {\"api_key\": \"***\", \"n\": 1}" },
		{ "got {\\\"api_key\\\": \\\"S\\\", \\\"n\\\": 1}",
		  "got {\\\"api_key\\\": \\\"***\\\", \\\"n\\\": 1}" },
		/* addresses */
		{ "https://h/v1?a=1&token=S&b=2#c", "https://h/v1?a=1&token=***&b=2#c" },
		{ "GET /v1?api_key=S", "GET /v1?api_key=***" },
		{ "https://u:S@h/?a=1&api_key=T", "https://u:***@h/?a=1&api_key=***" },
		{ "http://u:***@h http://u:S@h", "http://u:***@h http://u:***@h" },
		/* flags */
		{ "vllm serve --api-key S --port 1", "vllm serve --api-key *** --port 1" },
		{ "vllm serve --api-key=S --port 1", "vllm serve --api-key=*** --port 1" },
		{ "--api-key S T && true", "--api-key *** && true" },
		{ "vllm serve m \\\n  --api-key \\\n  S \\\n  --port 1",
		  "vllm serve m \\\n  --api-key \\\n  *** \\\n  --port 1" },
		{ "sh -c 'vllm serve --api-key S'", "sh -c 'vllm serve --api-key ***'" },
		{ "--api-key 'a -b' c", "--api-key ***" },
		{ "['vllm', '--api-key', 'S', '--port', '1']",
		  "['vllm', '--api-key', '***', '--port', '1']" },
		{ "\xE2\x80\x94"
		  "x --header A=S B=T \xE2\x80\x93-x",
		  "\xE2\x80\x94"
		  "x --header *** \xE2\x80\x93-x" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *shown = option_secret_text_shown(cases[i].text, is_flag);
		assert_string_equal(shown != NULL ? shown : cases[i].text, cases[i].shown);
		auto_free char *retry = option_secret_text_shown(shown, is_flag);
		assert_null(retry);
	}
}

/* Figures, names and sentences that have a word of secrets in them. */
static void others_are_shown(void **state)
{
	static const char *const texts[] = {
		"",
		"org/model",
		"total_tokens: 5",
		"Total input tokens: 1,024",
		"tokens: fewer than asked for",
		"tokens=512/1024",
		"generated tokens=~5k, max_tokens=16",
		"--max-num-batched-tokens=512 --output-tokens 5 m",
		"time per token: slow",
		"token: 5",
		"token: the first of each request",
		"key: by which rows are one",
		"pass: all of them",
		"tokenizer: org/model, tokenizer_mode=auto",
		"tokens/s: 12.5",
		"TOKENIZERS_PARALLELISM=false",
		"2026-01-01T00:00:00Z",
		"token::get(), token://x, key:=5",
		"api_key: null",
		"HF_TOKEN=",
		"HF_TOKEN=***",
		"vllm serve --api-key",
		"vllm serve --api-key --port 1",
		"--port 1 - b -- c",
		"a=b: c?d=e&f=g",
		"https://h/v1?model=m",
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_free char *shown = option_secret_text_shown(texts[i], is_flag);
		if (shown != NULL)
			fail_msg("'%s' is shown as '%s'", texts[i], shown);
	}
}

/* A value that the shell expands is not in the word. */
static void test_option_secret_text__assigned_by_a_shell(void **state)
{
	static const char *const secrets[] = { "HF_TOKEN=S", "HF_TOKEN='S'", "HF_TOKEN=$",
					       "HF_TOKEN=$1", "HF_TOKEN=(S)" };
	static const char *const others[] = { "HF_TOKEN=",         "HF_TOKEN=$OTHER",
					      "HF_TOKEN=${OTHER}", "HF_TOKEN=\"$(cat f)\"",
					      "HF_TOKEN=$_",       "HOME=S" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(secrets); i++)
		assert_true(option_secret_is_assigned(secrets[i]));
	for (size_t i = 0; i < PL_ARRAY_SIZE(others); i++)
		assert_false(option_secret_is_assigned(others[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secrets_are_hidden),
		cmocka_unit_test(others_are_shown),
		cmocka_unit_test(test_option_secret_text__assigned_by_a_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
