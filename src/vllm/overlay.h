/*
 * Server arguments of another vLLM than the reference release, laid over the table: a JSON file
 *
 *   {"profllm_overlay": 1, "args": [{"name": "new_flag", "type": "int", "default": 3}, …]}
 *
 * of entries with the keys of vllm_arg_to_json(). An entry replaces what it says of the argument of
 * its name, or adds one; what it leaves out stays, or is what a plain `--name VALUE` has.
 */
#ifndef VLLM_OVERLAY_H
#define VLLM_OVERLAY_H

#include "base/err.h"
#include "base/json.h"

/*
 * Lets the file's entries count from now on, over those of earlier calls. Once, at start-up,
 * before anything keeps a row of the table: vllm_arg_at() and friends give other rows afterwards.
 */
int vllm_overlay_use_file(const char *path, struct pl_err *err) PL_MUST_CHECK;
/* The same of a document; `source` is its name in messages. */
int vllm_overlay_use(const json_t *overlay, const char *source, struct pl_err *err) PL_MUST_CHECK;
/* Names of the arguments that overlays added or changed (borrowed); NULL where none is in use. */
const json_t *vllm_overlay_names(void);
/* The reference release's table again. */
void vllm_overlay_drop(void);

#endif
