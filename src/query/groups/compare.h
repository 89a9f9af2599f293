/*
 * Results of a database beside each other (result/compare/compare.h), from JSON to JSON.
 *
 * query_compare(): {sides: [SIDE, SIDE, …], metrics: [id], effect (0.05), simulated, match, equal, budget_ms}, of which only
 * sides is needed: two to eight of {label, ids: [id]} or {label, filter}. Answers what res_compare() does, and data_version.
 *
 * - ids: of results, as they are told by every answer; each has to be there. A side of one is a run, with the intervals
 *   that its document has.
 * - filter: a group of all rows that it means, but for simulated ones; `simulated`: with these. How many were left out
 *   stands in the side as excluded. Results that are named by their ids are never left out.
 * - A side has `ids` too where it is of 100 results at most, and of one result run_id.
 * - match: keep the rows only of which every side has the like in all inputs but those that are compared
 *   (query/groups/matching_priv.h): `matched` of the answer has inputs, unmatched_inputs and cell_count, each side unmatched.
 * - equal: list inputs that are equal, and those that some runs do not tell.
 * - budget_ms: figures are made one after the other, then percentiles of families; those for which the time was too
 *   short are named in incomplete, the first one never.
 */
#pragma once

#include "base/buf.h"
#include "schema/schema.h"
#include "mirror/mirror.h"

/* As query_apply() (query/query.h). */
int query_compare(const struct mirror_snapshot *snapshot, const json_t *request,
		  struct pl_buf *ret_json, struct schema_faults *faults,
		  struct pl_err *err) PL_MUST_CHECK;
