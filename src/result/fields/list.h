/*
 * Fields as people and programs list them.
 */
#pragma once

#include "base/buf.h"
#include "result/fields/fields.h"

/* Array of res_field_to_json(). New reference. */
json_t *res_fields_list_json(const struct res_field *fields, size_t count);
/* A line each, and how many there are. */
void res_fields_list_text(const struct res_field *fields, size_t count, struct pl_buf *buf);
/* "1234 fields, 812 of them columns" */
void res_fields_count_text(const struct res_field *fields, size_t count, struct pl_buf *buf);
