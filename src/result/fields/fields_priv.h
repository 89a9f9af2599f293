/*
 * Between fields.c (which fields there are), values.c (what they have in a document),
 * derived.c (what follows from others), tree.c and places.c (where they stand).
 */
#pragma once

#include "result/fields/fields.h"
#include "result/fields/tree.h"
#include "result/fields/values.h"

#define WHOLE_MAX 9e15 /* a double is exact to here */

/* Beginnings of ids that are no keys of the document, or not only. */
#define RES_FIELD_QUALITY  "quality"
#define RES_FIELD_FAILURES "results.errors"
#define RES_FIELD_DERIVED  "derived"
#define RES_FIELD_RUN      "run"

/* Those that are named otherwise than the places in the document; ended by NULL. */
struct res_field_place {
	const char *beginning; /* "server." */
	const char *place;     /* "config.server" */
};
extern const struct res_field_place res_field_places[];

/*
 * Fields that a document may record under another name alone: a load generator's file names the model that it asked
 * for and has no arguments of the server. Their source is RES_FIELD_BORROWED; ended by NULL.
 */
#define RES_FIELD_BORROWED "benchmark"
struct res_field_loan {
	const char *id;    /* "server.model" */
	const char *place; /* "config.benchmark.model" */
};
extern const struct res_field_loan res_field_loans[];
/* Borrowed; NULL: the field is never borrowed, or the place has no text. */
json_t *res_field_loan_of(const char *id, const json_t *document);

/* What stands behind a beginning: "ready_s" of "launch.phases.ready_s" and "launch.phases."; NULL:
 * it does not begin so. */
const char *res_field_below(const char *id, const char *beginning);
/* What stands at a dotted path within. New reference; NULL: nothing. */
json_t *res_field_walk(const json_t *json, const char *path, enum res_field_one one);
/* "http_status.count" of the list of failures, which may be none. New reference; NULL: not recorded. */
json_t *res_field_failure_count(const json_t *errors, const char *path);

const struct res_tree *res_fields_tree(const struct res_fields *fields);
/* What an option has where nobody set it; NULL: that is not known. */
const struct res_value *res_fields_default(const struct res_fields *fields,
					   const struct res_field *field);

/* res_values_new() without what is derived. */
struct res_values *res_values_found(const struct res_fields *fields, const json_t *document);
/* What derived.KEY is. New reference; NULL: not recorded. */
json_t *res_field_derive(const struct res_values *values, const char *key);
