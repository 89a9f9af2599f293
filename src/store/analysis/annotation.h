/*
 * Annotations: notes of users at a time or a version, which trends show.
 * - An annotation is JSON in the form of api/openapi.yaml (Annotation), with exactly one of at_time and version.
 * - Its revision grows with each change. A change that names another revision than the current one is refused.
 * - Each change counts as one of the data, so that answers which contain annotations are computed again.
 */
#pragma once

#include "base/json.h"
#include "store/saved/outcome.h"
#include "store/store.h"

#define STORE_ANNOTATIONS_MAX 10000

/*
 * *ret: the annotation as in a response, a new reference, if the outcome is OK. On disk when they return. A change
 * keeps the members that it lacks; setting at_time unsets version, and the reverse. revision 0: any.
 */
int store_annotation_add(struct store *store, const json_t *annotation,
			 enum store_saved_outcome *ret_outcome, json_t **ret,
			 struct pl_err *err) PL_MUST_CHECK;
int store_annotation_change(struct store *store, int64_t id, int64_t revision, const json_t *change,
			    enum store_saved_outcome *ret_outcome, json_t **ret,
			    struct pl_err *err) PL_MUST_CHECK;
int store_annotation_remove(struct store *store, int64_t id, int64_t revision,
			    enum store_saved_outcome *ret_outcome,
			    struct pl_err *err) PL_MUST_CHECK;
/* Returns all annotations, the oldest first, as an array: a new reference. */
int store_annotation_list(struct store *store, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
