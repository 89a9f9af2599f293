/*
 * What all fields of a list have in one document, found in one walk through it. Of each it is what
 * res_field_value() says, which a unit test holds against it.
 */
#pragma once

#include "result/fields/fields.h"

struct res_values;
/* Both are borrowed. */
struct res_values *res_values_new(const struct res_fields *fields, const json_t *document);
void res_values_free(struct res_values *values);
PL_AUTO_DEFINE(struct res_values, res_values_free);
#define auto_values PL_AUTO(res_values_free)

/* `field` is one of the list. As res_field_value(). */
void res_values_get(const struct res_values *values, const struct res_field *field,
		    struct res_value *ret);
/* Is there nothing to be said of it: neither recorded nor set? */
bool res_values_lacks(const struct res_values *values, const struct res_field *field);

const struct res_fields *res_values_fields(const struct res_values *values);
const json_t *res_values_document(const struct res_values *values);
