#include "dash/all_fields.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "result/fields/priced.h"

/* Limits of nested keys that are searched for fields without a row. */
#define DEPTH_MAX    16
#define ID_BYTES_MAX 4096
/* Parts of a document whose fields have other names (result/fields/fields.h). */
static const struct {
	const char *key_path;
	const char *id;
} renamed[] = {
	{ "config.server", "server" },
	{ "config.benchmark", "benchmark" },
	{ "config.experiment", "experiment" },
};

static void add_field(const struct res_fields *fields, const struct res_field *field,
		      const json_t *document, json_t *into)
{
	auto_value value;

	res_field_value(fields, field, document, &value);
	if (value.state != RES_VALUE_NOT_RECORDED)
		json_object_set_new(into, field->id, res_value_to_json(&value));
}

/*
 * Adds the values that are fields only by their id: a percentile without a row, a tag, a key in a JSON argument, an
 * argument that is newer than this program.
 */
static void add_unlisted(const struct res_fields *fields, const char *id, const json_t *document,
			 json_t *into)
{
	struct res_field field;

	if (json_object_get(into, id) != NULL || res_fields_find(fields, id) != NULL)
		return;
	if (res_fields_resolve(fields, id, &field, NULL) < 0) {
		bool is_argument = pl_text_starts(id, "server.") ||
				   pl_text_starts(id, "benchmark.");
		if (!is_argument)
			return;
		res_field_unlisted(id, &field);
	}
	add_field(fields, &field, document, into);
}

static const char *renamed_of(const char *key_path)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(renamed); i++) {
		if (strcmp(renamed[i].key_path, key_path) == 0)
			return renamed[i].id;
	}
	return key_path;
}

static void walk(const struct res_fields *fields, const json_t *object, const char *key_path,
		 const json_t *document, json_t *into, unsigned depth)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		auto_buf id = PL_BUF(ID_BYTES_MAX);
		if (!pl_buf_addf(&id, "%s%s%s", key_path, key_path[0] != '\0' ? "." : "", key))
			continue;
		const char *name = renamed_of(pl_buf_text(&id));
		if (key_path[0] != '\0')
			add_unlisted(fields, name, document, into);
		if (json_is_object(value) && depth < DEPTH_MAX)
			walk(fields, value, name, document, into, depth + 1);
	}
}

json_t *dash_fields_of(const struct res_fields *fields, const json_t *document)
{
	json_t *all = json_object();

	for (size_t i = 0; i < res_fields_count(fields); i++)
		add_field(fields, res_fields_at(fields, i), document, all);
	walk(fields, document, "", document, all, 0);
	return all;
}

/* Returns the number of a field; NaN: it has none. */
static double number_of(const json_t *all, const char *id)
{
	const json_t *value = json_object_get(json_object_get(all, id), "value");

	return json_is_number(value) ? json_number_value(value) : NAN;
}

void dash_fields_add_priced(const struct res_fields *fields, const json_t *prices, json_t *all)
{
	struct res_prices *known = res_prices_new(prices);
	const char *gpu_id = res_priced_source_ids[RES_PRICED_GPU_NAME];
	const json_t *gpu = json_object_get(json_object_get(all, gpu_id), "value");
	double per_hour = res_prices_per_hour(known, json_string_value(gpu));
	double numbers[RES_PRICED_SOURCES];

	for (size_t i = 0; i < RES_PRICED_SOURCES; i++)
		numbers[i] = number_of(all, res_priced_source_ids[i]);
	for (int i = 0; i < RES_PRICED_COUNT; i++) {
		const char *id = res_priced_id((enum res_priced)i);
		double number = res_priced_value((enum res_priced)i, known, per_hour, numbers);
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		if (isnan(number))
			continue;
		res_field_value_of(res_fields_find(fields, id), json_real(number), &value);
		json_object_set_new(all, id, res_value_to_json(&value));
	}
	res_prices_free(known);
}

/* ---- responses ----------------------------------------------------------------------------- */

json_t *dash_field_pointer(const char *id, const json_t *document)
{
	auto_buf pointer = PL_BUF(ID_BYTES_MAX * 2);
	auto_free char *key_path = pl_strdup(id);

	for (size_t i = 0; i < PL_ARRAY_SIZE(renamed); i++) {
		size_t len = strlen(renamed[i].id);
		if (pl_text_starts(id, renamed[i].id) && id[len] == '.') {
			free(key_path);
			key_path = pl_asprintf("%s%s", renamed[i].key_path, id + len);
		}
	}
	const char *at = pl_text_starts(key_path, "run.") ? key_path + strlen("run.") : key_path;
	for (const json_t *json = document; *at != '\0';) {
		size_t len = strcspn(at, ".");
		auto_free char *key = pl_strndup(at, len);
		json = json_object_get(json, key);
		if (json == NULL)
			return json_null();
		pl_buf_add_char(&pointer, '/');
		for (const char *c = key; *c != '\0'; c++) {
			if (*c == '~' || *c == '/')
				pl_buf_add_text(&pointer, *c == '~' ? "~0" : "~1");
			else
				pl_buf_add_char(&pointer, *c);
		}
		at += at[len] == '.' ? len + 1 : len;
	}
	return pl_json_text(pl_buf_text(&pointer));
}
