/*
 * The output of a run in vLLM's formats: the flat result, if save_result or append_result request it, and lines on
 * failed requests.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

struct res_flat_input;
struct run_paths;
struct run_state;
struct vllm_bench;

/* Sets settings->failures if it is requested and a request failed. */
void run_failure_lines(const struct run_state *run);
/* Collects the input of vLLM's flat result of a run with an outcome. Everything is borrowed. */
void run_flat_input(const struct run_state *run, const json_t *document,
		    struct res_flat_input *ret);
/*
 * Checks the names that the experiment specifies (result_filename, output_json), which may exist from an earlier run;
 * `bench` overwrites them as vLLM does, but output_json only if it is a result.
 */
int run_flat_check_existing(const struct run_state *run, struct pl_err *err) PL_MUST_CHECK;
/*
 * Checks that vLLM's files with names of their own do not collide with the run's: one would overwrite the other.
 * names_of_vllm: as in run/run.h.
 */
int run_flat_check_apart(const struct vllm_bench *bench, const struct run_paths *paths,
			 bool names_of_vllm, struct pl_err *err) PL_MUST_CHECK;
/*
 * Returns benchmark.result_filename with the run id in it, if the existing file is more complete than this run, which
 * has measurements; NULL: use the name itself. free()
 */
char *run_flat_alternative_name(const struct run_state *run);
/*
 * Writes the flat result if it is requested; *ret_path is its path (free()). A more complete file (result/existing.h)
 * stays, and this one gets the run id in its name.
 */
int run_flat_result(const struct run_state *run, const json_t *document, char **ret_path,
		    struct pl_err *err) PL_MUST_CHECK;
