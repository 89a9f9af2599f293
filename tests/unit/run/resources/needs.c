#include "run/resources/needs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "config_text.h"

#define HOST_GPUS 3 /* of another host, so that this one's do not matter */

static void an_experiment_wishes_what_it_says(void **state)
{
	static const struct {
		const char *launch, *server;
		size_t gpus;
		bool names_gpus;
		const char *alone;
	} cases[] = {
		{ "gpus: auto", "tensor_parallel_size: 1", 1, false, "[]" },
		{ "gpus: auto", "tensor_parallel_size: 2, pipeline_parallel_size: 2", 4, false,
		  "[]" },
		{ "gpus: all", "tensor_parallel_size: 1", HOST_GPUS, false, "[]" },
		{ "gpus: []", "tensor_parallel_size: 2", 0, false, "[]" },
		{ "gpus: ['1', GPU-abc]", "tensor_parallel_size: 2", 0, true,
		  "[\"gpu 1\",\"gpu GPU-abc\"]" },
		{ "gpus: auto, platform: cpu", "tensor_parallel_size: 2", 0, false, "[]" },
		{ "gpus: auto, port: 8123", "tensor_parallel_size: 1", 1, false,
		  "[\"port 8123\"]" },
		{ "gpus: all", "uds: /tmp/s", HOST_GPUS, false, "[\"socket /tmp/s\"]" },
		{ "gpus: all, url: 'http://127.0.0.1:8000'", "tensor_parallel_size: 1", 0, false,
		  "[\"server that runs\"]" },
	};
	auto_gpu_survey struct run_gpu_survey *survey = run_gpu_survey_new(HOST_GPUS);

	(void)state;
	assert_int_equal(run_gpu_survey_count(survey), HOST_GPUS);
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *text = pl_asprintf("launch: {%s}\nserver: {%s}\n", cases[i].launch,
						   cases[i].server);
		auto_experiment struct exp_config *experiment = NULL;
		auto_problems problems = { 0 };
		struct pl_err err = PL_ERR_INIT;
		struct run_needs needs;

		assert_int_equal(config_text_parse(vllm_catalog_reference(), text, strlen(text),
						   "e.yaml", NULL, 0, &experiment, &problems, &err),
				 0);
		run_needs(survey, experiment, &needs);
		auto_free char *alone = pl_json_to_text(needs.alone, PL_JSON_COMPACT);
		assert_int_equal(needs.gpus, cases[i].gpus);
		assert_int_equal(needs.names_gpus, cases[i].names_gpus);
		assert_string_equal(alone, cases[i].alone);
		run_needs_done(&needs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_experiment_wishes_what_it_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
