/*
 * Shared by fields.c (the list of fields), values.c (their values in a document), derived.c
 * (computed fields), tree.c and places.c (their paths).
 */
#pragma once

#include "result/fields/fields.h"
#include "result/fields/tree.h"
#include "result/fields/values.h"

#define WHOLE_MAX 9e15 /* doubles are exact up to here */

/* Prefixes of ids that do not, or not only, name keys of the document. */
#define RES_FIELD_QUALITY  "quality"
#define RES_FIELD_FAILURES "results.errors"
#define RES_FIELD_DERIVED  "derived"
#define RES_FIELD_RUN      "run"

/* Ids whose path in the document has another name; ended by NULL. */
struct res_field_alias {
	const char *beginning; /* "server." */
	const char *path;      /* "config.server" */
};
extern const struct res_field_alias res_field_aliases[];

/*
 * Fields that some documents record only under another name: a load generator's file names the
 * model that it requested and has no server arguments. Their source is RES_FIELD_BORROWED; ended by
 * NULL.
 */
#define RES_FIELD_BORROWED "benchmark"
struct res_field_loan {
	const char *id;   /* "server.model" */
	const char *path; /* "config.benchmark.model" */
};
extern const struct res_field_loan res_field_loans[];
/* Returns a borrowed reference; NULL: the field has no such name, or the path has no text. */
json_t *res_field_loan_of(const char *id, const json_t *document);

/*
 * Returns the rest of an id after a prefix: "ready_s" for "launch.phases.ready_s" and
 * "launch.phases."; NULL: other prefix.
 */
const char *res_field_below(const char *id, const char *beginning);
/* Returns the value at a dotted path. New reference; NULL: none. */
json_t *res_field_walk(const json_t *json, const char *path, enum res_field_one one);
/*
 * Returns the count for "http_status.count" from the list of failures, which may be missing. New
 * reference; NULL: not recorded.
 */
json_t *res_field_failure_count(const json_t *errors, const char *path);

const struct res_tree *res_fields_tree(const struct res_fields *fields);
/* Returns the value of an option that is not set; NULL: unknown. */
const struct res_value *res_fields_default(const struct res_fields *fields,
					   const struct res_field *field);

/* res_values_new() without derived fields. */
struct res_values *res_values_found(const struct res_fields *fields, const json_t *document);
/* Computes derived.KEY. New reference; NULL: not recorded. */
json_t *res_field_derive(const struct res_values *values, const char *key);
