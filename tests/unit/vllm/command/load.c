#include "vllm/command/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/problem.h"
#include "vllm/yaml_out.h"

static struct vllm_command *parse(const char *text, struct option_problems *problems)
{
	const struct vllm_command_options options = { 0 };
	struct vllm_command *command = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(vllm_command_parse(text, strlen(text), &options, &command, problems, &err),
			 0);
	assert_non_null(command);
	return command;
}

/* Without what `bench serve` says of the address by itself. */
static void assert_load(const struct vllm_command *command, const char *expected)
{
	auto_json json_t *load = json_copy(command->load);

	json_object_del(load, "host");
	json_object_del(load, "port");
	auto_free char *text = pl_json_to_text(load, PL_JSON_COMPACT);
	assert_string_equal(text, expected);
}

/* The settings that a text's load contains; env is that of the file. */
static const struct {
	const char *text;
	const char *load;
	const char *env;
} texts[] = {
	{ "vllm bench serve", "{}", "{}" },
	{ "$ vllm bench serve --seed 7", "{\"seed\":7}", "{}" },
	{ "A=1 B='2 3' vllm bench serve --seed 7", "{\"seed\":7}", "{\"A\":\"1\",\"B\":\"2 3\"}" },
	{ "export A=1\ncd /x && vllm bench serve \\\n  --seed 7", "{\"seed\":7}", "{\"A\":\"1\"}" },
	{ "nohup /opt/v/bin/vllm bench serve --seed 7 &", "{\"seed\":7}", "{}" },
	{ "python3 -m vllm.entrypoints.cli.main bench serve --seed 7", "{\"seed\":7}", "{}" },
	{ "python -u benchmark_serving.py --seed 7", "{\"seed\":7}", "{}" },
	{ "python3 ~/vllm/benchmarks/benchmark_serving.py --seed=7", "{\"seed\":7}", "{}" },
	{ "./benchmarks/benchmark_serving.py --seed 7", "{\"seed\":7}", "{}" },
	{ "python -m vllm.benchmarks.serve --seed 7", "{\"seed\":7}", "{}" },
	{ "bash -c 'A=1 vllm bench serve --seed 7'", "{\"seed\":7}", "{\"A\":\"1\"}" },
	{ "profllm bench serve --retries 2 --stall-timeout 5s",
	  "{\"retries\":2,\"stall_timeout\":\"5s\"}", "{}" },
	/* one option, many ways */
	{ "vllm bench serve --num_prompt=7", "{\"num_prompts\":7}", "{}" },
	{ "vllm bench serve --random-input 9", "{\"random_input_len\":9}", "{}" },
	{ "vllm bench serve --request-rate inf --burstiness 1_0",
	  "{\"request_rate\":\"inf\",\"burstiness\":10.0}", "{}" },
	{ "vllm bench serve --goodput ttft:200 tpot:50 --header",
	  "{\"goodput\":[\"ttft:200\",\"tpot:50\"],\"header\":[]}", "{}" },
	{ "vllm bench serve --extra-body.a.b 2 --extra-body.stop+ x,y",
	  "{\"extra_body\":{\"a\":{\"b\":2},\"stop\":[\"x\",\"y\"]}}", "{}" },
	{ "vllm bench serve --no-self-timed --ignore-eos",
	  "{\"self_timed\":false,\"ignore_eos\":true}", "{}" },
	{ "vllm bench serve --random-mm-bucket-config '{(4, 4, 1): 1}'",
	  "{\"random_mm_bucket_config\":{\"(4, 4, 1)\":1.0}}", "{}" },
};

static void loads_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_problems problems = { 0 };
		auto_command struct vllm_command *command = parse(texts[i].text, &problems);
		auto_free char *env = pl_json_to_text(command->env, PL_JSON_COMPACT);
		if (problems.errors > 0 || command->load == NULL)
			fail_msg("%s: %s", texts[i].text, problems.items[0].found);
		assert_int_equal(command->form, VLLM_COMMAND_NONE);
		assert_load(command, texts[i].load);
		assert_string_equal(env, texts[i].env);
	}
}

/* Where it goes is said whole, as no file has a default for it. */
static void a_load_alone_has_an_address(void **state)
{
	static const struct {
		const char *args;
		const char *load;
	} cases[] = {
		{ "", "{\"host\":\"127.0.0.1\",\"port\":8000}" },
		{ "--port 9", "{\"port\":9,\"host\":\"127.0.0.1\"}" },
		{ "--base-url http://h:1", "{\"base_url\":\"http://h:1\"}" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_problems problems = { 0 };
		auto_free char *text = pl_asprintf("vllm bench serve %s", cases[i].args);
		auto_command struct vllm_command *command = parse(text, &problems);
		auto_free char *load = pl_json_to_text(command->load, PL_JSON_COMPACT);
		assert_string_equal(load, cases[i].load);
	}
}

/* What "vllm bench serve ARGS" is refused for: key, number of the word, nearest name, words. */
static const struct {
	const char *args;
	const char *key;
	size_t word;
	const char *nearest;
	const char *words;
} faults[] = {
	{ "--num-promts 2", "--num-promts", 4, "--num-prompts", "unknown option" },
	{ "--ramp 2", "--ramp", 4, NULL, "abbreviation of several flags" },
	{ "--dataset f.json", "--dataset", 4, NULL,
	  "use --dataset-name sharegpt --dataset-path FILE" },
	{ "--endpoint_type=x", "--endpoint_type", 4, NULL, "renamed to --backend" },
	{ "--sonnet-input-len 5", "--sonnet-input-len", 4, NULL, "removed in vLLM 0.32" },
	{ "--retries 2", "--retries", 4, NULL, "only 'profllm bench serve' has" },
	{ "--fail-on degraded", "--fail-on", 4, NULL, "only 'profllm bench serve' has" },
	{ "--backend opnai", "--backend", 5, "openai", "text 'opnai'" },
	{ "--backend=opnai", "--backend", 4, "openai", "text 'opnai'" },
	{ "--backend sglang", "--backend", 5, NULL, "use --backend openai" },
	{ "--seed x", "--seed", 5, NULL, "an integer from 0 to 4294967295" },
	{ "--request-rate fast", "--request-rate", 5, NULL, "text 'fast'" },
	{ "--extra-body \"{'a': 1}\"", "--extra-body", 5, NULL, "double quotes" },
	{ "--extra-body.a NaN", "--extra-body.a", 4, NULL, "not finite" },
	{ "--random-mm-bucket-config x", "--random-mm-bucket-config", 5, NULL, "(256, 256, 1)" },
	{ "--seed", "--seed", 4, NULL, "no value" },
	{ "--goodput --seed 1", "--goodput", 4, NULL, "no value" },
	{ "--save-result=yes", "--save-result", 4, NULL, "takes no value" },
	{ "--save-result True", NULL, 5, NULL, "'--save-result' alone" },
	{ "org/m", NULL, 4, NULL, "--model MODEL" },
	{ "--seed 1 --", "--", 6, NULL, "text '--'" },
	{ "--help", "--help", 4, NULL, "a request for help" },
};

static void faults_are_reported(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(faults); i++) {
		auto_problems problems = { 0 };
		auto_free char *text = pl_asprintf("vllm bench serve %s", faults[i].args);
		auto_command struct vllm_command *command = parse(text, &problems);
		const struct option_problem *found = problems.items;
		auto_buf reported = { 0 };
		pl_buf_init(&reported, 1 << 16);
		if (problems.errors != 1)
			fail_msg("%s: %zu errors", faults[i].args, problems.errors);
		option_problem_text(found, OPTION_AS_LINE, &reported);
		if (!pl_text_equal(found->key, faults[i].key))
			fail_msg("%s: key %s", faults[i].args, found->key);
		if (vllm_command_word(command, found) != faults[i].word)
			fail_msg("%s: word %d", faults[i].args, found->line);
		if (!pl_text_equal(found->nearest, faults[i].nearest))
			fail_msg("%s: nearest %s", faults[i].args, found->nearest);
		if (strstr(pl_buf_text(&reported), faults[i].words) == NULL)
			fail_msg("%s: %s", faults[i].args, pl_buf_text(&reported));
	}
}

static void all_faults_are_reported_at_once(void **state)
{
	auto_problems problems = { 0 };
	auto_command struct vllm_command *command = parse(
		"vllm bench serve --omni --backend x --run-eval 2 --num-prompts 5 --seed",
		&problems);

	(void)state;
	assert_int_equal(problems.errors, 4);
	assert_load(command, "{\"num_prompts\":5}");
}

static void warnings_do_not_refuse(void **state)
{
	static const struct {
		const char *text;
		size_t word;
	} cases[] = {
		{ "vllm bench serve --seed 1 --seed 2", 6 },
		{ "taskset -c 1 vllm bench serve", 1 },
		{ "vllm bench serve > log.txt", 3 },
		{ "vllm bench serve \xE2\x80\x93seed 2", 4 },
		{ "vllm bench serve\n--seed 1", 4 },
		{ "vllm bench serve; vllm bench serve --seed 1", 4 },
		{ "profllm bench serve --output r.json", 4 },
		{ "vllm serve m & A=1 vllm bench serve", 4 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_problems problems = { 0 };
		auto_command struct vllm_command *command = parse(cases[i].text, &problems);
		assert_int_equal(problems.errors, 0);
		if (problems.count != 1 ||
		    vllm_command_word(command, &problems.items[0]) != cases[i].word)
			fail_msg("%s: %zu problems", cases[i].text, problems.count);
		assert_non_null(command->load);
	}
}

static void values_of_headers_are_not_shown(void **state)
{
	auto_problems problems = { 0 };
	auto_command struct vllm_command *command = parse(
		"vllm bench serve --header Authorization='Bearer hidden' X=hidden "
		"--head=Y=hidden --sed 1",
		&problems);
	struct pl_err err = PL_ERR_INIT;
	auto_buf text = { 0 };
	auto_buf yaml = { 0 };

	(void)state;
	pl_buf_init(&text, 1 << 16);
	pl_buf_init(&yaml, 1 << 16);
	for (size_t i = 0; i < problems.count; i++)
		vllm_command_problem_text(command, &problems.items[i], &text);
	assert_int_equal(vllm_yaml_from_command(command, false, &yaml, &err), 0);
	assert_true(text.len > 0);
	assert_null(strstr(pl_buf_text(&text), "hidden"));
	assert_null(strstr(pl_buf_text(&yaml), "hidden"));
	assert_non_null(strstr(pl_buf_text(&yaml), "  header: [\"Y=***\"]\n"));
}

static void the_file_made_from_a_load(void **state)
{
	auto_problems problems = { 0 };
	auto_command struct vllm_command *command = parse(
		"A=1 vllm bench serve --model org/Big-7B --request-rate inf --goodput "
		"ttft:200 --extra-body '{\"a\": [1]}' --metadata x=y",
		&problems);
	struct pl_err err = PL_ERR_INIT;
	auto_buf yaml = { 0 };

	(void)state;
	pl_buf_init(&yaml, 1 << 16);
	assert_int_equal(vllm_yaml_from_command(command, true, &yaml, &err), 0);
	assert_string_equal(
		pl_buf_text(&yaml),
		"# Made from a command line; its server is already running.\nname: "
		"\"big-7b\"\nlaunch:\n  env:\n    A: \"1\"\nbenchmark:\n  model: org/Big-7B\n  "
		"request_rate: \"inf\"\n  goodput: [\"ttft:200\"]\n  extra_body:\n    a: [1]\n  "
		"metadata: [\"x=y\"]\n  host: \"127.0.0.1\"\n  port: 8000\n");
}

static void commands_in_words_and_texts(void **state)
{
	static const char *const words[] = { "vllm", "serve", "m", "&&", "vllm", "bench", "serve" };
	static const char *const quoted[] = { "vllm serve m", "vllm bench serve --seed 1" };
	const struct vllm_command_options options = { 0 };
	auto_command struct vllm_command *one = NULL;
	auto_command struct vllm_command *other = NULL;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(vllm_command_from_argv(words, PL_ARRAY_SIZE(words), &options, &one,
						&problems, &err),
			 0);
	assert_int_equal(vllm_command_from_argv(quoted, PL_ARRAY_SIZE(quoted), &options, &other,
						&problems, &err),
			 0);
	assert_int_equal(problems.count, 0);
	assert_int_equal(one->form, VLLM_COMMAND_SERVE);
	assert_int_equal(json_object_size(one->load), 0);
	assert_load(other, "{\"seed\":1}");
	assert_string_equal(json_string_value(json_object_get(other->values, "model")), "m");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_are_read),
		cmocka_unit_test(a_load_alone_has_an_address),
		cmocka_unit_test(faults_are_reported),
		cmocka_unit_test(all_faults_are_reported_at_once),
		cmocka_unit_test(warnings_do_not_refuse),
		cmocka_unit_test(values_of_headers_are_not_shown),
		cmocka_unit_test(the_file_made_from_a_load),
		cmocka_unit_test(commands_in_words_and_texts),
	};

	return cmocka_run_group_tests_name("vllm/command/load", tests, NULL, NULL);
}
