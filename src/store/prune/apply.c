#include "store/prune/prune.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "store/artifacts/artifact.h"
#include "store/artifacts/prepared_priv.h"
#include "store/field_index/index.h"
#include "store/prune/plan_priv.h"
#include "store/store_priv.h"

/* The longest time for which a transaction keeps others from writing, apart from its commit. */
#define TRANSACTION_NS (200 * PL_NS_PER_MS)
/* Results that are removed together: each segment of the field index that has one of them is written again. */
#define AT_A_TIME 16

static STORE_STATEMENT(
	sql_prune_artifact,
	"DELETE FROM artifacts WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM benchmark_runs r"
	" WHERE r.run_id = artifacts.run_id AND r.changed > ?2) RETURNING 1");
static STORE_STATEMENT(sql_version_of_result, "SELECT changed FROM benchmark_runs WHERE id = ?1");
static STORE_STATEMENT(sql_prune_result, "DELETE FROM benchmark_runs WHERE id = ?1");
static STORE_STATEMENT(sql_note_rows_pruned, "UPDATE store_state SET pruned = data_version");

/* Versions that a transaction of this process used: marks of possible duplicates changed rows, and no user did. */
struct versions {
	int64_t first, last;
};

struct applying {
	struct store *store;
	const struct store_prune_plan *plan;
	struct store_prune_count count;
	struct versions *own;
	size_t own_count;
	size_t own_room;
};

static int remove_artifact(struct applying *applying, int64_t id, struct pl_err *err)
{
	struct store_stmt *statement;
	int64_t removed = 0;

	if (store_sql_cached(&applying->store->writer, &sql_prune_artifact, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	store_sql_bind_i64(statement, 2, applying->plan->version);
	if (store_sql_number(statement, &removed, err) < 0)
		return -1;
	applying->count.artifacts += removed;
	return 0;
}

/* Removes artifacts from *at on until the time is over. */
static int remove_artifacts(struct applying *applying, size_t *at, struct pl_err *err)
{
	const struct store_prune_plan *plan = applying->plan;
	int64_t until_ns = pl_clock_now_ns() + TRANSACTION_NS;

	if (store_held_check(applying->store, &plan->held, err) < 0)
		return -1;
	while (*at < plan->artifact_count && pl_clock_now_ns() < until_ns) {
		if (remove_artifact(applying, plan->artifacts[(*at)++].id, err) < 0)
			return -1;
	}
	return 0;
}

/* Returns whether the row is as it was when the plan was made. */
static bool is_unchanged(const struct applying *applying, int64_t version)
{
	if (version <= applying->plan->version)
		return true;
	for (size_t i = 0; i < applying->own_count; i++) {
		if (version >= applying->own[i].first && version <= applying->own[i].last)
			return true;
	}
	return false;
}

/* *ret_removed: false if the result does not exist any more, or changed. */
static int remove_result(struct applying *applying, int64_t id, bool *ret_removed,
			 struct pl_err *err)
{
	struct store_sql *writer = &applying->store->writer;
	struct store_stmt *statement;
	int64_t version = 0;
	char key[65];

	if (store_sql_cached(writer, &sql_version_of_result, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	if (store_sql_number(statement, &version, err) < 0)
		return -1;
	*ret_removed = version != 0 && is_unchanged(applying, version);
	if (!*ret_removed)
		return 0;
	/* marks of other results may refer to it */
	if (store_duplicates_key_of(applying->store, id, key, err) < 0 ||
	    store_sql_cached(writer, &sql_prune_result, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	if (store_sql_finish(statement, err) < 0)
		return -1;
	applying->count.results++;
	return key[0] != '\0' ? store_duplicates_settle(applying->store, key, err) : 0;
}

/* Adds the versions of this transaction, joined with those before if no other process wrote in between. */
static void add_own(struct applying *applying, int64_t first, int64_t last)
{
	struct versions *before = applying->own_count > 0 ? &applying->own[applying->own_count - 1]
							  : NULL;

	if (before != NULL && before->last + 1 >= first)
		before->last = last;
	else
		*PL_PUSH(applying->own, applying->own_count,
			 applying->own_room) = (struct versions){ first, last };
}

static int remove_group(struct applying *applying, size_t *at, struct pl_err *err)
{
	const struct store_prune_plan *plan = applying->plan;
	int64_t removed[AT_A_TIME];
	size_t count = 0;

	/* the results of a plan are in ascending order */
	for (size_t i = 0; i < AT_A_TIME && *at < plan->result_count; i++) {
		bool is_removed = false;
		removed[count] = plan->results[(*at)++];
		if (remove_result(applying, removed[count], &is_removed, err) < 0)
			return -1;
		count += is_removed;
	}
	return store_field_index_forget(applying->store, removed, count, err);
}

static int remove_results(struct applying *applying, size_t *at, struct pl_err *err)
{
	const struct store_prune_plan *plan = applying->plan;
	int64_t until_ns = pl_clock_now_ns() + TRANSACTION_NS, first, last;
	struct store_stmt *note;

	store_results_change(applying->store);
	if (store_held_check(applying->store, &plan->held, err) < 0 ||
	    store_next_version(applying->store, &first, err) < 0)
		return -1;
	/* rows that this transaction marks are rows that it may still remove */
	add_own(applying, first, INT64_MAX);
	while (*at < plan->result_count && pl_clock_now_ns() < until_ns) {
		if (remove_group(applying, at, err) < 0)
			return -1;
	}
	if (store_next_version(applying->store, &last, err) < 0 ||
	    store_write_version(applying->store, err) < 0 ||
	    store_sql_cached(&applying->store->writer, &sql_note_rows_pruned, &note, err) < 0)
		return -1;
	applying->own[applying->own_count - 1].last = last;
	return store_sql_finish(note, err);
}

/* Runs transactions until all `count` objects are done; a failed one removes nothing. */
static int run_all(struct applying *applying, size_t count,
		   int (*remove_some)(struct applying *applying, size_t *at, struct pl_err *err),
		   struct pl_err *err)
{
	for (size_t at = 0; at < count;) {
		struct store_prune_count before = applying->count;
		if (store_begin(applying->store, err) < 0)
			return -1;
		if (store_end(applying->store, remove_some(applying, &at, err), err) < 0) {
			applying->count = before;
			return -1;
		}
	}
	return 0;
}

static int remove_file(struct applying *applying, const struct store_prune_file *file,
		       struct pl_err *err)
{
	char sha256[65];
	bool gone = false;

	for (size_t i = 0; i < sizeof(file->sha256); i++)
		snprintf(sha256 + 2 * i, 3, "%02x", file->sha256[i]);
	if (store_artifacts_drop(applying->store, sha256, &gone, err) < 0)
		return -1;
	applying->count.files += gone;
	applying->count.bytes += gone ? file->bytes : 0;
	return 0;
}

static int remove_files(struct applying *applying, struct pl_err *err)
{
	const struct store_prune_plan *plan = applying->plan;

	if (applying->store->files == NULL)
		return 0;
	for (size_t i = 0; i < plan->file_count; i++) {
		if (plan->files[i].uses == 0 && remove_file(applying, &plan->files[i], err) < 0)
			return -1;
	}
	store_prepared_sweep(applying->store->files);
	return 0;
}

int store_prune_plan_apply(struct store *store, const struct store_prune_plan *plan,
			   struct store_prune_count *ret, struct pl_err *err)
{
	struct applying applying = { .store = store, .plan = plan };

	int result = run_all(&applying, plan->artifact_count, remove_artifacts, err);
	if (result == 0)
		result = run_all(&applying, plan->result_count, remove_results, err);
	if (result == 0)
		result = remove_files(&applying, err);
	*ret = applying.count;
	free(applying.own);
	return result;
}
