/*
 * The checks of an experiment, one list (tbl/experiment_checks.h), used by `validate`, `run` and
 * `bench serve`. Facts about the host are passed in; nothing is probed.
 */
#pragma once

#include "checkpoint/facts.h"
#include "checkpoint/hardware.h"
#include "checkpoint/memory/memory.h"
#include "experiment/config.h"
#include "vllm/rules.h"

struct exp_check_options {
	struct vllm_target target;            /* the target release */
	const struct ckpt_hardware *hardware; /* NULL: the GPUs are unknown */
	int64_t available_bytes;              /* of one GPU, for the KV cache; 0: unknown */
	bool strict;                          /* warnings become errors */
	bool is_command;                      /* a pasted command line, which is not run here */
	bool allow_removed; /* pass on arguments that the target has removed, with a warning */
	bool runs;          /* it is about to run: features that this version lacks are errors */
};

struct exp_checked {
	struct ckpt_facts *facts;
	struct ckpt_memory memory;
};

/* Runs the checks that need only the experiment; exp_config_read() has run them. */
void exp_check_alone(const struct exp_config *experiment, struct option_problems *problems);
/*
 * Runs the other checks. Adds problems to `problems`, which includes those of the reader: values
 * that it rejected are missing, and rules that need such a value are skipped. Then sorts all of
 * them in the order of the file. `ret` starts as { 0 }.
 */
void exp_check(const struct exp_config *experiment, const struct exp_check_options *options,
	       struct exp_checked *ret, struct option_problems *problems);
void exp_checked_done(struct exp_checked *checked);

/*
 * Counts the errors that `run --force` does not ignore: rejected values, and checks marked as firm.
 */
size_t exp_check_firm(const struct option_problems *problems);
/* Returns whether the problem is only that this version lacks the feature. */
bool exp_problem_is_later(const struct option_problem *problem);

/* Adds a problem at the location of its key, or, if the key was not set, of `anchor` (or NULL). */
void exp_problem_add(const struct exp_config *experiment, const char *anchor,
		     struct option_problems *problems, const struct option_problem *problem);
/* The same with the members of a problem as arguments. */
#define exp_problem_report(experiment, anchor, problems, ...) \
	exp_problem_add(experiment, anchor, problems, &(struct option_problem){ __VA_ARGS__ })
