/*
 * Compares results of a database (result/compare/compare.h), from JSON to JSON.
 *
 * query_compare(): {sides: [SIDE, SIDE, …], metrics: [id], effect (0.05), simulated, match, equal, budget_ms}; only
 * sides is required: two to eight of {label, ids: [id]} or {label, filter}. Returns the response of res_compare(), and
 * data_version.
 *
 * - ids: of existing results, as in every response. A side with one id is a run, with the confidence intervals of its
 *   document.
 * - filter: a group of all matching rows without simulated ones; `simulated`: includes them. The side's excluded is the
 *   number of omitted rows. Results that are named by their ids are never omitted.
 * - A side with at most 100 results also has `ids`, and one with a single result run_id.
 * - match: keeps only the rows with a counterpart on every side: equal in all inputs except the compared ones
 *   (query/groups/matching_priv.h). The response's `matched` has inputs, unmatched_inputs and cell_count, each side
 *   unmatched.
 * - equal: also lists inputs that are equal, and those that some runs lack.
 * - budget_ms: metrics are computed in turn, followed by percentiles of families, always at least the first. The
 *   remaining ones are listed in incomplete.
 */
#pragma once

#include "base/buf.h"
#include "schema/schema.h"

struct mirror_snapshot;

/* As query_apply() (query/query.h). */
int query_compare(const struct mirror_snapshot *snapshot, const json_t *request,
		  struct pl_buf *ret_json, struct schema_faults *faults,
		  struct pl_err *err) PL_MUST_CHECK;
