/*
 * Between fields.c (which fields there are), value.c (what they have in a document) and
 * derived.c (what follows from others).
 */
#pragma once

#include "result/fields/fields.h"

#define WHOLE_MAX 9e15 /* a double is exact to here */

/* What stands behind a beginning: "ready_s" of "launch.phases.ready_s" and "launch.phases."; NULL:
 * it does not begin so. */
const char *res_field_below(const char *id, const char *beginning);
/* What derived.KEY is. New reference; NULL: not recorded. */
json_t *res_field_derive(const struct res_fields *fields, const char *key, const json_t *document);
