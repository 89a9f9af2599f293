#include "experiment/config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/scratch.h"
#include "base/text.h"
#include "config_text.h"
#include "vllm/server_args.h"

static const char *const no_sets[] = { NULL };

static struct exp_config *parse_with(const char *text, const char *const *sets,
				     struct option_problems *problems)
{
	struct exp_config *experiment = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t count = 0;

	while (sets[count] != NULL)
		count++;
	int rc = config_text_parse(vllm_catalog_reference(), text, strlen(text), "e.yaml", sets,
				   count, &experiment, problems, &err);
	if (rc < 0)
		print_message("%s\n", err.text);
	assert_int_equal(rc, 0);
	assert_int_equal(problems->errors, 0);
	return experiment;
}

static struct exp_config *parse(const char *text)
{
	auto_problems problems = { 0 };

	return parse_with(text, no_sets, &problems);
}

static void defaults_are_the_references(void **state)
{
	auto_experiment struct exp_config *e = parse("");

	(void)state;
	assert_null(e->suite);
	assert_null(e->launch.command);
	assert_null(e->launch.url);
	assert_string_equal(e->launch.platform, "auto");
	assert_string_equal(e->launch.host, "127.0.0.1");
	assert_string_equal(json_string_value(e->launch.gpus), "auto");
	assert_true(e->launch.port == OPTION_NO_I64);
	assert_int_equal(e->launch.ready_timeout_ns, 600000000000);
	assert_true(e->launch.run_timeout_ns == OPTION_NO_I64);
	assert_int_equal(e->launch.stop_timeout_ns, 30000000000);
	assert_int_equal(json_array_size(e->launch.extra_args), 0);
	assert_int_equal(json_object_size(e->launch.env), 0);
	assert_int_equal(e->telemetry.interval_ns, 100000000);
	assert_true(e->telemetry.gpu && e->telemetry.host);
	assert_int_equal(e->telemetry.server_metrics_ns, 1000000000);
	assert_true(e->output.requests && e->output.series);
	assert_int_equal(e->output.server_log_tail, 200);
	assert_null(e->profiling);
	assert_int_equal(e->bench.num_prompts, 1000);
	assert_true(isinf(e->bench.request_rate));
	assert_null(e->bench.endpoint);
	assert_int_equal(e->bench.request_timeout, 21600000000000);
}

static const char whole_file[] =
	"suite: baseline_performance\n"
	"name: llama3-8b-tp2\n"
	"tags: {hardware: h100x8, ticket: 12}\n"
	"server:\n"
	"  model: meta-llama/Meta-Llama-3-8B\n"
	"  tensor-parallel-size: 2\n"
	"  gpu_memory_utilization: 0.9\n"
	"  max_model_len: 32k\n"
	"  compilation_config: {mode: 3, cudagraph_mode: FULL}\n"
	"  compilation_config.pass_config.fuse_norm_quant: yes\n"
	"  no_enable_prefix_caching: true\n"
	"launch:\n"
	"  command: [vllm, serve]\n"
	"  url: null\n"
	"  vllm_version: null\n"
	"  platform: auto\n"
	"  container: null\n"
	"  env: {VLLM_LOGGING_LEVEL: INFO, WHERE: \"${PROFLLM_TEST_DIR}/x\", N: 1}\n"
	"  gpus: auto\n"
	"  port: auto\n"
	"  ready_timeout: 600s\n"
	"  run_timeout: null\n"
	"  stop_timeout: 30s\n"
	"  extra_args: [--new-flag, 3]\n"
	"benchmark:\n"
	"  kind: serve\n"
	"  client: native\n"
	"  backend: openai-chat\n"
	"  dataset_name: sharegpt\n"
	"  dataset-path: ${PROFLLM_TEST_DIR}/ShareGPT.json\n"
	"  num_prompts: 10\n"
	"  request_rate: inf\n"
	"  max_concurrency: null\n"
	"  request_timeout: 6h\n"
	"  stall_timeout: 60s\n"
	"  max_error_share: 0.01\n"
	"  repeats: 1\n"
	"  metric_percentiles: [50, 99.9]\n"
	"  goodput: {ttft: 200, e2el: 3000}\n"
	"  random_range_ratio: {input: 0.3, output: 0.5}\n"
	"  header: [\"Authorization=Bearer s3cret\"]\n"
	"  extra_body: {temperature: 0}\n"
	"  source_addresses: 10.0.0.2, ::1\n"
	"telemetry: {interval: 50ms, gpu: false, host: true, server_metrics: null}\n"
	"profiling: {enabled: false, profiler: torch, dir: traces, num_prompts: 4}\n"
	"output: {requests: true, series: off, server_log_tail: 10}\n";

static void a_whole_file_is_read(void **state)
{
	(void)state;
	setenv("PROFLLM_TEST_DIR", "/data", 1);
	auto_experiment struct exp_config *e = parse(whole_file);
	assert_string_equal(e->suite, "baseline_performance");
	assert_string_equal(json_string_value(json_object_get(e->tags, "ticket")), "12");
	auto_free char *server = pl_json_to_text(e->server, PL_JSON_COMPACT);
	assert_string_equal(server,
			    "{\"model\":\"meta-llama/Meta-Llama-3-8B\",\"tensor_parallel_size\":2,"
			    "\"gpu_memory_utilization\":0.9,\"max_model_len\":32000,"
			    "\"compilation_config\":{\"mode\":3,\"cudagraph_mode\":\"FULL\","
			    "\"pass_config\":{\"fuse_norm_quant\":true}},"
			    "\"enable_prefix_caching\":false}");
	auto_free char *env = pl_json_to_text(e->launch.env, PL_JSON_COMPACT);
	assert_string_equal(env,
			    "{\"VLLM_LOGGING_LEVEL\":\"INFO\",\"WHERE\":\"/data/x\",\"N\":\"1\"}");
	assert_string_equal(json_string_value(json_array_get(e->launch.extra_args, 1)), "3");
	assert_string_equal(e->bench.dataset_path, "/data/ShareGPT.json");
	assert_true(e->bench_set[VLLM_BENCH_dataset_path]);
	assert_false(e->bench_set[VLLM_BENCH_seed]);
	assert_string_equal(e->bench.metric_percentiles, "50,99.9");
	assert_string_equal(json_string_value(json_array_get(e->bench.goodput, 1)), "e2el:3000");
	auto_free char *sources = pl_json_to_text(e->bench.source_addresses, PL_JSON_COMPACT);
	assert_string_equal(sources, "[\"10.0.0.2\",\"::1\"]");
	assert_string_equal(e->bench.random_range_ratio, "{\"input\": 0.3, \"output\": 0.5}");
	assert_true(e->bench.max_concurrency == OPTION_NO_I64);
	assert_true(e->telemetry.server_metrics_ns == OPTION_NO_I64);
	assert_int_equal(e->telemetry.interval_ns, 50000000);
	assert_false(e->output.series);
}

static void json_is_read_too(void **state)
{
	(void)state;
	auto_experiment struct exp_config *e = parse(
		"{\"name\": \"x\", \"server\": {\"model\": \"m\", \"max-model-len\": 8},\n"
		" \"benchmark\": {\"request_rate\": \"inf\", \"num_prompts\": 3}}");
	assert_string_equal(e->name, "x");
	assert_int_equal(json_integer_value(json_object_get(e->server, "max_model_len")), 8);
	assert_int_equal(e->bench.num_prompts, 3);
}

static void the_completed_configuration_reads_back(void **state)
{
	(void)state;
	setenv("PROFLLM_TEST_DIR", "/data", 1);
	auto_experiment struct exp_config *e = parse(whole_file);
	auto_json json_t *json = exp_config_to_json(e);
	auto_free char *text = pl_json_to_text(json, PL_JSON_INDENT);
	assert_null(strstr(text, "s3cret"));
	assert_non_null(strstr(text, "Authorization=***"));
	auto_experiment struct exp_config *retry = parse(text);
	auto_json json_t *back = exp_config_to_json(retry);
	auto_free char *text_back = pl_json_to_text(back, PL_JSON_INDENT);
	assert_string_equal(text, text_back);
}

static void secrets_are_not_shown(void **state)
{
	(void)state;
	auto_experiment struct exp_config *e = parse(
		"server: {model: m, api_key: s3cret-a, hf_token: s3cret-b}\n"
		"launch: {env: {MY_API_TOKEN: s3cret-c, PLAIN: p, DB_PASSWD: s3cret-d},\n"
		"         extra_args: [--apikey, s3cret-e, --x, '{\"token\": \"s3cret-f\"}']}\n"
		"benchmark: {extra_body: {api_key: s3cret-g}}\n");
	auto_json json_t *json = exp_config_to_json(e);
	auto_free char *text = pl_json_to_text(json, PL_JSON_COMPACT);
	assert_null(strstr(text, "s3cret"));
	assert_non_null(strstr(text, "\"PLAIN\":\"p\""));
	assert_string_equal(json_string_value(json_object_get(e->bench.extra_body, "api_key")),
			    "s3cret-g");
	assert_string_equal(json_string_value(json_object_get(e->launch.env, "MY_API_TOKEN")),
			    "s3cret-c");
}

static void sets_win_over_the_file(void **state)
{
	static const char *const sets[] = {
		"server.tensor_parallel_size=4",
		"server.compilation_config.mode=2",
		"server.kv_transfer_config={kv_role: kv_both}",
		"launch.env.B=2",
		"launch.port=9000",
		"tags.ticket=PERF-1",
		"benchmark.request-rate=2.5",
		"benchmark.extra_body.top_k=5",
		"benchmark.max_concurrency=3",
		"benchmark.max_concurrency=",
		"name=late",
		NULL,
	};
	auto_problems problems = { 0 };

	(void)state;
	auto_experiment struct exp_config *e = parse_with(
		"name: early\ntags: {a: b}\n"
		"server: {model: m, tensor_parallel_size: 2,\n"
		"         compilation_config: {cudagraph_mode: FULL},\n"
		"         kv_transfer_config: {kv_connector: X}}\n"
		"launch: {env: {A: 1}}\nbenchmark: {extra_body: {temperature: 0}}\n",
		sets, &problems);
	auto_free char *server = pl_json_to_text(e->server, PL_JSON_COMPACT);
	assert_string_equal(server,
			    "{\"model\":\"m\",\"tensor_parallel_size\":4,"
			    "\"compilation_config\":{\"cudagraph_mode\":\"FULL\",\"mode\":2},"
			    "\"kv_transfer_config\":{\"kv_role\":\"kv_both\"}}");
	auto_free char *env = pl_json_to_text(e->launch.env, PL_JSON_COMPACT);
	assert_string_equal(env, "{\"A\":\"1\",\"B\":\"2\"}");
	assert_int_equal(e->launch.port, 9000);
	assert_int_equal(json_object_size(e->tags), 2);
	assert_true(e->bench.request_rate == 2.5);
	assert_int_equal(json_object_size(e->bench.extra_body), 2);
	assert_true(e->bench.max_concurrency == OPTION_NO_I64);
	assert_string_equal(e->name, "late");
}

static void addresses_are_joined(void **state)
{
	(void)state;
	auto_experiment struct exp_config *e = parse(
		"server: {port: 8123, host: 0.0.0.0}\nlaunch: {port: 8123}\n");
	assert_int_equal(e->launch.port, 8123);
	assert_string_equal(e->launch.host, "0.0.0.0");
}

static void files_are_read(void **state)
{
	char path[SCRATCH_PATH];
	auto_experiment struct exp_config *e = NULL;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	close(scratch_file(path));
	assert_int_equal(pl_file_write(path, "name: n\n", 8, &err), 0);
	assert_int_equal(
		exp_config_read(vllm_catalog_reference(), path, NULL, 0, &e, &problems, &err), 0);
	assert_string_equal(e->source, path);
	unlink(path);
	struct exp_config *none = NULL;
	assert_int_equal(
		exp_config_read(vllm_catalog_reference(), path, NULL, 0, &none, &problems, &err),
		-1);
	assert_null(none);
	assert_int_equal(pl_err_exit_status(err.code), 2);
}

static void lists_have_several_spellings(void **state)
{
	(void)state;
	auto_experiment struct exp_config *e = parse(
		"server:\n  served_model_name: one\n  cudagraph_capture_sizes: 8\n"
		"  collect_detailed_traces: model,worker\n"
		"  lora_modules: [a=b, {name: c, path: d}]\n");
	auto_json json_t *argv = json_array();
	auto_json json_t *env = NULL;
	struct pl_err err = PL_ERR_INIT;
	assert_int_equal(vllm_args_to_argv(vllm_catalog_reference(), e->server, argv, &env, &err),
			 0);
	auto_free char *text = pl_json_to_text(argv, PL_JSON_COMPACT);
	assert_string_equal(text, "[\"--served-model-name\",\"one\",\"--cudagraph-capture-sizes\","
				  "\"8\",\"--collect-detailed-traces\",\"model\",\"worker\","
				  "\"--lora-modules\",\"a=b\","
				  "\"{\\\"name\\\":\\\"c\\\",\\\"path\\\":\\\"d\\\"}\"]");
}

struct bad_case {
	const char *text;
	const char *message; /* the first error */
};

static void problems_are_reported_in_one_line(void **state)
{
	static const struct bad_case cases[] = {
#include "unit/experiment/config_bad.inc"
	};

	(void)state;
	unsetenv("PROFLLM_TEST_UNSET");
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct exp_config *e = NULL;
		auto_problems problems = { 0 };
		struct pl_err err = PL_ERR_INIT;
		int rc = config_text_parse(vllm_catalog_reference(), cases[i].text,
					   strlen(cases[i].text), "e.yaml", NULL, 0, &e, &problems,
					   &err);
		if (rc == 0 || strcmp(err.text, cases[i].message) != 0)
			print_message("case %zu: %s\n got: %s\nwant: %s\n", i, cases[i].text,
				      rc == 0 ? "no error" : err.text, cases[i].message);
		assert_int_equal(rc, -1);
		assert_null(e);
		assert_int_equal(pl_err_exit_status(err.code), 2);
		assert_string_equal(err.text, cases[i].message);
	}
	assert_true(PL_ARRAY_SIZE(cases) >= 40);
}

/* A fault in options that are set later has the location of the option. */
static void problems_of_set_options_have_a_location(void **state)
{
	static const struct {
		const char *options, *key;
		int line, column;
	} cases[] = {
		{ "{\"num_prompts\": \"x\"}", "benchmark.num_prompts", 2, 16 },
		{ "{\"extra_body\": [1]}", "benchmark.extra_body", 3, 15 },
		{ "{\"burstiness\": -1}", "benchmark.burstiness", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_experiment struct exp_config *e = parse("benchmark:\n"
							     "  num_prompts: 3\n"
							     "  extra_body: {a: 1}\n");
		auto_json json_t *options = json_loads(cases[i].options, 0, NULL);
		auto_problems problems = { 0 };

		exp_config_set_options(e, options, &problems);
		assert_int_equal(problems.count, 1);
		assert_string_equal(problems.items[0].key, cases[i].key);
		assert_int_equal(problems.items[0].line, cases[i].line);
		assert_int_equal(problems.items[0].column, cases[i].column);
	}
}

static void dotted_keys_and_a_mapping_are_merged(void **state)
{
	static const char *const texts[] = {
		"server:\n  limit_mm_per_prompt.image: 2\n  limit_mm_per_prompt: {video: 1}\n",
		"server:\n  limit_mm_per_prompt: {video: 1}\n  limit_mm_per_prompt.image: 2\n",
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_experiment struct exp_config *e = parse(texts[i]);
		const json_t *both = json_object_get(e->server, "limit_mm_per_prompt");
		const json_t *given = json_object_get(e->given, "limit_mm_per_prompt");
		assert_int_equal(json_integer_value(json_object_get(both, "image")), 2);
		assert_int_equal(json_integer_value(json_object_get(both, "video")), 1);
		assert_int_equal(json_object_size(given), 2);
	}
}

static void known_words_are_warned_of(void **state)
{
	auto_problems problems = { 0 };
	auto_experiment struct exp_config *e = parse_with(
		"launch:\n"
		"  command: [numactl, --dtype, x, nsys, profile, --seed=1, vllm, serve, "
		"--sim-step, "
		"2ms, --new-flag, a, b]\n"
		"  extra_args: [--see, '3', --sim-step, 2ms, --no-enable-prefix-caching, -O3]\n",
		no_sets, &problems);

	(void)state;
	assert_int_equal(json_array_size(e->launch.extra_args), 6);
	assert_int_equal(problems.count, 3);
	assert_string_equal(problems.items[0].key, "launch.extra_args");
	assert_string_equal(problems.items[0].found, "'--see'");
	assert_int_equal(problems.items[0].line, 3);
	assert_int_equal(problems.items[0].column, 16);
	assert_int_equal(problems.items[1].column, 45);
	assert_string_equal(problems.items[2].found, "'-O3'");
	assert_string_equal(problems.items[1].found, "'--no-enable-prefix-caching'");
}

static void all_problems_are_reported_at_once(void **state)
{
	struct exp_config *e = NULL;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;
	const char *text = "server:\n  tensor_paralel_size: 2\n  dtype: halff\n"
			   "  max_num_seqs: 0\nlaunch: {prt: 1}\nbenchmark: {num_prompts: many}\n";
	auto_buf all = { 0 };

	(void)state;
	assert_int_equal(config_text_parse(vllm_catalog_reference(), text, strlen(text), "e.yaml",
					   NULL, 0, &e, &problems, &err),
			 -1);
	pl_buf_init(&all, 1 << 16);
	for (size_t i = 0; i < problems.count; i++) {
		option_problem_text(&problems.items[i], OPTION_AS_FILE, &all);
		pl_buf_add_char(&all, '\n');
	}
	assert_string_equal(
		pl_buf_text(&all),
		"e.yaml:2:3: server.tensor_paralel_size: unknown argument (did you mean "
		"'tensor_parallel_size'?); to pass an argument that ProfLLM does not know, put it "
		"in launch.extra_args\ne.yaml:3:10: server.dtype: found text 'halff', "
		"expected "
		"auto, bfloat16, float, float16, float32 or half (did you mean "
		"'half'?)\ne.yaml:4:17: server.max_num_seqs: found number 0, expected an integer "
		"of at least 1, or null\ne.yaml:5:10: launch.prt: unknown key (did you mean "
		"'port'?)\ne.yaml:6:26: benchmark.num_prompts: found text 'many', expected an "
		"integer of at most 100000000\n"
		"");
}

static void sets_are_checked(void **state)
{
	static const struct {
		const char *set;
		const char *message;
	} cases[] = {
		{ "server.tensor_paralel_size=4",
		  "--set: server.tensor_paralel_size: unknown argument (did you mean "
		  "'tensor_parallel_size'?); to pass an argument that ProfLLM does not know, put "
		  "it in launch.extra_args" },
		{ "server.tensor_parallel_size=two",
		  "--set: server.tensor_parallel_size: found text 'two', expected an integer of at "
		  "least 1" },
		{ "benchmarks.x=1", "--set: benchmarks: unknown key (did you mean 'benchmark'?)" },
		{ "nonsense", "--set: found text 'nonsense', expected KEY=VALUE" },
		{ "launch.url=localhost",
		  "--set: launch.url: found text 'localhost', expected http://HOST:PORT or "
		  "https://HOST:PORT" },
		{ "server.port=81",
		  "--set: server.port: found number 81, expected 80, the value of "
		  "launch.port" },
		{ "benchmark.goodput=[x:1]", "--set: benchmark.goodput: found text 'x:1', expected "
					     "ttft, tpot or e2el" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct exp_config *e = NULL;
		auto_problems problems = { 0 };
		struct pl_err err = PL_ERR_INIT;
		const char *text = "launch: {port: 80}";
		assert_int_equal(config_text_parse(vllm_catalog_reference(), text, strlen(text),
						   "e.yaml", &cases[i].set, 1, &e, &problems, &err),
				 -1);
		assert_string_equal(err.text, cases[i].message);
	}
}

static void warnings_do_not_refuse(void **state)
{
	auto_problems problems = { 0 };
	auto_buf all = { 0 };

	(void)state;
	auto_experiment struct exp_config *e = parse_with(
		"server:\n  load_format: my_plugin\n  task: embed\n  convert: reward\n", no_sets,
		&problems);
	pl_buf_init(&all, 1 << 16);
	for (size_t i = 0; i < problems.count; i++) {
		option_problem_text(&problems.items[i], OPTION_AS_FILE, &all);
		pl_buf_add_char(&all, '\n');
	}
	assert_string_equal(
		pl_buf_text(&all),
		"e.yaml:2:16: server.load_format: found text 'my_plugin', expected auto, pt, "
		"safetensors, npcache, dummy, tensorizer, runai_streamer, bitsandbytes, "
		"sharded_state, gguf or mistral\n");
	assert_string_equal(json_string_value(json_object_get(e->server, "load_format")),
			    "my_plugin");
}

/* Objects of another release than the reference take any key. */
static void a_set_names_the_release(void **state)
{
	static const char *const sets[] = { "launch.vllm_version=0.10.1", NULL };
	static const char text[] = "server: {model: m, compilation_config: {no_such_key: 1}}\n";
	auto_experiment struct exp_config *e = NULL;
	auto_problems old = { 0 }, reference = { 0 };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(config_text_parse(vllm_catalog_reference(), text, strlen(text), "e.yaml",
					   NULL, 0, &e, &reference, &err),
			 -1);
	assert_int_equal(reference.count, 1);
	e = parse_with(text, sets, &old);
	assert_string_equal(e->launch.vllm_version, "0.10.1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_the_references),
		cmocka_unit_test(a_whole_file_is_read),
		cmocka_unit_test(json_is_read_too),
		cmocka_unit_test(lists_have_several_spellings),
		cmocka_unit_test(the_completed_configuration_reads_back),
		cmocka_unit_test(secrets_are_not_shown),
		cmocka_unit_test(sets_win_over_the_file),
		cmocka_unit_test(a_set_names_the_release),
		cmocka_unit_test(addresses_are_joined),
		cmocka_unit_test(files_are_read),
		cmocka_unit_test(problems_are_reported_in_one_line),
		cmocka_unit_test(problems_of_set_options_have_a_location),
		cmocka_unit_test(dotted_keys_and_a_mapping_are_merged),
		cmocka_unit_test(known_words_are_warned_of),
		cmocka_unit_test(all_problems_are_reported_at_once),
		cmocka_unit_test(sets_are_checked),
		cmocka_unit_test(warnings_do_not_refuse),
	};

	return cmocka_run_group_tests_name("model/experiment", tests, NULL, NULL);
}
