/*
 * The catalogue of vLLM's server arguments in a release: the rows of tbl/engine_args.h with that
 * release's history (vllm/history.h), optionally overridden by the arguments of another vLLM. It is
 * a handle, because a process may use several at once.
 *
 * - The catalogue of the reference release is constant and never freed. One with an overlay belongs
 *   to its creator, and its rows become invalid with it. Those of other releases are made on first
 *   use and live as long as the catalogue that they were derived from. All are immutable: any
 *   thread may read them.
 * - Each has a row for every argument of any release, with `absent` set if its own release lacks
 *   it. Such a row is that of the nearest release that has the argument. The same applies to keys
 *   of objects.
 * - An overlay is a JSON file
 *
 *     {"profllm_overlay": 1, "args": [{"name": "new_flag", "type": "int", "default": 3}, …]}
 *
 *   of entries with the keys of vllm_arg_to_json(). An entry overrides the given values of the argument
 *   with its name, or adds one; omitted values are unchanged, or those of a plain `--name VALUE`. An
 *   entry that lists the opposite of a switch as its alias is rejected (vllm/overlay_sense.h).
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "option/row.h"

#include <stdbool.h>
#include <stddef.h>

/* The vLLM release of the rows in the tables. */
#define VLLM_REFERENCE_RELEASE "0.33.0"
/*
 * The first reference release. Data that only the rows have (keys, values that no parser checks)
 * was collected from it and later releases only.
 */
#define VLLM_FIRST_REFERENCE "0.32.0"

struct vllm_catalog;

const struct vllm_catalog *vllm_catalog_reference(void);
/*
 * Returns `catalog`, which must be of the reference release, for another release, with the same
 * overlays. Returns `catalog` itself for the reference, and if `release` is NULL or invalid. A
 * release without data has that of the previous one; a release newer than the reference has the
 * reference's rows.
 */
const struct vllm_catalog *vllm_catalog_release(const struct vllm_catalog *catalog,
						const char *release);
/* Returns whether it is of the reference release, with or without overlays. */
bool vllm_catalog_is_reference(const struct vllm_catalog *catalog);
/*
 * Returns whether every key of the release's JSON arguments is known: for the reference release and
 * previous ones since 0.32.0. For others an unknown key may be valid.
 */
bool vllm_catalog_knows_keys(const struct vllm_catalog *catalog);
/* Returns the reference's catalogue for NULL. */
const struct vllm_catalog *vllm_catalog_or_reference(const struct vllm_catalog *catalog);
/*
 * Makes a catalogue with an overlay over `base`, which it borrows; `source` is the document's name
 * for errors.
 */
int vllm_catalog_overlay(const struct vllm_catalog *base, const json_t *overlay, const char *source,
			 const struct vllm_catalog **ret, struct pl_err *err) PL_MUST_CHECK;
int vllm_catalog_overlay_file(const struct vllm_catalog *base, const char *path,
			      const struct vllm_catalog **ret, struct pl_err *err) PL_MUST_CHECK;
/* Returns the names of the arguments that overlays added or changed (borrowed); NULL: none. */
const json_t *vllm_catalog_overlaid(const struct vllm_catalog *catalog);
/*
 * Does nothing for the one without overlays and for those of other releases, which belong to the
 * catalogue that they were derived from.
 */
void vllm_catalog_free(const struct vllm_catalog *catalog);
PL_AUTO_DEFINE(const struct vllm_catalog, vllm_catalog_free);
#define auto_catalog PL_AUTO(vllm_catalog_free)

size_t vllm_arg_count(const struct vllm_catalog *catalog);
const struct option_row *vllm_arg_at(const struct vllm_catalog *catalog, size_t i);
/* Finds an argument by name in snake_case or kebab-case, or by a long alias; NULL: none. */
const struct option_row *vllm_arg_find(const struct vllm_catalog *catalog, const char *name);
/* Also considers short aliases ("tp"). NULL: none is similar. */
const char *vllm_arg_nearest(const struct vllm_catalog *catalog, const char *name);
/*
 * Finds the argument with the negative flag "--no-x" or "--disable-x", given without the leading
 * dashes; NULL: none.
 */
const struct option_row *vllm_arg_find_negative(const struct vllm_catalog *catalog,
						const char *name);
/*
 * Finds the argument for a key of a file; NULL: none. `ret_negative`: the key is one of its
 * negative flags. A flag of the catalogue's release takes precedence over the name of an argument
 * that this release lacks: "disable_log_requests" is an argument until 0.17.0, a flag since 0.33.0.
 */
const struct option_row *vllm_arg_read_name(const struct vllm_catalog *catalog, const char *name,
					    bool *ret_negative);
/*
 * The keys of JSON arguments in the reference release, each after the object that contains it. For
 * the keys of a catalogue use option_field_next() on its rows.
 */
size_t vllm_field_count(void);
const struct option_row *vllm_field_at(size_t i);
