/*
 * A result that is run again: `run --config r.json`. Its config.experiment is the experiment file;
 * what was drawn or found out by the first run is asked for once more:
 *
 *	seed, request ids      as the first run had them
 *	release                launch.vllm_version, where the file names none
 *	data set               a file with another SHA-256 is an error
 *	secrets                "***" has to be given: by --set, or by the environment; what the user
 *	                       wrote with these characters in it is his text
 *	host, engine, prompts  what differs is said, and kept in environment.repeat_of
 *
 * A --set counts more than any of them.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "experiment/config.h"

/*
 * *ret: the result at `path`, also within vLLM's flat one; NULL: what is there is none. -1: a result
 * that does not tell what was asked for (of schema version 1), or one of a later version.
 */
int run_repeat_find(const char *path, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* The same of one that was read: 0, or -1. */
int run_repeat_check(const json_t *result, const char *path, struct pl_err *err) PL_MUST_CHECK;
/* The experiment of such a result, with `sets` over it. As exp_config_read(). */
int run_repeat_read(const struct vllm_catalog *catalog, const char *path, json_t *result,
		    const char *const *sets, size_t set_count, struct exp_config **ret,
		    struct option_problems *problems, struct pl_err *err) PL_MUST_CHECK;
/* Of an experiment that repeats one: is its file the same? -1 with both hashes. */
int run_repeat_check_dataset(const struct exp_config *experiment, struct pl_err *err) PL_MUST_CHECK;

/*
 * environment.repeat_of: the first run and what is not as it was there. environment: of this run, as
 * far as it is known; dataset_sha256: of its prompts, NULL: not known yet. NULL: this run repeats none.
 * New reference.
 */
json_t *run_repeat_section(const struct exp_config *experiment, const json_t *environment,
			   const char *dataset_sha256);
/* Says the differences behind the first `said`, one line each; how many there are now. */
size_t run_repeat_warn(const json_t *section, size_t said);
