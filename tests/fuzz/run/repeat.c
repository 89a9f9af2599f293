/* A result of any bytes that is to be run again: an experiment or problems, never a crash; what was
 * asked for reads back as the same. */
#include "run/repeat.h"
#include "result/experiment.h"

#include <stdlib.h>

#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_reads_back(const struct exp_config *experiment)
{
	auto_json json_t *requested = exp_config_explicit(experiment);
	auto_experiment struct exp_config *retry = NULL;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (exp_config_read_json(vllm_catalog_reference(), requested, "again", NULL, 0, &retry,
				 &problems, &err) < 0 ||
	    problems.errors > 0)
		abort();
	auto_json json_t *twice = exp_config_explicit(retry);
	if (!json_equal(requested, twice))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	auto_json json_t *result = NULL;
	auto_problems problems = { 0 };
	auto_experiment struct exp_config *experiment = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (pl_json_parse((const char *)data, len, "fuzz", &result, &err) < 0 ||
	    res_experiment_check(result, "fuzz", &err) < 0) {
		if (err.text[0] == '\0')
			abort();
		return 0;
	}
	if (run_repeat_read(vllm_catalog_reference(), "fuzz", result, NULL, 0, &experiment,
			    &problems, &err) < 0)
		return 0;
	auto_json json_t *section = run_repeat_section(experiment, result, "0");
	if (!json_is_object(section))
		abort();
	if (problems.errors == 0)
		check_reads_back(experiment);
	return 0;
}
