/*
 * What a run leaves in vLLM's words beside its own result: the flat result, where save_result or
 * append_result ask for it, and lines on failed requests.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

struct res_flat_input;
struct run_paths;
struct run_state;
struct vllm_bench;

/* Into settings->failures, where they are wanted and some request failed. */
void run_failure_lines(const struct run_state *run);
/* What vLLM's flat result of the run is made from; it has an outcome. Everything is borrowed. */
void run_flat_input(const struct run_state *run, const json_t *document,
		    struct res_flat_input *ret);
/* A name that the experiment gives it (result_filename) may be an earlier run's; `bench serve` writes
 * over that as vLLM does. */
int run_flat_check_standing(const struct run_state *run, struct pl_err *err) PL_MUST_CHECK;
/* Do vLLM's files, by a name of their own, meet the run's? Each would be written over by the other.
 * names_of_vllm: as in run/run.h. */
int run_flat_check_apart(const struct vllm_bench *bench, const struct run_paths *paths,
			 bool names_of_vllm, struct pl_err *err) PL_MUST_CHECK;
/* benchmark.result_filename with the run's id in it, where the file of that name tells more than this
 * run, which measured something; NULL: it may have the name. The caller's (free()). */
char *run_flat_name_beside(const struct run_state *run);
/* Writes it where it is asked for; *ret_path tells where (free()). One that tells more than this
 * (result/standing.h) stays, and this goes beside it. */
int run_flat_result(const struct run_state *run, const json_t *document, char **ret_path,
		    struct pl_err *err) PL_MUST_CHECK;
