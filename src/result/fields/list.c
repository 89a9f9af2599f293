#include "result/fields/list.h"

json_t *res_fields_list_json(const struct res_field *fields, size_t count)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(rows, res_field_to_json(&fields[i]));
	return rows;
}

void res_fields_count_text(const struct res_field *fields, size_t count, struct pl_buf *buf)
{
	size_t columns = 0;

	for (size_t i = 0; i < count; i++)
		columns += fields[i].column;
	pl_buf_addf(buf, "%zu fields, %zu of them columns\n", count, columns);
}

void res_fields_list_text(const struct res_field *fields, size_t count, struct pl_buf *buf)
{
	for (size_t i = 0; i < count; i++) {
		auto_json json_t *row = res_field_to_json(&fields[i]);
		pl_buf_addf(buf, "%-50s %-7s %-10s %s%s%s\n", fields[i].id,
			    json_string_value(json_object_get(row, "type")),
			    json_string_value(json_object_get(row, "role")),
			    fields[i].column ? "column" : "", fields[i].unit[0] != '\0' ? " " : "",
			    fields[i].unit);
	}
	res_fields_count_text(fields, count, buf);
}
