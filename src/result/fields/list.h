/* Lists of fields for users and programs. */
#pragma once

#include "base/buf.h"
#include "result/fields/fields.h"

/* Returns an array of res_field_to_json(). New reference. */
json_t *res_fields_list_json(const struct res_field *fields, size_t count);
/* Appends one line per field, and their number. */
void res_fields_list_text(const struct res_field *fields, size_t count, struct pl_buf *buf);
/* Appends "1234 fields, 812 of them columns". */
void res_fields_count_text(const struct res_field *fields, size_t count, struct pl_buf *buf);
