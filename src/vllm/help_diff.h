/* Comparison of another vLLM's help with a catalogue of server arguments. */
#pragma once

#include "base/json.h"
#include "vllm/catalog.h"
#include "vllm/help_text.h"

/*
 * Returns a new reference:
 *   new           list of entries in the format of an overlay
 *   removed       {name, flag, group} of arguments that the table has for its release
 *   already_removed  the same for those that the table has only for older releases
 *   changed       {name, flag, changes: [{key, table, help}]}; key: flag aliases negative_flag
 *                 negative_aliases cli_style type choices default in_reference
 *   undecided     {flag, of, line}: a flag that may switch the argument `of` on or off. Such a
 *                 help must not become an overlay.
 *   not_learned   {keys, choices}: flags of JSON arguments, whose keys are not compared, and of
 *                 arguments whose choices the help does not show; the table's remain
 *   found         number of arguments in the help
 * Data that a help text lacks (types, bounds, an object's keys) is not compared.
 */
json_t *vllm_help_diff(const struct vllm_catalog *catalog, const struct vllm_help *help);
/* Returns the overlay that makes the table agree with the help. New reference. */
json_t *vllm_help_overlay(const struct vllm_catalog *catalog, const json_t *diff,
			  const char *made_from);
