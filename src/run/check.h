/*
 * The checks of an experiment (experiment/check.h) with the facts of this host: the installed release and the GPUs. And
 * checks of the host itself: files, directories, libraries.
 */
#pragma once

#include "experiment/check.h"
#include "run/target_release.h"

struct run_check {
	struct run_release release;
	struct exp_checked checked;
};

void run_check_done(struct run_check *check);
#define auto_check __attribute__((cleanup(run_check_done), unused)) struct run_check

/*
 * Reads a file or a result (run/repeat.h) like exp_config_read(). If the file and the sets name no release, uses the
 * installed one. `catalog` is one of the reference release.
 */
int run_check_read(const struct vllm_catalog *catalog, const char *path, const char *const *sets,
		   size_t set_count, struct exp_config **ret, struct option_problems *problems,
		   struct pl_err *err) PL_MUST_CHECK;
/* The same for a text, as exp_config_read_text(). */
int run_check_read_text(const struct vllm_catalog *catalog, const char *text, size_t len,
			const char *source, const char *const *sets, size_t set_count,
			struct exp_config **ret, struct option_problems *problems,
			struct pl_err *err) PL_MUST_CHECK;

/*
 * As exp_check(), with the facts of this host. Only the version of options->target is used; NULL: the one in the file,
 * or the installed one. No hardware: that of the host. `ret` starts as { 0 }.
 */
void run_check_server(const struct exp_config *experiment, const struct exp_check_options *options,
		      struct run_check *ret, struct option_problems *problems);

/*
 * Determines the hardware that run_check_server() uses if none is given, for callers that check many experiments of one
 * server: the GPUs that it may get here. Returns false if nothing is known about them.
 */
bool run_check_hardware(const struct exp_config *experiment, struct ckpt_hardware *ret);

/*
 * Checks for causes that would end the run before it begins although the experiment is valid: an unreadable dataset, an
 * unwritable result, a missing library. Call it if the checks found no error.
 */
void run_check_host(const struct exp_config *experiment, struct option_problems *problems);
/* The same for the path of the result, as run_flat_check_apart(). */
void run_check_output(const struct exp_config *experiment, const char *output, bool names_of_vllm,
		      struct option_problems *problems);
/* Warns about artifacts at the names that a run with this output uses, as run_paths_check_free(). */
void run_check_artifacts(const char *output, struct option_problems *problems);
