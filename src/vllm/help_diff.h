/*
 * What another vLLM's help says against a catalogue of server arguments.
 */
#pragma once

#include "base/json.h"
#include "vllm/catalog.h"
#include "vllm/help_text.h"

/*
 * New reference:
 *   new           list of entries as an overlay has them
 *   gone          {name, flag, group} of arguments that the table has for its release
 *   already_gone  the same of those that the table has for older releases only
 *   changed       {name, flag, changes: [{key, table, help}]}; key: flag aliases negative_flag
 *                 negative_aliases cli_style type choices default in_reference
 *   undecided     {flag, of, line}: a spelling that may switch the argument `of` on or off. Such a
 *                 help must not become an overlay.
 *   not_learned   {keys, choices}: flags of JSON arguments, whose keys are not compared, and of
 *                 arguments whose choices the help does not show; the table's stay
 *   found         how many arguments the help has
 * What the help cannot say (types, bounds, an object's keys) is not compared.
 */
json_t *vllm_help_diff(const struct vllm_catalog *catalog, const struct vllm_help *help);
/* The overlay that makes the table agree with the help. New reference. */
json_t *vllm_help_overlay(const struct vllm_catalog *catalog, const json_t *diff,
			  const char *made_from);
