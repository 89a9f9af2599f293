/*
 * Reads the parts that requests share: members, fields by their ids, numbers. A request is valid by api/openapi.yaml
 * (query/query.h), so only ids can be wrong here.
 */
#pragma once

#include "mirror/view.h"
#include "query/pointer.h"

/* Fields named by a list in the request. */
struct request_fields {
	const struct mirror_column **items; /* the caller's (free()) */
	size_t count;
	bool are_all; /* every column field, without a list */
};

/* Returns NULL if the member is missing or null. */
const json_t *query_request_member(const json_t *request, const char *key);
/* Collects the ids in a list of texts or of objects with a field: borrowed from it. */
void query_request_ids(const json_t *list, struct mirror_ids *ids);

/* Returns false if faults were added. */
bool query_request_column(struct query_pointer *pointer, const struct mirror_view *view,
			  const json_t *field, const struct mirror_column **ret);
bool query_request_columns(struct query_pointer *pointer, const struct mirror_view *view,
			   const json_t *request, const char *key, struct request_fields *ret);
/* Reads the field of one key; *ret is unchanged if the request lacks the key. */
bool query_request_field(struct query_pointer *pointer, const struct mirror_view *view,
			 const json_t *request, const char *key, const struct mirror_column **ret);
/* Returns `otherwise` if the request lacks the key. */
json_int_t query_request_number(const json_t *request, const char *key, json_int_t otherwise);

/* Sets err to the first fault and returns -1. */
int query_request_refuse(const struct query_pointer *pointer, struct pl_err *err);
