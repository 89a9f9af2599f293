/*
 * Repeats a result: `run --config r.json`. Its config.experiment is the experiment file. Values that the first run drew
 * or found are reused:
 *
 *	seed, request ids       those of the first run
 *	release                 launch.vllm_version, if the file names none
 *	dataset                 a file with another SHA-256 is an error
 *	secrets                 "***" must be replaced: by --set, or by the environment; other
 *	                        text with these characters is the user's
 *	host, engine, prompts   differences are reported and stored in environment.repeat_of
 *
 * --set takes precedence over all of them.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "experiment/config.h"

/*
 * *ret: the result at `path`, also inside vLLM's flat one; NULL: the file is not a result. Returns -1 for a result that
 * does not contain its experiment (schema version 1), or of a later version.
 */
int run_repeat_find(const char *path, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* Reads the experiment of such a result and applies `sets`. As exp_config_read(). */
int run_repeat_read(const struct vllm_catalog *catalog, const char *path, json_t *result,
		    const char *const *sets, size_t set_count, struct exp_config **ret,
		    struct option_problems *problems, struct pl_err *err) PL_MUST_CHECK;
/* Checks that the dataset file of a repeated experiment is unchanged. Returns -1 with both hashes. */
int run_repeat_check_dataset(const struct exp_config *experiment, struct pl_err *err) PL_MUST_CHECK;

/*
 * Returns environment.repeat_of: the first run, and the differences from it. environment: of this run, as far as known;
 * dataset_sha256: of its prompts, NULL: not known yet. NULL: this run repeats none. New reference.
 */
json_t *run_repeat_section(const struct exp_config *experiment, const json_t *environment,
			   const char *dataset_sha256);
/* Prints the differences after the first `said`, one per line. Returns their total number. */
size_t run_repeat_warn(const json_t *section, size_t reported);
