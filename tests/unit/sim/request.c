/* Bodies of requests: what is taken from them, and why they are refused. */
#include "sim/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/tokenizer.h"

static const char *const names[] = { "tiny", "alias" };
static const struct sim_limits limits = {
	.names = names, .name_count = 2, .max_model_len = 100, .max_logprobs = 5, .dimensions = 8
};

static int parse(const char *text, enum sim_api api, struct sim_request *request,
		 struct sim_refusal *refusal)
{
	auto_json json_t *body = NULL;
	struct pl_err err = PL_ERR_INIT;

	*refusal = (struct sim_refusal)SIM_REFUSAL_INIT;
	assert_int_equal(pl_json_parse(text, strlen(text), "body", &body, &err), 0);
	return sim_request_parse(body, api, &limits, request, refusal);
}

static void done(struct sim_request *request, struct sim_refusal *refusal)
{
	sim_request_done(request);
	sim_refusal_done(refusal);
}

/* As vLLM's benchmark sends it. */
static void test_sim_request__completion(void **state)
{
	struct sim_request request;
	struct sim_refusal refusal;

	(void)state;
	assert_int_equal(
		parse("{\"model\": \"alias\", \"prompt\": \" abc def\", "
		      "\"repetition_penalty\": 1.0, \"max_tokens\": 5, \"logprobs\": null, "
		      "\"stream\": true, \"stream_options\": {\"include_usage\": true}, "
		      "\"ignore_eos\": true, \"top_k\": 5, \"temperature\": 0.0}",
		      false, &request, &refusal),
		0);
	assert_string_equal(request.model, "alias");
	assert_true(request.stream && request.include_usage && request.ignore_eos);
	assert_false(request.continuous_usage || request.chat || request.return_token_ids);
	assert_int_equal(request.n, 1);
	assert_int_equal(request.max_tokens, 5);
	assert_int_equal(request.logprobs, -1);
	assert_int_equal(request.prompt_count, 1);
	assert_int_equal(request.prompt_tokens, 2);
	done(&request, &refusal);
}

static void test_sim_request__kinds_of_prompt(void **state)
{
	struct sim_request request;
	struct sim_refusal refusal;

	(void)state;
	assert_int_equal(parse("{\"prompt\": [3, 4, 5], \"n\": 2}", false, &request, &refusal), 0);
	assert_int_equal(request.prompt_count, 1);
	assert_int_equal(request.prompts[0].ids[2], 5);
	assert_int_equal(request.max_tokens, 16);
	assert_string_equal(request.model, "tiny");
	done(&request, &refusal);
	assert_int_equal(parse("{\"prompt\": [\" a\", \" b c\"], \"logprobs\": 2}", false, &request,
			       &refusal),
			 0);
	assert_int_equal(request.prompt_count, 2);
	assert_int_equal(request.prompt_tokens, 3);
	assert_int_equal(request.logprobs, 2);
	done(&request, &refusal);
	assert_int_equal(
		parse("{\"prompt\": [[1], [2, 3]], \"max_tokens\": 99}", false, &request, &refusal),
		-1);
	done(&request, &refusal);
	assert_int_equal(
		parse("{\"prompt\": [[1], [2, 3]], \"max_tokens\": 98}", false, &request, &refusal),
		0);
	assert_int_equal(request.prompts[1].count, 2);
	done(&request, &refusal);
}

/* A role, the content, an end; then the assistant's turn. */
static void test_sim_request__chat(void **state)
{
	struct sim_request request;
	struct sim_refusal refusal;

	(void)state;
	assert_int_equal(parse("{\"messages\": [{\"role\": \"user\", \"content\": [{\"type\": "
			       "\"text\", \"text\": \" abc\"}]}], \"max_completion_tokens\": 7}",
			       true, &request, &refusal),
			 0);
	assert_int_equal(request.max_tokens, 7);
	assert_int_equal(request.prompt_tokens, 4);
	assert_int_equal(request.prompts[0].ids[0], SIM_BYTE_ID + 2);
	assert_int_equal(request.prompts[0].ids[3], SIM_BYTE_ID + 3);
	done(&request, &refusal);
	assert_int_equal(parse("{\"messages\": [{\"role\": \"system\", \"content\": \" a\"}, "
			       "{\"role\": \"user\", \"content\": \" b\"}]}",
			       true, &request, &refusal),
			 0);
	assert_int_equal(request.prompt_tokens, 7);
	assert_int_equal(request.max_tokens, 93);
	done(&request, &refusal);
}

static void test_sim_request__template_arguments(void **state)
{
	static const struct {
		const char *members;
		uint32_t tokens;
	} cases[] = {
		{ "", 4 },
		{ ", \"chat_template_kwargs\": {\"enable_thinking\": true, \"other\": 1}", 4 },
		{ ", \"chat_template_kwargs\": null", 4 },
		/* "<think>" 5, "</think>" 6, two blank lines each: pairs of letters count once */
		{ ", \"chat_template_kwargs\": {\"enable_thinking\": false}", 4 + 5 + 2 + 6 + 2 },
		{ ", \"add_generation_prompt\": false", 3 },
		{ ", \"add_generation_prompt\": false, "
		  "\"chat_template_kwargs\": {\"enable_thinking\": false}",
		  3 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *body = pl_asprintf(
			"{\"messages\": [{\"role\": \"user\", \"content\": \" abc\"}]%s}",
			cases[i].members);
		struct sim_request request;
		struct sim_refusal refusal;
		assert_int_equal(parse(body, true, &request, &refusal), 0);
		assert_int_equal(request.prompt_tokens, cases[i].tokens);
		done(&request, &refusal);
	}
}

static void test_sim_request__refused(void **state)
{
	static const struct {
		const char *body;
		int status;
		const char *param;
		const char *message;
	} cases[] = {
		{ "{\"model\": \"nope\", \"prompt\": \"a\"}", 404, "model",
		  "The model `nope` does not exist. Valid aliases: tiny, alias." },
		{ "{\"prompt\": \"a\", \"temperature\": -3}", 400, "temperature",
		  "temperature must be non-negative, got -3.0. (parameter=temperature, "
		  "value=-3.0)" },
		{ "{\"prompt\": \"a\", \"temperature\": \"hot\"}", 400, "body.temperature",
		  "1 validation error:\n  {'type': 'float_parsing', 'loc': 'body.temperature', "
		  "'msg': 'Input should be a valid number, unable to parse string as a number', "
		  "'input': 'hot'}" },
		{ "{\"prompt\": \"a\", \"max_tokens\": [1]}", 400, "body.max_tokens",
		  "1 validation error:\n  {'type': 'int_type', 'loc': 'body.max_tokens', "
		  "'msg': 'Input should be a valid integer', 'input': [1]}" },
		{ "{\"prompt\": \"a\", \"max_tokens\": 500}", 400, "max_tokens",
		  "max_tokens=500 cannot be greater than max_model_len=100. Please request fewer "
		  "output tokens. (parameter=max_tokens, value=500)" },
		{ "{\"prompt\": \"a\", \"max_tokens\": 0}", 400, "max_tokens",
		  "max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)" },
		{ "{\"prompt\": \"\"}", 400, "prompt", "The decoder prompt cannot be empty" },
		{ "{\"prompt\": [40000]}", 400, "", "Token id 40000 is out of vocabulary" },
		{ "{\"prompt\": \"a\", \"top_p\": 0}", 400, "top_p",
		  "top_p must be in (0, 1], got 0.0. (parameter=top_p, value=0.0)" },
		{ "{\"prompt\": \"a\", \"logprobs\": 6}", 400, "logprobs",
		  "logprobs must be at most 5, got 6. (parameter=logprobs, value=6)" },
		{ "{\"prompt\": \"a\", \"echo\": true}", 400, "echo", "echo is not simulated" },
		{ "{\"prompt\": \"a\", \"stream_options\": {\"include_usage\": true}}", 400,
		  "stream_options", "Stream options can only be defined when `stream=True`." },
	};
	struct sim_request request;
	struct sim_refusal refusal;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		assert_int_equal(parse(cases[i].body, false, &request, &refusal), -1);
		assert_int_equal(refusal.status, cases[i].status);
		assert_string_equal(refusal.param, cases[i].param);
		assert_string_equal(pl_buf_text(&refusal.message), cases[i].message);
		done(&request, &refusal);
	}
}

static void test_sim_request__too_long(void **state)
{
	char body[512] = "{\"prompt\": [1";
	struct sim_request request;
	struct sim_refusal refusal;

	(void)state;
	for (int i = 0; i < 104; i++)
		strcat(body, ",1");
	strcat(body, "]}");
	assert_int_equal(parse(body, false, &request, &refusal), -1);
	assert_string_equal(refusal.param, "input_tokens");
	assert_non_null(strstr(refusal.message.data, "maximum context length is 100 tokens"));
	assert_non_null(strstr(refusal.message.data, "(parameter=input_tokens, value=105)"));
	done(&request, &refusal);
}

/* As vLLM's benchmark sends it to /v1/responses. */
static void test_sim_request__responses(void **state)
{
	struct sim_request request;
	struct sim_refusal refusal;

	(void)state;
	assert_int_equal(
		parse("{\"model\": \"alias\", \"input\": \" ab cd\", \"max_output_tokens\": 7,"
		      " \"stream\": true, \"store\": false, \"logprobs\": 3}",
		      SIM_RESPONSES, &request, &refusal),
		0);
	assert_int_equal(request.api, SIM_RESPONSES);
	assert_false(request.chat);
	assert_true(request.stream);
	assert_int_equal(request.max_tokens, 7);
	assert_int_equal(request.prompt_tokens, 2 + 3);
	assert_int_equal(request.logprobs, -1);
	done(&request, &refusal);
	assert_int_equal(parse("{\"input\": \" ab\"}", SIM_RESPONSES, &request, &refusal), 0);
	assert_int_equal(request.max_tokens, 100 - 4);
	done(&request, &refusal);
	assert_int_equal(parse("{\"prompt\": \" ab\"}", SIM_RESPONSES, &request, &refusal), -1);
	assert_string_equal(refusal.param, "body.input");
	done(&request, &refusal);
}

/* As vLLM's benchmark sends them. */
static void test_sim_request__pooled(void **state)
{
	static const struct {
		enum sim_api api;
		const char *body;
		size_t prompts;
		uint32_t tokens;
	} rows[] = {
		{ SIM_EMBEDDINGS, "{\"input\": \" ab cd\", \"truncate_prompt_tokens\": -1}", 1, 2 },
		{ SIM_EMBEDDINGS, "{\"input\": [[1, 2], [3]], \"ignore_eos\": true}", 2, 3 },
		{ SIM_EMBEDDINGS,
		  "{\"messages\": [{\"role\": \"user\", \"content\": [{\"type\": \"text\", "
		  "\"text\": "
		  "\" ab\"}]}], \"truncate_prompt_tokens\": -1}",
		  1, 3 },
		{ SIM_INFINITY, "{\"input\": \" ab\"}", 1, 1 },
		{ SIM_POOLING, "{\"input\": [5, 6, 7], \"truncate_prompt_tokens\": 2}", 1, 2 },
		{ SIM_RERANK, "{\"query\": \" ab\", \"documents\": [\" c\", \" d e\"]}", 2, 3 + 4 },
		{ SIM_SCORE, "{\"text_1\": [\" a\", \" b\"], \"text_2\": [\" c\", \" d\"]}", 2, 6 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sim_request request;
		struct sim_refusal refusal;
		assert_int_equal(parse(rows[i].body, rows[i].api, &request, &refusal), 0);
		assert_true(request.pooled && !request.stream);
		assert_int_equal(request.prompt_count, rows[i].prompts);
		assert_int_equal(request.prompt_tokens, rows[i].tokens);
		done(&request, &refusal);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sim_request__completion),
		cmocka_unit_test(test_sim_request__kinds_of_prompt),
		cmocka_unit_test(test_sim_request__chat),
		cmocka_unit_test(test_sim_request__template_arguments),
		cmocka_unit_test(test_sim_request__responses),
		cmocka_unit_test(test_sim_request__pooled),
		cmocka_unit_test(test_sim_request__refused),
		cmocka_unit_test(test_sim_request__too_long),
	};

	return cmocka_run_group_tests_name("test_sim_request", tests, NULL, NULL);
}
