/*
 * The values of all fields of a list in one document, found in a single walk. Each equals the
 * result of res_field_value(); a unit test compares them.
 */
#pragma once

#include "result/fields/fields.h"

struct res_values;
/* Both are borrowed. */
struct res_values *res_values_new(const struct res_fields *fields, const json_t *document);
void res_values_free(struct res_values *values);
PL_AUTO_DEFINE(struct res_values, res_values_free);
#define auto_values PL_AUTO(res_values_free)

/* `field` must be in the list. Equals res_field_value(). */
void res_values_get(const struct res_values *values, const struct res_field *field,
		    struct res_value *ret);
/* Returns whether the field is neither recorded nor set. */
bool res_values_lacks(const struct res_values *values, const struct res_field *field);

const struct res_fields *res_values_fields(const struct res_values *values);
const json_t *res_values_document(const struct res_values *values);
/*
 * Returns the inputs that the user set, by field id, as an object: derived.input_key is their hash.
 * New reference.
 */
json_t *res_values_inputs(const struct res_values *values);
