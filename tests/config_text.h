/* Experiments as texts of tests, which have to be free of errors. */
#pragma once

#include "experiment/config.h"
#include "option/problem.h"

/* Sets err to the first error; returns 0 if there is none. */
static inline int config_text_error(const struct option_problems *problems, struct pl_err *err)
{
	auto_buf text = { 0 };

	pl_buf_init(&text, sizeof(err->text));
	for (size_t i = 0; i < problems->count; i++) {
		if (problems->items[i].severity != OPTION_ERROR)
			continue;
		option_problem_text(&problems->items[i], OPTION_AS_FILE, &text);
		return pl_err_invalid(err, "%s", pl_buf_text(&text));
	}
	return 0;
}

/* As exp_config_read_text(), but returns -1 with the first problem if there are errors. */
static inline int config_text_parse(const struct vllm_catalog *catalog, const char *text,
				    size_t len, const char *source, const char *const *sets,
				    size_t set_count, struct exp_config **ret,
				    struct option_problems *problems, struct pl_err *err)
{
	auto_experiment struct exp_config *experiment = NULL;

	if (exp_config_read_text(catalog, text, len, source, sets, set_count, &experiment, problems,
				 err) < 0)
		return -1;
	if (problems->errors > 0)
		return config_text_error(problems, err);
	*ret = pl_take(experiment);
	return 0;
}
