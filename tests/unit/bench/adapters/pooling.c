/* The bodies of pooling requests, byte by byte as vLLM's client sends them, and what a response says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/adapters/adapter.h"

/* Only what the adapters read is set; sampling parameters are set to show that they are not sent. */
static struct vllm_bench bench_of(json_t *extra_body)
{
	return (struct vllm_bench){
		.logprobs = 3,
		.top_p = 0.5,
		.top_k = 7,
		.min_p = NAN,
		.temperature = 1,
		.frequency_penalty = NAN,
		.presence_penalty = NAN,
		.repetition_penalty = NAN,
		.extra_body = extra_body,
	};
}

static void assert_body(const char *adapter, bool ignore_eos, json_t *extra_body,
			const struct bench_sample *sample, const char *want)
{
	const struct vllm_bench bench = bench_of(extra_body);
	const struct bench_encode encode = { .bench = &bench,
					     .model = "org/M",
					     .ignore_eos = ignore_eos };
	struct pl_err err = PL_ERR_INIT;
	auto_buf buf = { 0 };

	pl_buf_init(&buf, 1 << 20);
	assert_int_equal(bench_adapter_find(adapter)->encode(&encode, sample, &buf, &err), 0);
	assert_string_equal(pl_buf_text(&buf), want);
}

#define MODEL "{\"model\": \"org/M\", "
#define CUT   "\"truncate_prompt_tokens\": -1"
#define MESSAGES                                                                            \
	"\"messages\": [{\"role\": \"user\", \"content\": [{\"type\": \"text\", \"text\": " \
	"\"H\\u00e9\"}]}]"

static void bodies_of_one_text(void **state)
{
	const struct bench_sample sample = { .prompt = (char *)"H\xc3\xa9", .output_tokens = 5 };
	static const struct {
		const char *adapter, *body;
	} rows[] = {
		{ "openai-embeddings", MODEL "\"input\": \"H\\u00e9\", " CUT },
		{ "openai-embeddings-chat", MODEL MESSAGES ", " CUT },
		{ "openai-embeddings-clip", MODEL MESSAGES ", " CUT },
		{ "openai-embeddings-vlm2vec", MODEL MESSAGES ", " CUT },
		{ "infinity-embeddings", MODEL "\"input\": \"H\\u00e9\"" },
		{ "infinity-embeddings-clip", MODEL "\"input\": \"H\\u00e9\"" },
		{ "vllm-pooling", MODEL CUT ", \"input\": \"H\\u00e9\"" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_free char *plain = pl_asprintf("%s}", rows[i].body);
		auto_free char *more = pl_asprintf("%s, \"ignore_eos\": true, \"user\": 1}",
						   rows[i].body);
		auto_json json_t *extra = json_pack("{s:i}", "user", 1);
		assert_body(rows[i].adapter, false, NULL, &sample, plain);
		assert_body(rows[i].adapter, true, extra, &sample, more);
	}
}

static void extra_body_replaces_in_place(void **state)
{
	const struct bench_sample sample = { .prompt = (char *)"a" };
	auto_json json_t *extra = json_pack("{s:i, s:s, s:b}", "truncate_prompt_tokens", 9,
					    "encoding_format", "base64", "ignore_eos", 0);

	(void)state;
	assert_body("openai-embeddings", true, extra, &sample,
		    MODEL "\"input\": \"a\", \"truncate_prompt_tokens\": 9, \"ignore_eos\": false, "
			  "\"encoding_format\": \"base64\"}");
}

static void lists_and_ids_are_inputs(void **state)
{
	uint32_t ids[] = { 7, 0, 31999 };
	const struct bench_sample tokens = { .ids = ids, .id_count = 3 };
	auto_json json_t *texts = json_pack("[s, s]", "a", "b c");
	auto_json json_t *lists = json_pack("[[i, i], [i]]", 1, 2, 3);
	const struct bench_sample many = { .inputs = texts }, many_ids = { .inputs = lists };

	(void)state;
	assert_body("openai-embeddings", false, NULL, &tokens,
		    MODEL "\"input\": [7, 0, 31999], " CUT "}");
	assert_body("openai-embeddings", false, NULL, &many,
		    MODEL "\"input\": [\"a\", \"b c\"], " CUT "}");
	assert_body("vllm-pooling", false, NULL, &many_ids,
		    MODEL CUT ", \"input\": [[1, 2], [3]]}");
	assert_body("infinity-embeddings", false, NULL, &many,
		    MODEL "\"input\": [\"a\", \"b c\"]}");
}

static void an_object_has_the_keys_of_the_body(void **state)
{
	auto_json json_t *object = json_pack("{s:{s:s}, s:i}", "data", "data", "x", "priority", 3);
	const struct bench_sample sample = { .inputs = object };

	(void)state;
	assert_body("vllm-pooling", false, NULL, &sample,
		    MODEL CUT ", \"data\": {\"data\": \"x\"}, \"priority\": 3}");
}

/* The extra body and ignore_eos are left out, as by vLLM's client. */
static void rerank_has_a_query_and_documents(void **state)
{
	auto_json json_t *texts = json_pack("[s, s, s]", "q", "d\xc3\xa9", "e");
	auto_json json_t *extra = json_pack("{s:i}", "top_n", 1);
	const struct bench_sample sample = { .inputs = texts };

	(void)state;
	assert_body("vllm-rerank", true, extra, &sample,
		    MODEL "\"query\": \"q\", \"documents\": [\"d\\u00e9\", \"e\"], " CUT "}");
}

static void samples_without_what_a_protocol_needs_are_refused(void **state)
{
	static const struct {
		const char *adapter, *inputs, *prompt;
	} rows[] = {
		{ "vllm-rerank", NULL, "text" },
		{ "vllm-rerank", "[\"only a query\"]", NULL },
		{ "vllm-rerank", "[]", NULL },
		{ "openai-embeddings", NULL, NULL },
		{ "openai-embeddings", NULL, "\xff" },
		{ "openai-embeddings-chat", "[\"a\"]", NULL },
		{ "openai-embeddings", "{}", NULL },
	};
	const struct vllm_bench bench = bench_of(NULL);
	const struct bench_encode encode = { .bench = &bench, .model = "m" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_json json_t *inputs = pl_json_of_text(rows[i].inputs != NULL ? rows[i].inputs
										  : "null");
		const struct bench_sample sample = { .inputs = rows[i].inputs != NULL ? inputs
										      : NULL,
						     .prompt = (char *)rows[i].prompt,
						     .index = 17 };
		struct pl_err err = PL_ERR_INIT;
		auto_buf buf = { 0 };
		pl_buf_init(&buf, 1 << 20);
		assert_int_equal(
			bench_adapter_find(rows[i].adapter)->encode(&encode, &sample, &buf, &err),
			-1);
		assert_non_null(strstr(err.text, "17"));
	}
}

struct decode_case {
	const char *data;
	bool content, error;
	int64_t prompt; /* RES_NO_COUNT: none */
	int64_t results;
};

static void decode_reads_results_and_usage(void **state)
{
	static const struct decode_case cases[] = {
		{ "{\"data\":[{\"embedding\":[0.5,-1e-9]}],\"usage\":{\"prompt_tokens\":3,"
		  "\"total_tokens\":3,\"completion_tokens\":0,\"prompt_tokens_details\":null}}",
		  true, false, 3, 1 },
		{ "{\"usage\":{\"total_tokens\":56},\"results\":[{\"index\":1}]}", true, false, 56,
		  1 },
		{ "{\"usage\":{\"total_tokens\":9,\"prompt_tokens\":8},\"data\":[[1],2]}", true,
		  false, 8, 2 },
		{ "{\"data\":[{\"data\":\"AAA=\"}],\"usage\":null}", true, false, RES_NO_COUNT, 1 },
		{ "{\"data\":[1],\"usage\":{\"prompt_tokens\":-1}}", true, false, RES_NO_COUNT, 1 },
		{ "{\"data\":[],\"usage\":{\"prompt_tokens\":3}}", false, false, 3, 0 },
		{ "{\"data\":null}", false, false, RES_NO_COUNT, RES_NO_COUNT },
		{ "{\"data\":\"\"}", false, false, RES_NO_COUNT, RES_NO_COUNT },
		{ "{\"data\":\"AA\"}", true, false, RES_NO_COUNT, RES_NO_COUNT },
		{ "{\"data\":{\"a\":[1]}}", true, false, RES_NO_COUNT, RES_NO_COUNT },
		{ "{}", false, false, RES_NO_COUNT, RES_NO_COUNT },
		{ "{\"error\":{\"message\":\"boom\"}}", false, true, RES_NO_COUNT, RES_NO_COUNT },
		{ "{\"object\":\"error\",\"message\":\"boom\"}", false, true, RES_NO_COUNT,
		  RES_NO_COUNT },
	};
	const struct bench_adapter *adapter = bench_adapter_find("vllm-rerank");
	static struct bench_event event;

	(void)state;
	memset(&event, 0xa5, sizeof(event)); /* every field must be set each time */
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		assert_int_equal(adapter->decode(cases[i].data, strlen(cases[i].data), &event), 0);
		assert_int_equal(event.content, cases[i].content);
		assert_int_equal(event.error, cases[i].error);
		assert_int_equal(event.usage_prompt, cases[i].prompt);
		assert_int_equal(event.results, cases[i].results);
		assert_int_equal(event.usage_completion, RES_NO_COUNT);
		assert_false(event.has_choices || event.done || event.finish);
		assert_string_equal(event.error_text, cases[i].error ? "boom" : "");
	}
}

static void decode_refuses_other_texts(void **state)
{
	static const char *const texts[] = { "",
					     "[]",
					     "{\"data\":[1}",
					     "{\"data\":[1]",
					     "null",
					     "{\"data\":[1]} x",
					     "{\"usage\":{]}",
					     "[DONE]" };
	const struct bench_adapter *adapter = bench_adapter_find("openai-embeddings");
	struct bench_event event;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++)
		assert_int_equal(adapter->decode(texts[i], strlen(texts[i]), &event), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bodies_of_one_text),
		cmocka_unit_test(extra_body_replaces_in_place),
		cmocka_unit_test(lists_and_ids_are_inputs),
		cmocka_unit_test(an_object_has_the_keys_of_the_body),
		cmocka_unit_test(rerank_has_a_query_and_documents),
		cmocka_unit_test(samples_without_what_a_protocol_needs_are_refused),
		cmocka_unit_test(decode_reads_results_and_usage),
		cmocka_unit_test(decode_refuses_other_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
