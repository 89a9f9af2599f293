/*
 * Decisions of users on changes of a metric: was a change expected, is it fixed, is it no change at all.
 * - A decision is JSON in the form of api/openapi.yaml (Decision). None is changed or removed: of several for one
 *   place, the newest counts, and `none` withdraws the others.
 * - A place is a series (a text of the analysis), a metric, and the position of the first point after the change. The
 *   id of the result at that point identifies the place when later data renumber the positions.
 * - Each decision counts as a change of the data, so that answers which depend on it are computed again, in other
 *   processes, too.
 */
#pragma once

#include "base/json.h"
#include "store/store.h"

#define STORE_DECISIONS_MAX 10000

enum store_decision_outcome {
	STORE_DECISION_ADDED,
	STORE_DECISION_FULL,     /* STORE_DECISIONS_MAX decisions exist */
	STORE_DECISION_UNPLACED, /* its result does not exist, or is deleted */
};

/* *ret: the decision as in a response, a new reference, if the outcome is ADDED. On disk when it returns. */
int store_decision_add(struct store *store, const json_t *decision,
		       enum store_decision_outcome *ret_outcome, json_t **ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Returns the decisions of a series (NULL: of all), the oldest first, as an array: a new reference. */
int store_decision_list(struct store *store, const char *series, json_t **ret,
			struct pl_err *err) PL_MUST_CHECK;
