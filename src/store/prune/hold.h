/*
 * Legal holds: prune removes no result whose tags have the name and the value of a hold, and none of its artifacts.
 * Holds are stored in the database, so that every later prune respects them. Results that arrive later are held, too.
 */
#pragma once

#include "base/json.h"
#include "store/store.h"

#define STORE_HOLDS_MAX 1000

/* Adding an existing hold and removing a missing one change nothing. FULL: STORE_HOLDS_MAX holds exist. */
int store_hold_add(struct store *store, const char *tag, const char *value,
		   struct pl_err *err) PL_MUST_CHECK;
int store_hold_remove(struct store *store, const char *tag, const char *value, bool *ret_existed,
		      struct pl_err *err) PL_MUST_CHECK;
/* *ret: an array of {tag, value, created_at}, as a new reference. */
int store_hold_list(struct store *store, json_t **ret, struct pl_err *err) PL_MUST_CHECK;

/* The held results: their ids, in ascending order, and their run_ids, sorted. */
struct store_held {
	int64_t *ids;
	size_t count;
	size_t room;
	char **run_ids;
	size_t run_count;
	size_t run_room;
	char version[65];     /* of the holds */
	int64_t data_version; /* of the tags; without holds, INT64_MAX: no tag matters */
};
/*
 * Reads the documents of all results, unless there are no holds. A result whose document cannot be read counts as held.
 * Not within a transaction. Overwrites *ret.
 */
int store_held_read(struct store *store, struct store_held *ret, struct pl_err *err) PL_MUST_CHECK;
bool store_held_has_id(const struct store_held *held, int64_t id);
bool store_held_has_run(const struct store_held *held, const char *run_id);
void store_held_done(struct store_held *held);
#define auto_held __attribute__((cleanup(store_held_done), unused)) struct store_held

/* Within a transaction that writes: BUSY if holds were added or removed since. */
int store_held_check(struct store *store, const struct store_held *held,
		     struct pl_err *err) PL_MUST_CHECK;
