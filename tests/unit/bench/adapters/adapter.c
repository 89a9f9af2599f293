#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "bench/adapters/adapter.h"
#include "experiment/kinds.h"

/* Only what the adapters read is set: the table's defaults are another test's business. */
static struct vllm_bench plain_bench(void)
{
	return (struct vllm_bench){
		.logprobs = OPTION_NO_I64,
		.top_p = NAN,
		.top_k = OPTION_NO_I64,
		.min_p = NAN,
		.temperature = NAN,
		.frequency_penalty = NAN,
		.presence_penalty = NAN,
		.repetition_penalty = NAN,
	};
}

static void assert_body(const char *adapter, const struct vllm_bench *bench, bool ignore_eos,
			const struct bench_sample *sample, const char *want)
{
	const struct bench_encode encode = { .bench = bench,
					     .model = "org/M",
					     .ignore_eos = ignore_eos };
	struct pl_err err = PL_ERR_INIT;
	auto_buf buf = { 0 };

	pl_buf_init(&buf, 1 << 20);
	assert_int_equal(bench_adapter_find(adapter)->encode(&encode, sample, &buf, &err), 0);
	assert_string_equal(pl_buf_text(&buf), want);
}

static void completions_bytes_equal_the_documented_example(void **state)
{
	struct vllm_bench bench = plain_bench();
	const struct bench_sample sample = { .prompt = (char *)"H\xc3\xa9 \"x\"",
					     .output_tokens = 5 };

	(void)state;
	bench.logprobs = 2;
	bench.temperature = 0;
	bench.top_k = 5;
	assert_body("openai", &bench, true, &sample,
		    "{\"model\": \"org/M\", \"prompt\": \"H\\u00e9 \\\"x\\\"\", "
		    "\"repetition_penalty\": 1.0, \"max_tokens\": 5, \"logprobs\": 2, "
		    "\"stream\": true, \"stream_options\": {\"include_usage\": true}, "
		    "\"ignore_eos\": true, \"top_k\": 5, \"temperature\": 0.0}");
}

static void completions_take_ids_and_all_sampling_keys_in_order(void **state)
{
	struct vllm_bench bench = plain_bench();
	uint32_t ids[] = { 7, 0, 31999 };
	const struct bench_sample sample = { .ids = ids, .id_count = 3, .output_tokens = 1 };

	(void)state;
	bench.top_p = 0.9;
	bench.top_k = -1;
	bench.min_p = 0.05;
	bench.temperature = 0.7;
	bench.frequency_penalty = -0.5;
	bench.presence_penalty = 1e-7;
	bench.repetition_penalty = 1.1;
	assert_body("vllm", &bench, false, &sample,
		    "{\"model\": \"org/M\", \"prompt\": [7, 0, 31999], "
		    "\"repetition_penalty\": 1.1, \"max_tokens\": 1, \"logprobs\": null, "
		    "\"stream\": true, \"stream_options\": {\"include_usage\": true}, "
		    "\"top_p\": 0.9, \"top_k\": -1, \"min_p\": 0.05, \"temperature\": 0.7, "
		    "\"frequency_penalty\": -0.5, \"presence_penalty\": 1e-07}");
}

static void responses_bytes_equal_the_documented_form(void **state)
{
	struct vllm_bench bench = plain_bench();
	const struct bench_sample sample = { .prompt = (char *)"H\xc3\xa9", .output_tokens = 5 };

	(void)state;
	bench.temperature = 0.5;
	assert_body("openai-responses", &bench, true, &sample,
		    "{\"model\": \"org/M\", \"input\": \"H\\u00e9\", \"max_output_tokens\": 5, "
		    "\"stream\": true, \"store\": false, \"ignore_eos\": true, "
		    "\"temperature\": 0.5}");
}

static void extra_body_overwrites_in_place_and_extends(void **state)
{
	struct vllm_bench bench = plain_bench();
	const struct bench_sample sample = { .prompt = (char *)"\xf0\x9f\x98\x80",
					     .output_tokens = 3 };

	(void)state;
	bench.continuous_usage = true;
	bench.temperature = 1;
	bench.extra_body = json_pack("{s:i, s:s, s:b}", "max_tokens", 9, "user", "u", "ignore_eos",
				     0);
	assert_body("openai", &bench, true, &sample,
		    "{\"model\": \"org/M\", \"prompt\": \"\\ud83d\\ude00\", "
		    "\"repetition_penalty\": 1.0, \"max_tokens\": 9, \"logprobs\": null, "
		    "\"stream\": true, \"stream_options\": {\"include_usage\": true, "
		    "\"continuous_usage_stats\": true}, \"ignore_eos\": false, "
		    "\"temperature\": 1.0, \"user\": \"u\"}");
	json_decref(bench.extra_body);
}

static void chat_wraps_text_as_typed_part_and_keeps_messages(void **state)
{
	struct vllm_bench bench = plain_bench();
	struct bench_sample sample = { .prompt = (char *)"hi", .output_tokens = 4 };

	(void)state;
	bench.repetition_penalty = 1.2;
	assert_body("openai-chat", &bench, true, &sample,
		    "{\"model\": \"org/M\", \"messages\": [{\"role\": \"user\", \"content\": "
		    "[{\"type\": \"text\", \"text\": \"hi\"}]}], \"max_completion_tokens\": 4, "
		    "\"stream\": true, \"stream_options\": {\"include_usage\": true}, "
		    "\"ignore_eos\": true, \"repetition_penalty\": 1.2}");
	bench.repetition_penalty = NAN;
	sample.messages = json_pack("[{s:s, s:s}]", "role", "system", "content", "be brief");
	assert_body("openai-chat", &bench, false, &sample,
		    "{\"model\": \"org/M\", \"messages\": [{\"role\": \"system\", \"content\": "
		    "\"be brief\"}], \"max_completion_tokens\": 4, \"stream\": true, "
		    "\"stream_options\": {\"include_usage\": true}}");
	json_decref(sample.messages);
}

static void samples_without_what_the_protocol_needs_are_refused(void **state)
{
	struct vllm_bench bench = plain_bench();
	uint32_t ids[] = { 1 };
	const struct bench_sample only_ids = { .ids = ids, .id_count = 1, .index = 17 };
	const struct bench_sample broken = { .prompt = (char *)"\xff\xfe", .index = 18 };
	const struct bench_encode encode = { .bench = &bench, .model = "m" };
	struct pl_err err = PL_ERR_INIT;
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 1 << 20);
	assert_int_equal(bench_adapter_find("openai-chat")->encode(&encode, &only_ids, &buf, &err),
			 -1);
	assert_non_null(strstr(err.text, "17"));
	assert_int_equal(bench_adapter_find("openai")->encode(&encode, &broken, &buf, &err), -1);
	assert_non_null(strstr(err.text, "UTF-8"));
}

static void adapters_are_found_by_name(void **state)
{
	static const char *const names[] = {
#define BACKEND(id, name, ...) name,
#include "tbl/backends.h"
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		const struct exp_backend *backend = exp_backend_find(names[i]);
		const struct bench_adapter *adapter = bench_adapter_find(names[i]);
		assert_non_null(backend);
		assert_string_equal(backend->name, names[i]);
		assert_int_equal(adapter == NULL, backend->later);
		if (adapter == NULL)
			continue;
		if (backend->suffix != NULL)
			assert_true(pl_text_ends(backend->endpoint, backend->suffix));
		assert_int_equal(adapter->has_socket, adapter->answer == NULL);
	}
	assert_null(bench_adapter_find("openai-"));
	assert_null(bench_adapter_find(""));
}

struct decode_case {
	const char *data;
	bool choices, content, role_only, done, error;
	int64_t tokens, usage;
	unsigned mask, finished;
	const char *reason;
};

#define NO RES_NO_COUNT
static const struct decode_case decode_cases[] = {
	{ "[DONE]", .done = true, .tokens = NO, .usage = NO },
	{ "[DONE] ", .done = true, .tokens = NO, .usage = NO },
	{ "{}", .tokens = NO, .usage = NO },
	{ "{\"choices\":[{\"index\":0,\"text\":\"a\",\"finish_reason\":null}]}", .choices = true,
	  .content = true, .tokens = NO, .usage = NO, .mask = 1 },
	{ "{\"choices\":[{\"text\":\"\",\"index\":3,\"finish_reason\":\"stop\"}]}", .choices = true,
	  .tokens = NO, .usage = NO, .mask = 8, .finished = 8 },
	{ "{\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"stop\"}]}", .choices = true,
	  .tokens = NO, .usage = NO, .mask = 1, .finished = 1, .reason = "stop" },
	{ "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}",
	  .choices = true, .role_only = true, .tokens = 0, .usage = NO, .mask = 1 },
	{ "{\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"so\"}}]}", .choices = true,
	  .content = true, .tokens = NO, .usage = NO, .mask = 1 },
	{ "{\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"so\"}}]}", .choices = true,
	  .content = true, .tokens = NO, .usage = NO, .mask = 1 },
	{ "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\","
	  "\"type\":"
	  "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}}]}",
	  .choices = true, .content = true, .tokens = NO, .usage = NO, .mask = 1 },
	{ "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\","
	  "\"type\":"
	  "\"function\",\"function\":{\"arguments\":\"\"}}]}}]}",
	  .choices = true, .tokens = NO, .usage = NO, .mask = 1 },
	{ "{\"choices\":[{\"index\":0,\"delta\":{\"content\":[{\"type\":\"thinking\",\"thinking\":["
	  "{"
	  "\"type\":\"text\",\"text\":\"hm\"}]}]}}]}",
	  .choices = true, .content = true, .tokens = NO, .usage = NO, .mask = 1 },
	{ "{\"choices\":[{\"index\":0,\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\"\"}]}}]"
	  "}",
	  .choices = true, .tokens = NO, .usage = NO, .mask = 1 },
	{ "{\"choices\":[{\"index\":0,\"delta\":{\"annotations\":[{\"url\":\"u\"}]}}]}",
	  .choices = true, .tokens = NO, .usage = NO, .mask = 1 },
	{ "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[]}}]}", .choices = true,
	  .tokens = NO, .usage = NO, .mask = 1 },
	{ "{\"choices\":[{\"index\":0,\"text\":\"\",\"token_ids\":[5,6,7]}]}", .choices = true,
	  .content = true, .tokens = 3, .usage = NO, .mask = 1 },
	{ "{\"choices\":[{\"index\":0,\"text\":\"a\",\"logprobs\":{\"tokens\":[\"a\",\"b\"],"
	  "\"x\":[{}]}}]}",
	  .choices = true, .content = true, .tokens = 2, .usage = NO, .mask = 1 },
	{ "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"logprobs\":{\"content\":"
	  "[{\"token\":\"a\"}]}}]}",
	  .choices = true, .content = true, .tokens = 1, .usage = NO, .mask = 1 },
	{ "{\"choices\":[{\"index\":0,\"text\":\"a\",\"token_ids\":[1]},{\"index\":1,"
	  "\"text\":\"b\",\"token_ids\":[2,3],\"finish_reason\":\"length\"}]}",
	  .choices = true, .content = true, .tokens = 3, .usage = NO, .mask = 3, .finished = 2 },
	{ "{\"choices\":[{\"index\":0,\"text\":\"a\",\"token_ids\":[1]},{\"index\":1,"
	  "\"text\":\"b\"}]}",
	  .choices = true, .content = true, .tokens = NO, .usage = NO, .mask = 3 },
	{ "{\"choices\":[],\"usage\":{\"prompt_tokens\":2,\"completion_tokens\":4,\"d\":{\"a\":1}}"
	  "}",
	  .tokens = NO, .usage = 4 },
	{ "{\"usage\":null,\"choices\":null}", .tokens = NO, .usage = NO },
	{ "{\"error\":{\"message\":\"boom\",\"code\":500}}", .error = true, .tokens = NO,
	  .usage = NO },
	{ "{\"error\":\"boom\"}", .error = true, .tokens = NO, .usage = NO },
	{ "{\"error\":null}", .tokens = NO, .usage = NO },
	{ "{\"object\":\"error\",\"message\":\"boom\",\"code\":400}", .error = true, .tokens = NO,
	  .usage = NO },
	{ "{\"object\":\"x\",\"message\":\"boom\"}", .tokens = NO, .usage = NO },
};

static void decode_reads_what_events_say(void **state)
{
	const struct bench_adapter *adapter = bench_adapter_find("openai-chat");
	static struct bench_event event;

	(void)state;
	memset(&event, 0xa5, sizeof(event)); /* every field must be set each time */
	for (size_t i = 0; i < PL_ARRAY_SIZE(decode_cases); i++) {
		const struct decode_case *want = &decode_cases[i];
		print_message("%s\n", want->data);
		assert_int_equal(adapter->decode(want->data, strlen(want->data), &event), 0);
		assert_int_equal(event.has_choices, want->choices);
		assert_int_equal(event.content, want->content);
		assert_int_equal(event.role_only, want->role_only);
		assert_int_equal(event.done, want->done);
		assert_int_equal(event.error, want->error);
		assert_int_equal(event.tokens, want->tokens);
		assert_int_equal(event.usage_completion, want->usage);
		assert_int_equal(event.choice_mask, want->mask);
		assert_int_equal(event.finished_mask, want->finished);
		assert_int_equal(event.finish, want->finished != 0);
		assert_string_equal(event.finish_reason, want->reason != NULL ? want->reason : "");
		if (want->error)
			assert_string_equal(event.error_text, "boom");
	}
}

static void decode_refuses_other_texts(void **state)
{
	static const char *const broken[] = {
		"",
		"[DONE",
		"[]",
		"{",
		"{\"choices\":{}}",
		"{\"choices\":[1]}",
		"{\"choices\":[{\"index\":0,\"text\":\"a\"}]",
		"{\"choices\":[{\"index\":\"0\",\"text\":\"a\"}}",
		"{\"choices\":[{\"index\":0.5}]}",
		"{\"choices\":[]} x",
		"{\"choices\":[],}",
		"{\"error\":{\"message\":\"boom\"}",
		"{'choices':[]}",
		"{\"a\":\"\\q\"}",
		"{\"usage\":{\"completion_tokens\":4}",
	};
	const struct bench_adapter *adapter = bench_adapter_find("openai");
	struct bench_event event;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(broken); i++) {
		print_message("%s\n", broken[i]);
		assert_int_equal(adapter->decode(broken[i], strlen(broken[i]), &event), -1);
	}
}

static void long_error_texts_are_cut_not_lost(void **state)
{
	const struct bench_adapter *adapter = bench_adapter_find("openai");
	struct bench_event event;
	char data[2000];

	(void)state;
	memset(data, 'e', sizeof(data));
	memcpy(data, "{\"error\":\"", 10);
	memcpy(data + sizeof(data) - 2, "\"}", 2);
	assert_int_equal(adapter->decode(data, sizeof(data), &event), 0);
	assert_true(event.error);
	assert_int_equal(strlen(event.error_text), sizeof(event.error_text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(completions_bytes_equal_the_documented_example),
		cmocka_unit_test(completions_take_ids_and_all_sampling_keys_in_order),
		cmocka_unit_test(responses_bytes_equal_the_documented_form),
		cmocka_unit_test(extra_body_overwrites_in_place_and_extends),
		cmocka_unit_test(chat_wraps_text_as_typed_part_and_keeps_messages),
		cmocka_unit_test(samples_without_what_the_protocol_needs_are_refused),
		cmocka_unit_test(adapters_are_found_by_name),
		cmocka_unit_test(decode_reads_what_events_say),
		cmocka_unit_test(decode_refuses_other_texts),
		cmocka_unit_test(long_error_texts_are_cut_not_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
