/*
 * The catalogue of vLLM's server arguments: the rows of tbl/engine_args.h, or those with another
 * vLLM's laid over them. A handle, as a process may know several at once.
 *
 * - The reference release's is constant and there until the end; others are their maker's, and what
 *   was found in one is gone with it. Nothing changes one: any thread may read it.
 * - An overlay is a JSON file
 *
 *     {"profllm_overlay": 1, "args": [{"name": "new_flag", "type": "int", "default": 3}, …]}
 *
 *   of entries with the keys of vllm_arg_to_json(). An entry replaces what it says of the argument
 *   of its name, or adds one; what it leaves out stays, or is what a plain `--name VALUE` has.
 */
#ifndef VLLM_CATALOG_H
#define VLLM_CATALOG_H

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "option/row.h"

#include <stddef.h>

/* The vLLM release that defaults, choices and `gone` are read from. */
#define VLLM_REFERENCE_RELEASE "0.32.0"

struct vllm_catalog;

const struct vllm_catalog *vllm_catalog_reference(void);
/* That one in place of NULL. */
const struct vllm_catalog *vllm_catalog_or_reference(const struct vllm_catalog *catalog);
/* One with an overlay over it, which it borrows; `source` is the document's name in messages. */
int vllm_catalog_overlay(const struct vllm_catalog *base, const json_t *overlay, const char *source,
			 const struct vllm_catalog **ret, struct pl_err *err) PL_MUST_CHECK;
int vllm_catalog_overlay_file(const struct vllm_catalog *base, const char *path,
			      const struct vllm_catalog **ret, struct pl_err *err) PL_MUST_CHECK;
/* Names of the arguments that overlays added or changed (borrowed); NULL: there is none. */
const json_t *vllm_catalog_overlaid(const struct vllm_catalog *catalog);
/* Does nothing to the reference release's. */
void vllm_catalog_free(const struct vllm_catalog *catalog);
PL_AUTO_DEFINE(const struct vllm_catalog, vllm_catalog_free);
#define auto_catalog PL_AUTO(vllm_catalog_free)

size_t vllm_arg_count(const struct vllm_catalog *catalog);
const struct option_row *vllm_arg_at(const struct vllm_catalog *catalog, size_t i);
/* By name in snake_case or kebab-case, or by a long alias; NULL. */
const struct option_row *vllm_arg_find(const struct vllm_catalog *catalog, const char *name);
/* Also knows short aliases ("tp"). NULL: none is near. */
const char *vllm_arg_nearest(const struct vllm_catalog *catalog, const char *name);
/* The argument whose negative flag is "--no-x", given "no_x" or "no-x"; NULL. */
const struct option_row *vllm_arg_find_negative(const struct vllm_catalog *catalog,
						const char *name);
/* The keys of JSON arguments, each behind the object that it stands in: of every catalogue. */
size_t vllm_field_count(void);
const struct option_row *vllm_field_at(size_t i);

#endif
