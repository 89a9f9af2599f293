/*
 * The catalogue of vLLM's server arguments in a release: the rows of tbl/engine_args.h with what the
 * history says of that release (vllm/history.h), or those with another vLLM's laid over them. A
 * handle, as a process may know several at once.
 *
 * - The reference release's is constant and there until the end; one with an overlay is its maker's,
 *   and what was found in it is gone with it. Those of other releases are made when they are asked
 *   for first and live as long as the one that they were asked of. Nothing changes one: any thread
 *   may read it.
 * - Each has a row for every argument that any release has; `absent` where its own does not. Such a
 *   row is as in the nearest release that has it. The same with the keys of objects.
 * - An overlay is a JSON file
 *
 *     {"profllm_overlay": 1, "args": [{"name": "new_flag", "type": "int", "default": 3}, …]}
 *
 *   of entries with the keys of vllm_arg_to_json(). An entry replaces what it says of the argument
 *   of its name, or adds one; what it leaves out stays, or is what a plain `--name VALUE` has.
 *   One that lists the opposite of a switch as its alias is refused (vllm/overlay_sense.h).
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "option/row.h"

#include <stdbool.h>
#include <stddef.h>

/* The vLLM release that the rows of the tables are of. */
#define VLLM_REFERENCE_RELEASE "0.33.0"
/* The first release that was the reference. What only the rows say (keys, words that no parser checks)
 * was read of it and of later ones, not of older ones. */
#define VLLM_FIRST_REFERENCE "0.32.0"

struct vllm_catalog;

const struct vllm_catalog *vllm_catalog_reference(void);
/*
 * `catalog`, which is one of the reference release, as it is in another one; an overlay lies over
 * that as well. Itself for the reference, and where `release` is NULL or none. A release that was not
 * read has what the one before it had; a newer one than the reference the reference's rows.
 */
const struct vllm_catalog *vllm_catalog_release(const struct vllm_catalog *catalog,
						const char *release);
/* Is it of the reference release, with overlays or without? */
bool vllm_catalog_is_reference(const struct vllm_catalog *catalog);
/* Reports whether every key of the release's JSON arguments is known: of the reference release and of
 * former ones since 0.32.0. Elsewhere an unknown key may be right. */
bool vllm_catalog_knows_keys(const struct vllm_catalog *catalog);
/* That one in place of NULL. */
const struct vllm_catalog *vllm_catalog_or_reference(const struct vllm_catalog *catalog);
/* One with an overlay over it, which it borrows; `source` is the document's name in messages. */
int vllm_catalog_overlay(const struct vllm_catalog *base, const json_t *overlay, const char *source,
			 const struct vllm_catalog **ret, struct pl_err *err) PL_MUST_CHECK;
int vllm_catalog_overlay_file(const struct vllm_catalog *base, const char *path,
			      const struct vllm_catalog **ret, struct pl_err *err) PL_MUST_CHECK;
/* Names of the arguments that overlays added or changed (borrowed); NULL: there is none. */
const json_t *vllm_catalog_overlaid(const struct vllm_catalog *catalog);
/* Does nothing to the one without overlays, nor to one of another release, which belongs to the one
 * that it was asked of. */
void vllm_catalog_free(const struct vllm_catalog *catalog);
PL_AUTO_DEFINE(const struct vllm_catalog, vllm_catalog_free);
#define auto_catalog PL_AUTO(vllm_catalog_free)

size_t vllm_arg_count(const struct vllm_catalog *catalog);
const struct option_row *vllm_arg_at(const struct vllm_catalog *catalog, size_t i);
/* By name in snake_case or kebab-case, or by a long alias; NULL. */
const struct option_row *vllm_arg_find(const struct vllm_catalog *catalog, const char *name);
/* Also knows short aliases ("tp"). NULL: none is near. */
const char *vllm_arg_nearest(const struct vllm_catalog *catalog, const char *name);
/* The argument with the negative spelling "--no-x" or "--disable-x", given without dashes in front;
 * NULL if none has it. */
const struct option_row *vllm_arg_find_negative(const struct vllm_catalog *catalog,
						const char *name);
/*
 * The argument that a key of a file means; NULL if none. `ret_negative`: the key is one of its
 * negative spellings. A spelling of the catalog's release wins over the name of an argument that
 * this release lacks: "disable_log_requests" is an argument until 0.17.0, a spelling since 0.33.0.
 */
const struct option_row *vllm_arg_read_name(const struct vllm_catalog *catalog, const char *name,
					    bool *ret_negative);
/* The keys of JSON arguments in the reference release, each behind the object that it stands in. Those
 * of a catalogue: option_field_next() of its rows. */
size_t vllm_field_count(void);
const struct option_row *vllm_field_at(size_t i);
