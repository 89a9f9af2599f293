#include "experiment/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

/* All that is found in a text, as "severity reason KEY: …" lines. */
static char *found_in(const char *text, enum option_voice voice, bool runs)
{
	auto_experiment struct exp_config *experiment = NULL;
	auto_problems problems = { 0 };
	struct exp_checked checked = { 0 };
	struct exp_check_options how = { .target = { .version = "0.32.0", .assumed = true },
					 .runs = runs };
	struct pl_err err = PL_ERR_INIT;
	auto_buf all = { 0 };

	pl_buf_init(&all, 1 << 16);
	assert_int_equal(exp_config_read_text(vllm_catalog_reference(), text, strlen(text),
					      "e.yaml", NULL, 0, &experiment, &problems, &err),
			 0);
	exp_check(experiment, &how, &checked, &problems);
	for (size_t i = 0; i < problems.count; i++) {
		const struct option_problem *problem = &problems.items[i];
		pl_buf_addf(&all, "%s %s ", problem->severity == OPTION_ERROR ? "error" : "warning",
			    problem->reason != NULL ? problem->reason : "-");
		option_problem_text(problem, voice, &all);
		pl_buf_add_char(&all, '\n');
	}
	exp_checked_done(&checked);
	return all.len > 0 ? pl_buf_take(&all) : pl_strdup("");
}

static void assert_found(const char *benchmark, const char *expected)
{
	auto_free char *text = pl_asprintf("benchmark: {%s}\n", benchmark);
	auto_free char *found = found_in(text, OPTION_AS_FLAG, true);

	assert_string_equal(found, expected);
}

static void the_load_is_checked_once(void **state)
{
	static const struct {
		const char *benchmark, *found;
	} cases[] = {
		{ "num_prompts: 3", "" },
		{ "dataset_path: x.json",
		  "error dataset_file --dataset-path: found 'x.json', but dataset "
		  "'random' reads no file; remove it, or set --dataset-name to the format of the "
		  "file\n" },
		{ "dataset_name: sharegpt", "error dataset_file --dataset-path: is missing; "
					    "dataset 'sharegpt' needs a file\n" },
		{ "dataset_name: custom, dataset_path: x, num_prompts: 0, custom_output_len: -1",
		  "" },
		{ "dataset_name: custom, dataset_path: x, custom_output_len: 0",
		  "error output_length --custom-output-len: found number 0, expected -1 or an "
		  "integer of at least 1\n" },
		{ "dataset_name: spec_bench, dataset_path: x, spec_bench_output_len: 0",
		  "error output_length --spec-bench-output-len: found number 0, expected an "
		  "integer "
		  "of at least 1\n" },
		{ "dataset_name: spec_bench, dataset_path: x, spec_bench_output_len: 0, "
		  "output_len: 5",
		  "" },
		{ "random_batch_size: 2",
		  "error prompts_per_request --random-batch-size: found number 2, expected 1, "
		  "because backend 'openai' sends one prompt per request; several need one of "
		  "openai-embeddings, infinity-embeddings, infinity-embeddings-clip, "
		  "vllm-pooling\n" },
		{ "random_batch_size: 2, client: vllm", "" },
		{ "random_batch_size: 2, backend: vllm-pooling", "" },
		{ "dataset_name: random-rerank, backend: vllm-rerank, random_batch_size: 9", "" },
		{ "dataset_name: random-rerank, backend: openai-embeddings", "" },
		{ "dataset_name: random-rerank, backend: vllm-rerank, no_reranker: true, "
		  "random_batch_size: 2, num_prompts: 1",
		  "error pairs --num-prompts: found number 1, expected at least 2 with "
		  "--no-reranker, one of them for the query\n" },
		{ "backend: vllm-pooling, goodput: [\"ttft:5\", \"e2el:5\"]",
		  "warning idle --goodput: limits other than e2el have no effect without a backend "
		  "that generates tokens\n" },
		{ "backend: openai-embeddings, temperature: 0",
		  "warning idle --temperature: it has no effect without a backend that generates "
		  "tokens\n" },
		{ "random_input_len: 0",
		  "error random_prompts --random-input-len: found number 0, expected a length that "
		  "leaves at least one token per prompt, given --random-range-ratio and "
		  "--random-prefix-len\n" },
		{ "random_input_len: 0, random_prefix_len: 1", "" },
		{ "prompt_token_ids: true, backend: openai-chat",
		  "error token_ids --prompt-token-ids: found true, expected false, because backend "
		  "'openai-chat' accepts no token ids\n" },
		{ "prompt_token_ids: true", "" },
		{ "dataset_name: prefix_repetition, num_prompts: 5, "
		  "prefix_repetition_num_prefixes: 6",
		  "error prefix_prompts --prefix-repetition-num-prefixes: found number 6, expected "
		  "an integer from 1 to --num-prompts (5)\n" },
		{ "dataset_name: prefix_repetition, prefix_repetition_prefix_len: 0, "
		  "prefix_repetition_suffix_len: 0",
		  "error prefix_prompts --prefix-repetition-prefix-len: found number 0, expected "
		  "lengths that leave at least one token per prompt, given "
		  "--prefix-repetition-suffix-len\n" },
		{ "skip_tokenizer_init: true", "error dataset_tokenizer --skip-tokenizer-init: "
					       "Tokenizer must be initialized for "
					       "the 'random' dataset.\n" },
		{ "dataset_name: custom, dataset_path: x, skip_tokenizer_init: true", "" },
		{ "ramp_up_strategy: exponential, ramp_up_start_rps: 0, ramp_up_end_rps: 2",
		  "error ramp --ramp-up-start-rps: found number 0, expected a rate above 0\n" },
		{ "ramp_up_start_rps: 3", "warning idle --ramp-up-start-rps: it has no effect "
					  "without --ramp-up-strategy\n" },
		{ "sharegpt_output_len: 3", "warning idle --sharegpt-output-len: it has no effect "
					    "without --dataset-name sharegpt\n" },
		{ "result_filename: r.json", "warning idle --result-filename: it has no effect "
					     "without --save-result or --append-result\n" },
		{ "result_filename: r.json, save_result: true", "" },
		{ "burstiness: 1.0", "" },
		{ "source_addresses: [127.0.0.2, localhost, '127.0.0.2', '::']",
		  "error source_addresses --source-addresses: found text 'localhost', expected an "
		  "IPv4 or IPv6 address\nerror source_addresses --source-addresses: found text "
		  "'127.0.0.2', expected each address only once\nerror source_addresses "
		  "--source-addresses: found text '::', expected a specific address, because this "
		  "one "
		  "means any address\n" },
		{ "endpoint: /v1/nope",
		  "error endpoint --endpoint: found text '/v1/nope', expected a path that begins "
		  "with '/' and ends with 'completions' for backend 'openai'\n" },
		{ "request_id_prefix: \"a\\tb\"",
		  "error request_id_prefix --request-id-prefix: found a control character, "
		  "expected a single line of text\n" },
		{ "plot_dataset_stats: true", "" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++)
		assert_found(cases[i].benchmark, cases[i].found);
}

/* An option that an offline benchmark has no use for; at a server those that reach the server are taken. */
static void options_of_offline_benchmarks(void **state)
{
	static const struct {
		const char *benchmark, *found;
	} cases[] = {
		{ "kind: latency, mode: in_process, insecure: true",
		  "error kind_options --insecure: 'vllm bench latency' does not have this "
		  "option\n" },
		{ "kind: latency, mode: server, insecure: true", "" },
		{ "kind: latency, mode: server, request_rate: 3",
		  "error kind_options --request-rate: 'vllm bench latency' does not have this "
		  "option\n" },
		{ "kind: latency, mode: in_process, request_rate: 3",
		  "error kind_options --request-rate: 'vllm bench latency' does not have this "
		  "option\n" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++)
		assert_found(cases[i].benchmark, cases[i].found);
}

/* With its place, and with what to do meanwhile: vLLM's own client, where that can do it. */
static void assert_way_out(const char *reported)
{
	static const char *const of_client[] = { "dataset_name", "asr_min_audio_len_sec",
						 "backend" };
	auto_free char *line = pl_strndup(reported, strcspn(reported, "\n"));
	const char *way = strstr(line, "; ");
	bool by_client = false;

	assert_true(pl_text_starts(line, "error not_in_this_version e.yaml:1:"));
	assert_non_null(way);
	for (size_t i = 0; i < PL_ARRAY_SIZE(of_client); i++) {
		auto_free char *key = pl_asprintf(" benchmark.%s: ", of_client[i]);
		by_client |= strstr(line, key) != NULL;
	}
	assert_int_equal(strstr(way, "benchmark.client") != NULL, by_client);
}

static void unsupported_settings_are_reported(void **state)
{
	static const struct {
		const char *text;
		const char *keys[3]; /* that are not in this version */
	} cases[] = {
		{ "launch: {container: {runtime: docker}}", { NULL } },
		{ "profiling: {enabled: true}", { NULL } },
		{ "profiling: {enabled: false}", { NULL } },
		{ "benchmark: {repeats: 2}", { "benchmark.repeats" } },
		{ "benchmark: {repeats: 1, profile: false}", { NULL } },
		{ "benchmark: {stop_when: {ci_width: 5%, metric: median_ttft_ms}}",
		  { "benchmark.stop_when" } },
		{ "benchmark: {kind: latency}", { NULL } },
		{ "benchmark: {client: vllm}", { NULL } },
		{ "benchmark: {client: vllm, self_timed: false}", { NULL } },
		{ "benchmark: {client: vllm, repeats: 2}", { "benchmark.repeats" } },
		{ "benchmark: {profile: true}", { NULL } },
		{ "benchmark: {self_timed: false}", { NULL } },
		{ "benchmark: {dataset_name: hf, dataset_path: x, asr_min_audio_len_sec: 1}",
		  { "benchmark.asr_min_audio_len_sec" } },
		{ "benchmark: {dataset_name: hf, dataset_path: x, hf_split: y}", { NULL } },
		{ "benchmark: {backend: openai-audio, dataset_name: custom_audio, dataset_path: x}",
		  { NULL } },
		{ "benchmark: {backend: vllm-pooling}", { NULL } },
		{ "benchmark: {client: vllm, backend: vllm-rerank}", { NULL } },
		{ "launch: {gpus: [0, GPU-1a2b]}", { NULL } },
		{ "launch: {gpus: all}", { NULL } },
		{ "launch: {gpus: []}", { NULL } },
		{ "launch: {gpus: auto}", { NULL } },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *now = found_in(cases[i].text, OPTION_AS_FILE, true);
		auto_free char *checked = found_in(cases[i].text, OPTION_AS_FILE, false);
		size_t count = 0;
		for (const char *at = now; (at = strstr(at, "error not_in_this_version")) != NULL;
		     at++) {
			assert_way_out(at);
			count++;
		}
		assert_null(strstr(checked, "error not_in_this_version"));
		for (size_t k = 0; k < 3 && cases[i].keys[k] != NULL; k++) {
			auto_free char *key = pl_asprintf(" %s: ", cases[i].keys[k]);
			assert_non_null(strstr(now, key));
			assert_non_null(strstr(checked, key));
			count--;
		}
		assert_int_equal(count, 0);
	}
}

/* A message on a setting of a later version says what to do until then. */
static void later_features_have_an_alternative(void **state)
{
	(void)state;
	for (size_t i = 0; i < exp_key_count(); i++)
		assert_int_equal(exp_key_at(i)->later, exp_key_at(i)->instead != NULL);
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		const struct option_row *row = vllm_bench_row((enum vllm_bench_id)i);
		assert_int_equal(row->later && row->ours, row->instead != NULL);
	}
}

static void the_client_of_vllm_is_asked_for_what_it_can_do(void **state)
{
	(void)state;
	assert_found("client: vllm, threads: 2",
		     "error vllm_client --threads: vLLM's client does not have this option; remove "
		     "it, or set --client to native\n");
	assert_found("client: vllm, threads: 1", "");
	assert_found("client: vllm, lora_modules: ['-x']",
		     "error vllm_client --lora-modules: vLLM's client does not accept an item that "
		     "begins with '-'\n");
	assert_found("client: vllm, header: ['Authorization=Bearer k']", "");
}

static void gpus_are_named_once(void **state)
{
	static const char variable[] = "launch: {gpus: [0], env: {CUDA_VISIBLE_DEVICES: '1'}}\n";
	auto_free char *twice = found_in(variable, OPTION_AS_FILE, true);
	auto_free char *none = found_in("launch: {gpus: [], env: {CUDA_VISIBLE_DEVICES: '1'}}\n",
					OPTION_AS_FILE, true);

	(void)state;
	assert_string_equal(
		twice, "error gpus e.yaml:1:16: launch.gpus: launch.gpus and "
		       "launch.env.CUDA_VISIBLE_DEVICES both select GPUs; remove one of them\n");
	assert_string_equal(none, "");
}

/* A variable is checked for the server that is started here; "***" is reported where a secret was removed. */
static void variables_and_placeholders(void **state)
{
	static const char unknown[] = "launch: {env: {VLLM_NO_SUCH_NAME: '1'}}\n";
	auto_free char *local = found_in(unknown, OPTION_AS_FILE, false);
	auto_free char *remote = found_in("benchmark: {base_url: 'http://127.0.0.1:1'}\n"
					  "launch: {env: {VLLM_NO_SUCH_NAME: '1'}}\n",
					  OPTION_AS_FILE, false);
	auto_free char *hidden = found_in("server: {model: m, api_key: '***'}\n", OPTION_AS_FILE,
					  false);
	auto_free char *listed = found_in("server: {model: m, api_key: ['***']}\n", OPTION_AS_FILE,
					  false);
	auto_free char *shown = found_in("server: {model: m, api_key: 'k'}\n", OPTION_AS_FILE,
					 false);
	auto_free char *token = found_in("launch: {env: {HF_TOKEN: '***'}}\n", OPTION_AS_FILE,
					 false);
	static const char expected[] = "found '***', expected the secret instead of ***";

	(void)state;
	assert_non_null(strstr(local, "launch.env.VLLM_NO_SUCH_NAME"));
	assert_null(strstr(remote, "a variable that vLLM"));
	assert_non_null(strstr(hidden, expected));
	assert_non_null(strstr(listed, expected));
	assert_null(strstr(shown, expected));
	assert_non_null(strstr(token, expected));
}

static void only_broken_rules_may_be_forced(void **state)
{
	static const struct {
		const char *reason;
		size_t firm;
	} cases[] = { { "rule", 0 }, { "model", 0 }, { "goodput", 1 }, { NULL, 1 } };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_problems problems = { 0 };
		option_problems_add(&problems,
				    &(struct option_problem){ .reason = cases[i].reason });
		assert_int_equal(exp_check_firm(&problems), cases[i].firm);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_load_is_checked_once),
		cmocka_unit_test(options_of_offline_benchmarks),
		cmocka_unit_test(unsupported_settings_are_reported),
		cmocka_unit_test(later_features_have_an_alternative),
		cmocka_unit_test(the_client_of_vllm_is_asked_for_what_it_can_do),
		cmocka_unit_test(gpus_are_named_once),
		cmocka_unit_test(variables_and_placeholders),
		cmocka_unit_test(only_broken_rules_may_be_forced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
