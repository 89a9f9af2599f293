/*
 * How a check of an experiment tells what it found: at the place where the key was set, or, where it
 * was not, without one.
 */
#pragma once

#include "experiment/check.h"

/* One experiment being checked. */
struct exp_checker {
	const struct exp_config *experiment;
	const struct vllm_bench *bench;          /* the experiment's */
	const struct exp_check_options *options; /* NULL: the rows that ask the experiment alone */
	struct exp_checked *checked;
	struct vllm_rule_env env;
	json_t *refused; /* object: arguments whose values the reader did not take */
	struct option_problems *problems;
};

/* Was the key refused already? What is missing for that reason is not missed a second time. */
bool exp_is_refused(const struct exp_checker *c, const char *key);
/* An error at the key. */
void exp_refuse(struct exp_checker *c, const char *key, const char *found, const char *expected);
/* The same with the number or the text that was found. */
void exp_refuse_number(struct exp_checker *c, const char *key, int64_t found, const char *expected);
void exp_refuse_text(struct exp_checker *c, const char *key, const char *found,
		     const char *expected);
/* An error, or a warning, of which only the reason is told. */
void exp_refuse_for(struct exp_checker *c, const char *key, const char *reason);
void exp_warn_for(struct exp_checker *c, const char *key, const char *reason);
