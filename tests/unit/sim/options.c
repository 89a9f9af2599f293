/* The command line: what is read, what is let through, what is refused. */
#include "sim/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WORDS_MAX 60

static int parse(const char *line, struct sim_options *options, enum sim_action *action,
		 struct pl_err *err)
{
	static char words[512];
	char *argv[WORDS_MAX + 1] = { NULL };
	int argc = 0;

	strcpy(words, line);
	for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
		argv[argc++] = word;
	return sim_options_parse(argc, argv, options, action, err);
}

static void test_sim_options__vllm_arguments(void **state)
{
	struct sim_options options;
	struct pl_err err = PL_ERR_INIT;
	enum sim_action action;

	(void)state;
	unsetenv("VLLM_API_KEY");
	assert_int_equal(parse("profllm-sim serve org/model --port=8123 --max-model-len 2k "
			       "--no-enable-prefix-caching --enforce_eager --dtype bfloat16 -tp 2 "
			       "--compilation-config.mode 3 -O2 --no-enable-expert-parallel "
			       "--served-model-name a b --max_num_seqs 7 --api-key top-secret "
			       "--cudagraph-capture-sizes 1 2 4 --sim-step 30ms --sim-speed 2",
			       &options, &action, &err),
			 0);
	assert_int_equal(action, SIM_SERVE);
	assert_string_equal(options.model, "org/model");
	assert_int_equal(options.port, 8123);
	assert_int_equal(options.max_model_len, 2000);
	assert_int_equal(options.max_num_seqs, 7);
	assert_int_equal(options.tensor_parallel, 2);
	assert_false(options.prefix_caching);
	assert_int_equal(options.name_count, 2);
	assert_string_equal(options.names[1], "b");
	assert_int_equal(options.step_ns, 30000000);
	assert_string_equal(options.api_key, "top-secret");
	auto_free char *given = pl_json_to_text(options.given, PL_JSON_COMPACT);
	assert_null(strstr(given, "top-secret"));
	assert_non_null(strstr(given, "\"enforce_eager\":true"));
	sim_options_done(&options);
}

/* Flags that take no value today took one before 0.8.5. */
static void test_sim_options__older_spelling(void **state)
{
	struct sim_options options;
	struct pl_err err = PL_ERR_INIT;
	enum sim_action action;

	(void)state;
	assert_int_equal(parse("profllm-sim serve m --enable-chunked-prefill False "
			       "--use-v2-block-manager --max-seq_len-to-capture 5",
			       &options, &action, &err),
			 0);
	assert_false(options.chunked_prefill);
	sim_options_done(&options);
	assert_int_equal(parse("profllm-sim serve m --enable-chunked-prefill maybe", &options,
			       &action, &err),
			 -1);
	sim_options_done(&options);
}

static void test_sim_options__defaults(void **state)
{
	struct sim_options options;
	struct pl_err err = PL_ERR_INIT;
	enum sim_action action;

	(void)state;
	setenv("VLLM_API_KEY", "from-the-environment", 1);
	assert_int_equal(parse("profllm-sim serve --model x-70B", &options, &action, &err), 0);
	unsetenv("VLLM_API_KEY");
	assert_string_equal(options.names[0], "x-70B");
	assert_int_equal(options.tensor_parallel, 4);
	assert_int_equal(options.port, 8000);
	assert_string_equal(options.api_key, "from-the-environment");
	sim_options_done(&options);
	assert_int_equal(parse("profllm-sim --help", &options, &action, &err), 0);
	assert_int_equal(action, SIM_HELP);
	sim_options_done(&options);
	assert_int_equal(parse("profllm-sim --version", &options, &action, &err), 0);
	assert_int_equal(action, SIM_VERSION);
	sim_options_done(&options);
	assert_int_equal(parse("profllm-sim help --man", &options, &action, &err), 0);
	assert_int_equal(action, SIM_MAN);
	sim_options_done(&options);
}

static void test_sim_options__refused(void **state)
{
	static const struct {
		const char *line;
		const char *text;
	} cases[] = {
		{ "profllm-sim", "the first argument must be 'serve'" },
		{ "profllm-sim help", "the first argument must be 'serve'" },
		{ "profllm-sim bench x", "the first argument must be 'serve'" },
		{ "profllm-sim serve", "the following arguments are required: model" },
		{ "profllm-sim serve m --sim-stepp 3ms", "unrecognized arguments: --sim-stepp" },
		{ "profllm-sim serve m --port", "argument --port: expected one argument" },
		{ "profllm-sim serve m --port 70000", "argument --port: invalid value: '70000'" },
		{ "profllm-sim serve m --sim-step soon",
		  "argument --sim-step: invalid value: 'soon'" },
		{ "profllm-sim serve m --sim-profile x", "argument --sim-profile: no profile 'x'" },
		{ "profllm-sim serve m --tensor-paralel-size 2",
		  "unrecognized arguments: --tensor-paralel-size" },
		{ "profllm-sim serve m --enforce-eager n", "unrecognized arguments: n" },
		{ "profllm-sim serve m n", "unrecognized arguments: n" },
	};
	struct sim_options options;
	enum sim_action action;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct pl_err err = PL_ERR_INIT;

		assert_int_equal(parse(cases[i].line, &options, &action, &err), -1);
		assert_string_equal(err.text, cases[i].text);
		sim_options_done(&options);
	}
}

static void test_sim_options__faults(void **state)
{
	struct sim_options options;
	struct pl_err err = PL_ERR_INIT;
	enum sim_action action;

	(void)state;
	assert_int_equal(
		parse("profllm-sim serve m --sim-start-delay 2s --sim-fail-start killed "
		      "--sim-error-rate=0.25 --sim-error-status 429 --sim-wrong-usage -3 "
		      "--sim-no-usage --sim-no-finish --sim-crash-after 5 --sim-crash-signal KILL "
		      "--sim-event-form crlf --sim-metrics-fault gone --sim-unhealthy 5ms "
		      "--sim-no-chat-template",
		      &options, &action, &err),
		0);
	assert_int_equal(options.startup_ns, 2000000000);
	assert_int_equal(options.faults.fail_start, SIM_FAILURE_KILLED);
	assert_float_equal(options.faults.rates[SIM_FAULT_ERROR], 0.25, 0);
	assert_int_equal(options.faults.error_status, 429);
	assert_int_equal(options.faults.wrong_usage, -3);
	assert_true(options.faults.no_usage);
	assert_true(options.faults.no_finish);
	assert_int_equal(options.faults.crash_after, 5);
	assert_int_equal(options.faults.crash_signal, 9);
	assert_int_equal(options.faults.event_form, SIM_FORM_CRLF);
	assert_int_equal(options.faults.metrics, SIM_METRICS_GONE);
	assert_int_equal(options.faults.unhealthy_ns, 5000000);
	assert_true(options.no_chat_template);
	assert_int_equal(options.faults.hang_after, -1);
	sim_options_done(&options);
}

static void test_sim_options__wrong_faults(void **state)
{
	static const char *const wrong[] = {
		"--sim-error-rate 1.5",      "--sim-error-rate -0.1",   "--sim-error-status 200",
		"--sim-fail-start nothing",  "--sim-crash-signal NOPE", "--sim-event-form xml",
		"--sim-metrics-fault wrong", "--sim-merge 0",           "--sim-cut 0",
		"--sim-crash-after -1",      "--sim-close-after never", "--sim-unhealthy soon",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct sim_options options;
		struct pl_err err = PL_ERR_INIT;
		enum sim_action action;
		char line[128] = "profllm-sim serve m ";

		strcat(line, wrong[i]);
		assert_int_equal(parse(line, &options, &action, &err), -1);
		assert_non_null(strstr(err.text, "argument --sim-"));
		sim_options_done(&options);
	}
}

static void test_sim_options__help_names_each(void **state)
{
	auto_buf help = { 0 };

	(void)state;
	pl_buf_init(&help, 1u << 16);
	sim_options_help(&help);
	assert_non_null(strstr(help.data, "--sim-step DURATION"));
	assert_non_null(strstr(help.data, "--max-num-batched-tokens"));
	assert_non_null(strstr(help.data, "llama-3-70b-h100-tp4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sim_options__vllm_arguments),
		cmocka_unit_test(test_sim_options__defaults),
		cmocka_unit_test(test_sim_options__older_spelling),
		cmocka_unit_test(test_sim_options__refused),
		cmocka_unit_test(test_sim_options__faults),
		cmocka_unit_test(test_sim_options__wrong_faults),
		cmocka_unit_test(test_sim_options__help_names_each),
	};

	return cmocka_run_group_tests_name("test_sim_options", tests, NULL, NULL);
}
