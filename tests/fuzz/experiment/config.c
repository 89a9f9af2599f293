/* An experiment file and one --set of any bytes: answers, never a crash; what it takes reads
 * back. */
#include "experiment/config.h"

#include <stdlib.h>
#include <string.h>

#include "../../config_text.h"
#include "base/mem.h"
#include "vllm/server_args.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_taken(const struct exp_config *experiment)
{
	auto_json json_t *json = exp_config_to_json(experiment);
	auto_free char *text = pl_json_to_text(json, PL_JSON_COMPACT);
	auto_json json_t *argv = json_array();
	auto_json json_t *env = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (text == NULL)
		abort();
	if (vllm_args_to_argv(vllm_catalog_reference(), experiment->server, argv, &env, &err) < 0 &&
	    err.text[0] == '\0')
		abort();
}

/* The first line may be a --set: "#set a.b=v". */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	auto_free char *text = pl_strndup(len > 0 ? (const char *)data : "", len);
	size_t line = strcspn(text, "\n");
	auto_free char *set = strncmp(text, "#set ", 5) == 0 ? pl_strndup(text + 5, line - 5)
							     : NULL;
	const char *sets[] = { set };
	auto_problems problems = { 0 };
	auto_experiment struct exp_config *experiment = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_buf lines = { 0 };

	pl_buf_init(&lines, 1 << 20);
	int rc = config_text_parse(vllm_catalog_reference(), (const char *)data, len, "fuzz", sets,
				   set != NULL, &experiment, &problems, &err);
	if ((rc == 0) != (experiment != NULL) || (rc < 0 && err.text[0] == '\0'))
		abort();
	for (size_t i = 0; i < problems.count; i++)
		option_problem_text(&problems.items[i], OPTION_AS_FILE, &lines);
	if (lines.len > 0 && memchr(lines.data, '\n', lines.len) != NULL)
		abort();
	if (experiment != NULL)
		check_taken(experiment);
	return 0;
}
