/*
 * Reporting of problems by the checks of an experiment: at the location where the key was set, or
 * without one.
 */
#pragma once

#include "experiment/check.h"

/* One experiment being checked. */
struct exp_checker {
	const struct exp_config *experiment;
	const struct vllm_bench *bench; /* of the experiment */
	/* NULL: only checks that need nothing but the experiment */
	const struct exp_check_options *options;
	struct exp_checked *checked;
	struct vllm_rule_env env;
	json_t *refused; /* object: arguments whose values the reader rejected */
	struct option_problems *problems;
};

/* Returns whether the key was already rejected: problems that follow from it are not reported. */
bool exp_is_refused(const struct exp_checker *c, const char *key);
/* Reports an error at the key. */
void exp_refuse(struct exp_checker *c, const char *key, const char *found, const char *expected);
/* The same with the number or the text that was found. */
void exp_refuse_number(struct exp_checker *c, const char *key, int64_t found, const char *expected);
void exp_refuse_text(struct exp_checker *c, const char *key, const char *found,
		     const char *expected);
/* Report an error or a warning that consists only of the reason. */
void exp_refuse_for(struct exp_checker *c, const char *key, const char *reason);
void exp_warn_for(struct exp_checker *c, const char *key, const char *reason);
