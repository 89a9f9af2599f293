/*
 * Watches: questions about regressions under a name, asked again when the data change, with their states over time.
 * - A watch is JSON in the form of api/openapi.yaml (Watch). Names are unique, ignoring case. Its revision grows with
 *   each change by a user, not with its state.
 * - A state is {state, failed, message, counts, series}, made by the caller. A state that differs from the one before
 *   in `state` or `failed` starts an entry of the history; the newest STORE_WATCH_STATES_MAX entries are kept.
 * - Several processes may evaluate the same watch: a state of older data than the stored one changes nothing.
 */
#pragma once

#include "base/json.h"
#include "store/saved/outcome.h"
#include "store/store.h"

#define STORE_WATCHES_MAX      100
#define STORE_WATCH_STATES_MAX 200

/*
 * *ret: the watch as in a response, a new reference, if the outcome is OK. On disk when they return. A change keeps the
 * members that it lacks; another question or fail_on makes the state unknown. revision 0: any.
 */
int store_watch_add(struct store *store, const json_t *watch, enum store_saved_outcome *ret_outcome,
		    json_t **ret, struct pl_err *err) PL_MUST_CHECK;
int store_watch_change(struct store *store, int64_t id, int64_t revision, const json_t *change,
		       enum store_saved_outcome *ret_outcome, json_t **ret,
		       struct pl_err *err) PL_MUST_CHECK;
int store_watch_remove(struct store *store, int64_t id, int64_t revision,
		       enum store_saved_outcome *ret_outcome, struct pl_err *err) PL_MUST_CHECK;
/* Returns all watches, the oldest first, as an array: a new reference. */
int store_watch_list(struct store *store, bool with_history, json_t **ret,
		     struct pl_err *err) PL_MUST_CHECK;
/* *ret NULL: no watch has this name. */
int store_watch_find(struct store *store, const char *name, json_t **ret,
		     struct pl_err *err) PL_MUST_CHECK;

/*
 * Stores the state of the watch's question at a data version. Does nothing if the watch does not exist, has another
 * revision, or has a state of newer data. *ret_changed: it started an entry of the history.
 */
int store_watch_settle(struct store *store, int64_t id, int64_t revision, int64_t version,
		       const json_t *state, bool *ret_changed, struct pl_err *err) PL_MUST_CHECK;

/*
 * Returns the entries of all histories after the entry `last`, the oldest first, as an array of {entry, id, name,
 * fail_on, state, failed, counts, changed_at}: a new reference. `last` -1: only the newest entry, if there is one.
 */
int store_watch_news(struct store *store, int64_t last, json_t **ret,
		     struct pl_err *err) PL_MUST_CHECK;
