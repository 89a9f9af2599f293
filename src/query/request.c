#include "query/request_priv.h"

const json_t *query_request_member(const json_t *request, const char *key)
{
	const json_t *value = json_object_get(request, key);

	return json_is_null(value) ? NULL : value;
}

void query_request_ids(const json_t *list, struct mirror_ids *ids)
{
	PL_JSON_EACH(item, list) {
		const json_t *field = json_object_get(item, "field");
		const char *id = json_string_value(field != NULL ? field : item);
		*PL_PUSH(ids->items, ids->count, ids->room) = id;
	}
}

bool query_request_column(struct query_pointer *pointer, const struct mirror_view *view,
			  const json_t *field, const struct mirror_column **ret)
{
	const char *id = json_string_value(field);

	*ret = mirror_view_column(view, id);
	return *ret != NULL ||
	       query_pointer_fault(pointer, "field", field, "the id of a field",
				   res_fields_nearest(mirror_view_fields(view), id));
}

bool query_request_field(struct query_pointer *pointer, const struct mirror_view *view,
			 const json_t *request, const char *key, const struct mirror_column **ret)
{
	const json_t *field = query_request_member(request, key);
	size_t before = query_pointer_enter(pointer, key);
	bool fits = field == NULL || query_request_column(pointer, view, field, ret);

	query_pointer_leave(pointer, before);
	return fits;
}

bool query_request_columns(struct query_pointer *pointer, const struct mirror_view *view,
			   const json_t *request, const char *key, struct request_fields *ret)
{
	const json_t *list = query_request_member(request, key);
	size_t before = query_pointer_enter(pointer, key);
	bool fits = true;

	ret->count = json_array_size(list);
	ret->items = pl_alloc_array(ret->count, sizeof(*ret->items));
	for (size_t i = 0; i < ret->count; i++) {
		size_t outside = query_pointer_enter_item(pointer, i);
		fits = query_request_column(pointer, view, json_array_get(list, i),
					    &ret->items[i]) &&
		       fits;
		query_pointer_leave(pointer, outside);
	}
	query_pointer_leave(pointer, before);
	return fits;
}

json_int_t query_request_number(const json_t *request, const char *key, json_int_t otherwise)
{
	const json_t *value = query_request_member(request, key);

	return value != NULL ? json_integer_value(value) : otherwise;
}

int query_request_refuse(const struct query_pointer *pointer, struct pl_err *err)
{
	auto_buf line = PL_BUF(sizeof(err->text));

	schema_fault_text(&pointer->faults->items[0], &line);
	return pl_err_set(err, PL_ERR_INVALID, "%s", pl_buf_text(&line));
}
