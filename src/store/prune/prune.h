/*
 * Pruning by rules. A plan is the set of artifacts and results that the rules select at one moment; it changes nothing.
 * Applying it removes exactly this set, but leaves results that were changed meanwhile, with their artifacts.
 *
 * - A rule selects an artifact if it selects every result of its run_id. Artifacts without a result are not selected;
 *   store_artifacts_sweep() removes them after some days.
 * - Results and their documents are selected only `with_rows`, by rules without conditions on artifacts.
 * - Held results (store/prune/hold.h) and their artifacts are never selected.
 * - An artifact or result counts for the first rule that selects it. A file counts for the rule that selects its last
 *   artifact.
 * - A plan takes about 48 bytes per file and 16 per selected object, whatever the sizes of files and documents.
 */
#pragma once

#include "store/prune/rule.h"
#include "store/store.h"

#define STORE_PRUNE_RULES_MAX 100

struct store_prune_count {
	int64_t results;
	int64_t artifacts; /* of a run: kind and name */
	int64_t files;
	int64_t bytes; /* of the files */
};

struct store_prune_options {
	const struct store_prune_rule *rules;
	size_t rule_count;
	bool with_rows;
	int64_t now_ns; /* a real time, from which ages count */
};

struct store_prune_plan;
int store_prune_plan_new(struct store *store, const struct store_prune_options *options,
			 struct store_prune_plan **ret, struct pl_err *err) PL_MUST_CHECK;
void store_prune_plan_free(struct store_prune_plan *plan);
PL_AUTO_DEFINE(struct store_prune_plan, store_prune_plan_free);
#define auto_prune_plan PL_AUTO(store_prune_plan_free) struct store_prune_plan

/* `rule` is an index into the rules; rule_count: all. */
const struct store_prune_count *store_prune_plan_count(const struct store_prune_plan *plan,
						       size_t rule);
/* Returns what holds kept from being selected; files and bytes are 0. */
const struct store_prune_count *store_prune_plan_held(const struct store_prune_plan *plan);
/* Returns a hash of the set; equal sets have equal hashes. Static until the plan is freed. */
const char *store_prune_plan_hash(const struct store_prune_plan *plan);

/*
 * Removes what the plan has in short transactions, so that others can write in between. After a kill, a part is
 * removed, and a new plan has the rest. *ret: what was removed. BUSY: holds were changed since.
 */
int store_prune_plan_apply(struct store *store, const struct store_prune_plan *plan,
			   struct store_prune_count *ret, struct pl_err *err) PL_MUST_CHECK;
