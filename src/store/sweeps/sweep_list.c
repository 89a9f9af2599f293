/*
 * Lists all sweeps with the outcome of their runs, by the same rule as the page of a sweep (sweep_runs.c): the newest
 * of several results of a run counts. One pass over the results finds those of each sweep. Only for sweeps that have
 * changed since the previous list are plan and results joined again, so the list can be requested every few seconds.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "mirror/view.h"
#include "store/sweeps/sweep_priv.h"

#define TAG "tags.sweep"

/* The columns read of a result; the first ones are the cells for store_sweep_runs_joined(). */
enum { CELL, REPEAT, STATUS, NAME, SWEEP, MODEL, GPU, SIMULATED, COLUMN_COUNT };
static const char *const fields[COLUMN_COUNT] = {
	[CELL] = TAG "_cell",
	[REPEAT] = TAG "_repeat",
	[STATUS] = "run.status",
	[NAME] = TAG "_name",
	[SWEEP] = TAG,
	[MODEL] = "server.model",
	[GPU] = "system.hardware_info.gpu_name",
	[SIMULATED] = "environment.engine.simulated",
};
#define CELLS_LISTED NAME /* the columns before it */

/* A result of a sweep. */
struct member {
	const char *sweep;
	size_t row;
	int64_t id;
};

struct listing {
	const struct mirror_view *view;
	const struct mirror_column *columns[COLUMN_COUNT]; /* NULL: no result has a value */
	struct member *members;
	size_t count;
	size_t room;
};

/* ---- the results of all sweeps --------------------------------------------------------------- */

/* Returns NULL if it has no text there. */
static const char *text_at(const struct listing *listing, int column, size_t row)
{
	if (listing->columns[column] == NULL)
		return NULL;
	struct mirror_value value = mirror_column_at(listing->columns[column], row);
	return value.class == MIRROR_TEXT ? value.text : NULL;
}

/* Sorts by sweep, newest first. */
static int compare_members(const void *a, const void *b)
{
	const struct member *one = a, *other = b;
	int difference = one->sweep == other->sweep ? 0 : strcmp(one->sweep, other->sweep);

	if (difference != 0)
		return difference;
	return (other->id > one->id) - (other->id < one->id);
}

static void find_members(struct listing *listing)
{
	for (size_t segment = 0; segment < mirror_view_segments(listing->view); segment++) {
		uint64_t live[MIRROR_SEGMENT_WORDS];
		mirror_view_live(listing->view, segment, live);
		for (size_t i = 0; i < MIRROR_SEGMENT_WORDS * 64; i++) {
			size_t row = segment * MIRROR_SEGMENT_WORDS * 64 + i;
			const char *sweep = live[i / 64] >> (i % 64) & 1
						    ? text_at(listing, SWEEP, row)
						    : NULL;
			if (sweep == NULL || sweep[0] == '\0')
				continue;
			*PL_PUSH(listing->members, listing->count, listing->room) = (struct member){
				.sweep = sweep, .row = row, .id = mirror_view_id(listing->view, row)
			};
		}
	}
	if (listing->count > 0)
		qsort(listing->members, listing->count, sizeof(*listing->members), compare_members);
}

/* ---- one sweep ------------------------------------------------------------------------------- */

/* Changes whenever reported data of these results change. */
static uint64_t hash_of(const struct listing *listing, const struct member *members, size_t count)
{
	uint64_t hash = PL_HASH_NONE;

	for (size_t i = 0; i < count; i++) {
		hash = pl_hash_bytes(hash, &members[i].id, sizeof(members[i].id));
		for (int column = 0; column < COLUMN_COUNT; column++) {
			const char *text = text_at(listing, column, members[i].row);
			hash = pl_hash_text(pl_hash_bytes(hash, "", 1), text != NULL ? text : "\n");
		}
	}
	return hash;
}

/* In the form of store_sweep_runs_joined(). */
static json_t *result_of(const struct listing *listing, const struct member *member)
{
	json_t *cells = json_object();

	for (int column = 0; column < CELLS_LISTED; column++) {
		const char *text = text_at(listing, column, member->row);
		if (text != NULL)
			json_object_set_new(cells, fields[column], pl_json_text(text));
	}
	return json_pack("{s:I, s:o, s:o}", "id", (json_int_t)member->id, "run_id",
			 pl_json_text(mirror_view_run_id(listing->view, member->row)), "cells",
			 cells);
}

static json_t *counts_of(const json_t *runs)
{
	static const struct {
		const char *status, *kind;
	} kinds[] = {
		{ "completed", "done" },       { "partial", "done" },
		{ "missing", "missing" },      { "interrupted", "missing" },
		{ "not_uploaded", "missing" }, { "skipped", "skipped" },
		{ "running", "running" },
	};
	json_t *counts = json_pack("{s:i, s:i, s:i, s:i, s:i}", "done", 0, "failed", 0, "running",
				   0, "missing", 0, "skipped", 0);

	PL_JSON_EACH(run, runs) {
		const char *status = pl_json_get_text(run, "status");
		const char *kind = status == NULL ? "done" : "failed";
		if (pl_json_get_true(run, "removed"))
			continue;
		for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
			if (pl_text_equal(status, kinds[i].status))
				kind = kinds[i].kind;
		}
		json_object_set_new(counts, kind, json_integer(pl_json_get_i64(counts, kind) + 1));
	}
	return counts;
}

/* Returns each distinct text once, that of the newest result first. */
static json_t *texts_of(const struct listing *listing, int column, const struct member *members,
			size_t count)
{
	auto_json json_t *seen = json_object();
	json_t *texts = json_array();

	for (size_t i = 0; i < count; i++) {
		const char *text = text_at(listing, column, members[i].row);
		if (text == NULL || text[0] == '\0' || json_object_get(seen, text) != NULL)
			continue;
		json_object_set_new(seen, text, json_true());
		json_array_append_new(texts, pl_json_text(text));
	}
	return texts;
}

static bool is_simulated(const struct listing *listing, const struct member *members, size_t count)
{
	const struct mirror_column *column = listing->columns[SIMULATED];

	for (size_t i = 0; column != NULL && i < count; i++) {
		if (mirror_column_at(column, members[i].row).class == MIRROR_YES)
			return true;
	}
	return false;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* The input of a list, and the data reused from the previous one. */
struct making {
	struct store *store;
	const struct listing *listing;
	const json_t *before; /* by id: {hash, changed, told}; "": version of the results */
	json_t *now;
	bool is_same; /* the results are unchanged */
};

/* *ret is a new reference. */
static int summarize(struct making *making, const json_t *head, const struct member *members,
		     size_t count, json_t **ret, struct pl_err *err)
{
	const char *id = pl_json_get_text(head, "id");
	const char *changed = pl_json_get_text(head, "changed_at");
	const json_t *before = json_object_get(making->before, id);
	json_int_t hash = making->is_same && before != NULL
				  ? pl_json_get_i64(before, "hash")
				  : (json_int_t)hash_of(making->listing, members, count);
	json_t *summary = json_object_get(before, "told");

	if (summary != NULL && pl_json_get_i64(before, "hash") == hash &&
	    pl_text_equal(pl_json_get_text(before, "changed_at"), changed)) {
		json_incref(summary);
	} else {
		auto_json json_t *plan = NULL;
		bool is_damaged = pl_json_get_true(head, "damaged");
		if (!pl_json_get_true(head, "has_plan"))
			plan = json_object();
		else if (!is_damaged &&
			 store_sweep_read_plan(making->store, id, &plan, &is_damaged, err) < 0 &&
			 !is_damaged)
			return -1;
		const struct listing *listing = making->listing;
		auto_json json_t *empty = json_object();
		auto_json json_t *results = json_array();
		for (size_t i = 0; i < count; i++)
			json_array_append_new(results, result_of(listing, &members[i]));
		auto_json json_t *runs = store_sweep_runs_joined(plan != NULL ? plan : empty,
								 results);
		summary = json_pack("{s:b, s:o, s:o, s:o, s:b}", "damaged", plan == NULL, "counts",
				    counts_of(runs), "models",
				    texts_of(listing, MODEL, members, count), "gpus",
				    texts_of(listing, GPU, members, count), "simulated",
				    (int)is_simulated(listing, members, count));
	}
	json_object_set_new(making->now, id,
			    json_pack("{s:I, s:o, s:O}", "hash", hash, "changed_at",
				      pl_json_text(changed), "told", summary));
	*ret = summary;
	return 0;
}

static int add_summary(struct making *making, json_t *head, const struct member *members,
		       size_t count, struct pl_err *err)
{
	auto_json json_t *summary = NULL;

	if (summarize(making, head, members, count, &summary, err) < 0)
		return -1;
	json_object_update(head, summary);
	return 0;
}

/* The head of a sweep without a plan. */
static json_t *bare_head(const struct listing *listing, const struct member *newest)
{
	return json_pack("{s:o, s:o, s:n, s:n, s:n, s:n, s:n, s:i, s:i, s:i, s:b}", "id",
			 pl_json_text(newest->sweep), "name",
			 pl_json_text(text_at(listing, NAME, newest->row)), "state", "file",
			 "created_at", "changed_at", "runs", "skipped", 0, "without_result", 0,
			 "removed", 0, "has_plan", 0);
}

struct bare {
	size_t at;
	size_t count;
	int64_t id; /* of its newest result */
};

static int compare_bare(const void *a, const void *b)
{
	const struct bare *one = a, *other = b;

	return (other->id > one->id) - (other->id < one->id);
}

/* heads: of the plans; the other sweeps are appended. */
static int add_all(struct making *making, json_t *heads, struct pl_err *err)
{
	const struct listing *listing = making->listing;
	auto_json json_t *by_id = json_object();
	auto_free struct bare *bare = NULL;
	size_t bare_count = 0, room = 0;

	PL_JSON_EACH(head, heads)
		json_object_set(by_id, pl_json_get_text(head, "id"), head);
	for (size_t at = 0, count; at < listing->count; at += count) {
		const struct member *members = &listing->members[at];
		json_t *head = json_object_get(by_id, members->sweep);
		size_t end = at;
		while (end < listing->count &&
		       strcmp(listing->members[end].sweep, listing->members[at].sweep) == 0)
			end++;
		count = end - at;
		if (head == NULL)
			*PL_PUSH(bare, bare_count, room) = (struct bare){ at, count, members->id };
		else if (add_summary(making, head, members, count, err) < 0)
			return -1;
	}
	PL_JSON_EACH(planned, heads) {
		if (json_object_get(planned, "counts") == NULL &&
		    add_summary(making, planned, NULL, 0, err) < 0)
			return -1;
	}
	/* Appends the sweeps without a plan, as many as there may be plans. */
	if (bare_count > 0)
		qsort(bare, bare_count, sizeof(*bare), compare_bare);
	for (size_t i = 0; i < bare_count && i < STORE_SWEEPS_MAX; i++) {
		const struct member *members = &making->listing->members[bare[i].at];
		auto_json json_t *head = bare_head(making->listing, members);
		if (add_summary(making, head, members, bare[i].count, err) < 0)
			return -1;
		json_array_append(heads, head);
	}
	return 0;
}

int store_sweep_list_results(struct store *store, const struct mirror_snapshot *snapshot,
			     json_t *heads, json_t **retained, struct pl_err *err)
{
	const char *ids[COLUMN_COUNT];
	const struct mirror_ids requested = { .items = ids, .count = COLUMN_COUNT };
	auto_view struct mirror_view *view = NULL;
	auto_json json_t *now = json_object();
	struct listing listing = { 0 };

	memcpy(ids, fields, sizeof(ids));
	if (mirror_view_new(snapshot, &requested, &view, err) < 0)
		return -1;
	listing.view = view;
	for (int i = 0; i < COLUMN_COUNT; i++)
		listing.columns[i] = mirror_view_column(view, fields[i]);
	find_members(&listing);
	int64_t version = mirror_snapshot_version(snapshot);
	struct making making = {
		.store = store, .listing = &listing, .before = *retained, .now = now
	};
	making.is_same = *retained != NULL && pl_json_get_i64(*retained, "") == version;
	json_object_set_new(now, "", json_integer((json_int_t)version));
	int result = add_all(&making, heads, err);
	free(listing.members);
	if (result < 0)
		return -1;
	json_decref(*retained);
	*retained = json_incref(now);
	return 0;
}
