/* All fields that a document contains, including unlisted ones. */
#pragma once

#include "result/fields/fields.h"

/* Returns {state, value, explicit, source} by id: FieldValue of api/openapi.yaml. New reference. */
json_t *dash_fields_of(const struct res_fields *fields, const json_t *document);
/* Adds the fields that follow from these fields and from prices, in the form of api/openapi.yaml (Prices), or NULL. */
void dash_fields_add_priced(const struct res_fields *fields, const json_t *prices, json_t *all);
/*
 * Returns the location of a field in a document as a JSON pointer; null if it is computed from several values or has
 * none. New reference.
 */
json_t *dash_field_pointer(const char *id, const json_t *document);
