#include <stdio.h>

#include "query/request_priv.h"

const json_t *query_request_member(const json_t *request, const char *key)
{
	const json_t *value = json_object_get(request, key);

	return json_is_null(value) ? NULL : value;
}

void query_request_ids(const json_t *list, struct mirror_ids *ids)
{
	for (size_t i = 0; i < json_array_size(list) && i < REQUEST_FIELDS_MAX; i++) {
		const json_t *item = json_array_get(list, i);
		const json_t *field = json_object_get(item, "field");
		const char *id = json_string_value(field != NULL ? field : item);
		if (id != NULL)
			*PL_PUSH(ids->items, ids->count, ids->room) = id;
	}
}

bool query_request_column(struct place *place, const struct mirror_view *view, const json_t *field,
			  const struct mirror_column **ret)
{
	const char *id = json_string_value(field);

	if (id == NULL)
		return query_place_fault(place, "type", field, "the id of a field", NULL);
	*ret = mirror_view_column(view, id);
	if (*ret == NULL)
		return query_place_fault(place, "field", field, "the id of a field",
					 res_fields_nearest(mirror_view_fields(view), id));
	return true;
}

bool query_request_columns(struct place *place, const struct mirror_view *view,
			   const json_t *request, const char *key, struct request_fields *ret)
{
	const json_t *list = query_request_member(request, key);
	size_t before = query_place_enter(place, key);
	size_t count = json_array_size(list);
	bool fits = json_is_array(list) && count <= REQUEST_FIELDS_MAX;

	if (!json_is_array(list))
		query_place_fault(place, "type", list, "a list of ids of fields", NULL);
	else if (!fits)
		query_place_limit(place, list, REQUEST_FIELDS_MAX, "fields");
	ret->items = pl_alloc_array(count, sizeof(*ret->items));
	ret->count = count;
	for (size_t i = 0; i < count && count <= REQUEST_FIELDS_MAX; i++) {
		size_t outside = query_place_enter_item(place, i);
		fits = query_request_column(place, view, json_array_get(list, i), &ret->items[i]) &&
		       fits;
		query_place_leave(place, outside);
	}
	query_place_leave(place, before);
	return fits;
}

bool query_request_number(struct place *place, const json_t *request, const char *key,
			  json_int_t low, json_int_t high, json_int_t *number)
{
	const json_t *value = query_request_member(request, key);
	char expected[64];
	size_t before;

	if (value == NULL)
		return true;
	if (json_is_integer(value) && json_integer_value(value) >= low &&
	    json_integer_value(value) <= high) {
		*number = json_integer_value(value);
		return true;
	}
	snprintf(expected, sizeof(expected), "a whole number from %lld to %lld", (long long)low,
		 (long long)high);
	before = query_place_enter(place, key);
	query_place_fault(place, "value", value, expected, NULL);
	query_place_leave(place, before);
	return false;
}

bool query_request_flag(struct place *place, const json_t *request, const char *key, bool *ret)
{
	const json_t *value = query_request_member(request, key);
	size_t before = query_place_enter(place, key);
	bool fits = value == NULL || json_is_boolean(value) ||
		    query_place_fault(place, "type", value, "true or false", NULL);

	query_place_leave(place, before);
	*ret = json_is_true(value);
	return fits;
}

int query_request_refuse(const struct place *place, struct pl_err *err)
{
	auto_buf line = PL_BUF(sizeof(err->text));

	schema_fault_text(&place->faults->items[0], &line);
	return pl_err_set(err, PL_ERR_INVALID, "%s", pl_buf_text(&line));
}
