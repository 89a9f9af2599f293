#include "result/fields/former.h"

#include <stdbool.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "result/fields/fields_priv.h"
#include "schema/former.h"

#define CHECKS "quality.checks"
#define FIELD  "field"

/* The fields of a check have its id in theirs: "quality.ID.status". */
static bool is_of_check(const struct schema_former *row, const char *key)
{
	return pl_text_equal(row->path, CHECKS) && pl_text_equal(row->key, key);
}

/* Returns the id that the row makes of this one; NULL: the row is about another. */
static char *renamed_by(const struct schema_former *row, const char *id)
{
	if (row->path == NULL)
		return NULL;
	if (is_of_check(row, "id")) {
		auto_free char *check = pl_asprintf(RES_FIELD_QUALITY ".%s.", row->former);
		const char *key = res_field_below(id, check);
		return key != NULL ? pl_asprintf(RES_FIELD_QUALITY ".%s.%s", row->name, key) : NULL;
	}
	const char *key = res_field_below(id, row->path);
	if (row->key != NULL || key == NULL || key[0] != '.' || strcmp(key + 1, row->former) != 0)
		return NULL;
	return pl_asprintf("%s.%s", row->path, row->name);
}

char *res_field_former_id(const char *id)
{
	struct schema_former row;
	char *present = NULL;

	for (size_t i = 0; present == NULL && schema_former_row(i, &row); i++)
		present = renamed_by(&row, id);
	return present;
}

const char *res_field_former_value(const char *id, const char *text)
{
	struct schema_former row;

	if (!pl_text_starts(id, RES_FIELD_QUALITY ".") || !pl_text_ends(id, ".status"))
		return text;
	for (size_t i = 0; schema_former_row(i, &row); i++) {
		if (is_of_check(&row, "status") && strcmp(row.former, text) == 0)
			return row.name;
	}
	return text;
}

/* ---- in JSON -------------------------------------------------------------------------------- */

/* Returns the present id as JSON, a new reference; NULL: not a former id, or not a text. */
static json_t *present_id(const json_t *id)
{
	auto_free char *present = json_is_string(id) ? res_field_former_id(json_string_value(id))
						     : NULL;

	return present != NULL ? json_string(present) : NULL;
}

static json_t *present_value(const char *field, const json_t *value)
{
	return json_string(res_field_former_value(field, json_string_value(value)));
}

static void rename_field(json_t *object)
{
	json_t *present = present_id(json_object_get(object, FIELD));

	if (present != NULL)
		json_object_set_new(object, FIELD, present);
}

static void rename_operands(json_t *predicate)
{
	const char *field = pl_json_get_text(predicate, FIELD);
	json_t *value = json_object_get(predicate, "value");

	if (field == NULL)
		return;
	if (json_is_string(value))
		json_object_set_new(predicate, "value", present_value(field, value));
	PL_JSON_EACH(item, value) {
		if (json_is_string(item))
			json_array_set_new(value, item_at, present_value(field, item));
	}
}

void res_filter_rename_former(json_t *filter)
{
	static const char *const lists[] = { "and", "or" };

	rename_field(filter);
	rename_operands(filter);
	if (json_is_object(json_object_get(filter, "not")))
		res_filter_rename_former(json_object_get(filter, "not"));
	for (size_t i = 0; i < PL_ARRAY_SIZE(lists); i++) {
		PL_JSON_EACH(child, json_object_get(filter, lists[i]))
			res_filter_rename_former(child);
	}
}

void res_fields_rename_former(json_t *list)
{
	PL_JSON_EACH(item, list) {
		json_t *present = present_id(item);
		if (present != NULL)
			json_array_set_new(list, item_at, present);
		else
			rename_field(item);
	}
}
