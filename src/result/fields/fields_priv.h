/*
 * Shared by fields.c (the list of fields), values.c (their values in a document), derived.c
 * (computed fields), tree.c and places.c (their paths).
 */
#pragma once

#include "result/fields/fields.h"
#include "result/fields/values.h"

struct res_tree;

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

#define RES_FIELD_BORROWED "benchmark"

/*
 * Returns the rest of an id after a prefix: "ready_s" for "launch.phases.ready_s" and
 * "launch.phases."; NULL: other prefix.
 */
const char *res_field_below(const char *id, const char *beginning);

const struct res_tree *res_fields_tree(const struct res_fields *fields);
/* Returns the value of an option that is not set; NULL: unknown. */
const struct res_value *res_fields_default(const struct res_fields *fields,
					   const struct res_field *field);

/* Computes derived.KEY. New reference; NULL: not recorded. */
json_t *res_field_derive(const struct res_values *values, const char *key);
