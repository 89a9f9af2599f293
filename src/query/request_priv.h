/*
 * What questions have in common when they are read: members, fields by their ids, numbers. What is wrong is told
 * where it stands (query/faults.h).
 */
#pragma once

#include "query/faults.h"
#include "mirror/view.h"

#define REQUEST_FIELDS_MAX    2000 /* that one list may name */
#define REQUEST_BUDGET_MS_MAX 60000

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
/* *number stays where there is no such member. */
bool query_request_number(struct place *place, const json_t *request, const char *key,
			  json_int_t low, json_int_t high, json_int_t *number);
/* False where there is no such member. */
bool query_request_flag(struct place *place, const json_t *request, const char *key, bool *ret);

/* The first fault as an error: -1. */
int query_request_refuse(const struct place *place, struct pl_err *err);
