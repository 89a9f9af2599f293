/*
 * Reads the parts that requests share: members, fields by their ids, numbers. A request fits
 * api/openapi.yaml (query/query.h), so that only ids can be wrong here.
 */
#pragma once

#include "query/faults.h"
#include "mirror/view.h"

/* Fields that a list of the request names. */
struct request_fields {
	const struct mirror_column **items; /* the caller's (free()) */
	size_t count;
	bool are_all; /* every column field, and no list */
};

/* NULL: there is none, or null, which is the same. */
const json_t *query_request_member(const json_t *request, const char *key);
/* Ids that a list names, of texts or of objects that have a field: borrowed from it. */
void query_request_ids(const json_t *list, struct mirror_ids *ids);

/* False: its faults were added. */
bool query_request_column(struct place *place, const struct mirror_view *view, const json_t *field,
			  const struct mirror_column **ret);
bool query_request_columns(struct place *place, const struct mirror_view *view,
			   const json_t *request, const char *key, struct request_fields *ret);
/* The field of one key; *ret stays as it is if the request lacks the key. */
bool query_request_field(struct place *place, const struct mirror_view *view, const json_t *request,
			 const char *key, const struct mirror_column **ret);
/* Returns `otherwise` if the request lacks the key. */
json_int_t query_request_number(const json_t *request, const char *key, json_int_t otherwise);

/* The first fault as an error: -1. */
int query_request_refuse(const struct place *place, struct pl_err *err);
