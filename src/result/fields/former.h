/*
 * Field ids and values of fields that earlier versions used, in filters, presets, requests and databases. They follow from
 * the former names in results (src/tbl/former_names.h).
 */
#pragma once

#include <jansson.h>

/* Returns the present id of a field by its former one; free(). NULL: not a former id. */
char *res_field_former_id(const char *id);
/* Returns the present spelling of a text that is a value of the field: a static text, or `text` if it has no other. */
const char *res_field_former_value(const char *id, const char *text);
/* Renames the field and the values of each predicate of a filter, in place. */
void res_filter_rename_former(json_t *filter);
/* Renames the fields of a list in place: ids, or the member `field` of its objects. */
void res_fields_rename_former(json_t *list);
