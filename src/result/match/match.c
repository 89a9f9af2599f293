/* Which runs have the same inputs. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/fields/values.h"
#include "result/match/grid.h"

#define LABEL_BYTES_MAX 4096

static void add_fact(const struct res_values *values, const char *id, json_t *inputs)
{
	const struct res_field *field = res_fields_find(res_values_fields(values), id);
	auto_value value = { .state = RES_VALUE_NOT_RECORDED };

	if (field == NULL)
		return;
	res_values_get(values, field, &value);
	if (value.state == RES_VALUE_PRESENT && value.json != NULL)
		json_object_set(inputs, id, value.json);
}

json_t *res_match_inputs(const struct res_fields *fields, const json_t *document)
{
	static const char *const facts[] = { "system.hardware_info.gpu_name", "derived.gpu_count",
					     "environment.engine.name",
					     "environment.engine.simulated" };
	auto_values struct res_values *values = res_values_new(fields, document);
	json_t *inputs = res_values_inputs(values);

	for (size_t i = 0; i < PL_ARRAY_SIZE(facts); i++)
		add_fact(values, facts[i], inputs);
	return inputs;
}

static bool varies(const char *id, const char *const *vary, size_t vary_count)
{
	for (size_t i = 0; i < vary_count; i++) {
		size_t len = strlen(vary[i]);
		if (strncmp(id, vary[i], len) == 0 && (id[len] == '\0' || id[len] == '.'))
			return true;
	}
	return false;
}

char *res_match_key(const json_t *inputs, const char *const *vary, size_t vary_count)
{
	auto_json json_t *left = json_object();

	PL_JSON_EACH_MEMBER(id, value, inputs) {
		if (!varies(id, vary, vary_count))
			json_object_set(left, id, value);
	}
	return res_field_canonical(left);
}

char *res_match_label(const json_t *inputs, const json_t *axes)
{
	struct pl_buf label = PL_BUF(LABEL_BYTES_MAX);

	PL_JSON_EACH_MEMBER(id, ignored, axes) {
		const json_t *value = json_object_get(inputs, id);
		auto_free char *text = value != NULL ? pl_json_to_plain(value) : NULL;
		const char *dot = strchr(id, '.');
		pl_buf_addf(&label, "%s%s=%s", label.len > 0 ? " " : "", dot != NULL ? dot + 1 : id,
			    text != NULL ? text : "unset");
	}
	if (label.len == 0)
		pl_buf_add_text(&label, "all runs");
	return pl_buf_take(&label);
}

static int compare_json(const void *a, const void *b)
{
	json_t *const *one = a, *const *other = b;

	if (json_is_number(*one) && json_is_number(*other))
		return (json_number_value(*one) > json_number_value(*other)) -
		       (json_number_value(*one) < json_number_value(*other));
	auto_free char *left = res_field_canonical(*one);
	auto_free char *right = res_field_canonical(*other);
	return strcmp(left, right);
}

/* Returns the different values of a field, null where it is unset, sorted. New reference. */
static json_t *values_of(const json_t *list, const char *id)
{
	auto_json json_t *different = json_object(); /* by their text */
	json_t *sorted = json_array();
	size_t count = 0;

	PL_JSON_EACH(inputs, list) {
		json_t *value = json_object_get(inputs, id);
		auto_json json_t *found = value != NULL ? json_incref(value) : json_null();
		auto_free char *text = res_field_canonical(found);
		json_object_set(different, text, found);
	}
	auto_free json_t **items = pl_alloc_array(json_object_size(different), sizeof(items[0]));
	PL_JSON_EACH_MEMBER(text, value, different)
		items[count++] = (json_t *)value;
	qsort(items, count, sizeof(items[0]), compare_json);
	for (size_t i = 0; i < count; i++)
		json_array_append(sorted, items[i]);
	return sorted;
}

/* Returns all fields of the list, sorted by id, so that nothing depends on the order of runs. */
static const char **all_ids(const json_t *list, json_t *holder, size_t *ret_count)
{
	PL_JSON_EACH(inputs, list) {
		PL_JSON_EACH_MEMBER(id, ignored, inputs)
			json_object_set_new(holder, id, json_null());
	}
	const char **ids = pl_alloc_array(json_object_size(holder), sizeof(ids[0]));
	size_t count = 0;
	PL_JSON_EACH_MEMBER(id, ignored, holder)
		ids[count++] = id;
	qsort(ids, count, sizeof(ids[0]), pl_text_compare);
	*ret_count = count;
	return ids;
}

json_t *res_match_axes(const json_t *list)
{
	auto_json json_t *holder = json_object();
	json_t *axes = json_object();
	size_t count;
	auto_free const char **ids = all_ids(list, holder, &count);

	for (size_t i = 0; i < count; i++) {
		json_t *values = values_of(list, ids[i]);
		if (json_array_size(values) > 1)
			json_object_set(axes, ids[i], values);
		json_decref(values);
	}
	return axes;
}

json_t *res_match_differences(const json_t *one, const json_t *other)
{
	auto_json json_t *list = json_pack("[O, O]", (json_t *)one, (json_t *)other);
	auto_json json_t *axes = res_match_axes(list);
	json_t *fields = json_array();

	PL_JSON_EACH_MEMBER(id, ignored, axes)
		json_array_append_new(fields, json_string(id));
	return fields;
}
