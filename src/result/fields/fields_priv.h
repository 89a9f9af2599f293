/*
 * Between fields.c (which fields there are), value.c (what they have in a document), derived.c (what
 * follows from others) and places.c (where they stand).
 */
#pragma once

#include "result/fields/fields.h"

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

/* What stands behind a beginning: "ready_s" of "launch.phases.ready_s" and "launch.phases."; NULL:
 * it does not begin so. */
const char *res_field_below(const char *id, const char *beginning);
/* What derived.KEY is. New reference; NULL: not recorded. */
json_t *res_field_derive(const struct res_fields *fields, const char *key, const json_t *document);
