/* Every field that a document records, listed or not. */
#pragma once

#include "result/fields/fields.h"

/* By id {state, value, explicit, source}: FieldValue of api/openapi.yaml. New reference. */
json_t *dash_fields_of(const struct res_fields *fields, const json_t *document);
/* Where a field stands in a document, as a JSON pointer; null where it is made of several places, or stands
 * nowhere. New reference. */
json_t *dash_field_pointer(const char *id, const json_t *document);
