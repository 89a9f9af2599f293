/*
 * The checks of an experiment, one list (tbl/experiment_checks.h): `validate`, `run` and `bench
 * serve` ask the same questions here. What is known of the host is given; nothing is looked for.
 */
#pragma once

#include "checkpoint/facts.h"
#include "checkpoint/hardware.h"
#include "checkpoint/memory/memory.h"
#include "experiment/config.h"
#include "vllm/rules.h"

struct exp_check_options {
	struct vllm_target target;            /* the release that is meant */
	const struct ckpt_hardware *hardware; /* NULL: nothing is known of the GPUs */
	int64_t available_bytes;              /* of one GPU, for the KV cache; 0: not given */
	bool strict;                          /* warnings become errors */
	bool is_command; /* a command line that was pasted, which is not run here */
	bool allow_gone; /* what the target no longer has is passed on, with a warning */
	bool runs;       /* it is to run now: what this version cannot do is an error */
};

struct exp_checked {
	struct ckpt_facts *facts;
	struct ckpt_memory memory;
};

/* The rows that ask the experiment alone; exp_config_read() has gone through them. */
void exp_check_alone(const struct exp_config *experiment, struct option_problems *problems);
/*
 * The others. Adds what is found to `problems`, those of the reader included: what it refused is
 * not among the values, and rules that ask for such a value are silent; then puts all in the order
 * of the file. `ret` starts as { 0 }.
 */
void exp_check(const struct exp_config *experiment, const struct exp_check_options *options,
	       struct exp_checked *ret, struct option_problems *problems);
void exp_checked_done(struct exp_checked *checked);

/* The errors that `run --force` does not pass over: values that were refused, and firm rows. */
size_t exp_check_firm(const struct option_problems *problems);
/* Does this version only not have it yet? */
bool exp_problem_is_later(const struct option_problem *problem);

/* Adds a problem at the place of its key; where the key was not set, at that of `anchor` (or NULL). */
void exp_problem_add(const struct exp_config *experiment, const char *anchor,
		     struct option_problems *problems, const struct option_problem *problem);
/* The same of one told in place, by its members. */
#define exp_problem_tell(experiment, anchor, problems, ...) \
	exp_problem_add(experiment, anchor, problems, &(struct option_problem){ __VA_ARGS__ })
