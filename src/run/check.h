/*
 * The checks of an experiment (experiment/check.h) with what this host knows: the release that is
 * installed, the GPUs; and what only the host can say of a run: files, folders, libraries.
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
 * exp_config_read() of a file or a result (run/repeat.h), with the release in mind: where the file and
 * the sets name none, the installed one. `catalog` is one of the reference release.
 */
int run_check_read(const struct vllm_catalog *catalog, const char *path, const char *const *sets,
		   size_t set_count, struct exp_config **ret, struct option_problems *problems,
		   struct pl_err *err) PL_MUST_CHECK;
/* The same of a text, as exp_config_read_text(). */
int run_check_read_text(const struct vllm_catalog *catalog, const char *text, size_t len,
			const char *source, const char *const *sets, size_t set_count,
			struct exp_config **ret, struct option_problems *problems,
			struct pl_err *err) PL_MUST_CHECK;

/*
 * As exp_check(), with what this host knows. Of options->target the version alone counts; NULL: what
 * the file says, or what is installed. No hardware: the host's. `ret` starts as { 0 }.
 */
void run_check_server(const struct exp_config *experiment, const struct exp_check_options *options,
		      struct run_check *ret, struct option_problems *problems);

/*
 * What run_check_server() looks for where no hardware is given, for who checks many experiments of one
 * server: the GPUs that it may get here. False: nothing is known of them.
 */
bool run_check_hardware(const struct exp_config *experiment, struct ckpt_hardware *ret);

/*
 * What would end the run before it begins though the experiment is right: a data set that cannot be
 * read, a result that cannot be written, a library that is not here. To be called where the checks
 * found no error.
 */
void run_check_host(const struct exp_config *experiment, struct option_problems *problems);
/* The same of the result's path, as run_flat_check_apart(). */
void run_check_output(const struct exp_config *experiment, const char *output, bool names_of_vllm,
		      struct option_problems *problems);
/* Warns about artifacts at the names that a run with this output uses, as run_paths_check_free(). */
void run_check_artifacts(const char *output, struct option_problems *problems);
