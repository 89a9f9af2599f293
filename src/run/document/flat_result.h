/*
 * What a run leaves in vLLM's words beside its own result: the flat result, where save_result or
 * append_result ask for it, and lines on failed requests.
 */
#ifndef RUN_DOCUMENT_FLAT_RESULT_H
#define RUN_DOCUMENT_FLAT_RESULT_H

#include "base/err.h"
#include "base/json.h"

struct res_flat_input;
struct run_state;

/* Into settings->failures, where they are wanted and some request failed. */
void run_failure_lines(const struct run_state *run);
/* What vLLM's flat result of the run is made from; it has an outcome. Everything is borrowed. */
void run_flat_input(const struct run_state *run, const json_t *document,
		    struct res_flat_input *ret);
/* Writes it where it is asked for; *ret_path tells where (free()). */
int run_flat_result(const struct run_state *run, const json_t *document, char **ret_path,
		    struct pl_err *err) PL_MUST_CHECK;

#endif
