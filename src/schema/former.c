#include "schema/former.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

/* Results of an earlier schema_version have former names; one of this version differs by nothing else. */
#define RENAMED_VERSION  3
#define RENAMED_BEFORE   2
#define SCHEMA_VERSION   "schema_version"
#define SECTION_PATH_MAX 64

enum level {
	TOP,
	RUN,
	RECORD,
	HEAD,
#define FORMER_SECTION(PLACE, path) PLACE,
#include "tbl/former_names.h"
#undef FORMER_SECTION
};

static const struct section {
	enum level level;
	const char *path;
} sections[] = {
#define FORMER_SECTION(PLACE, path) { PLACE, path },
#include "tbl/former_names.h"
#undef FORMER_SECTION
};

static const struct former {
	enum level level;
	const char *key; /* by its present name; "": every key; NULL: the key itself is renamed */
	const char *former;
	const char *name;
} formers[] = {
#define FORMER_KEY(PLACE, former, name)        { PLACE, NULL, former, name },
#define FORMER_VALUE(PLACE, key, former, name) { PLACE, key, former, name },
#include "tbl/former_names.h"
#undef FORMER_KEY
#undef FORMER_VALUE
};

static void rename_key(json_t *object, const struct former *row)
{
	json_t *value = json_object_get(object, row->former);

	if (value == NULL || json_object_get(object, row->name) != NULL)
		return;
	json_object_set(object, row->name, value);
	json_object_del(object, row->former);
}

static void rename_value(json_t *object, const char *key, const struct former *row)
{
	if (pl_text_equal(pl_json_get_text(object, key), row->former))
		json_object_set_new(object, key, json_string(row->name));
}

static void rename_values(json_t *object, const struct former *row)
{
	if (row->key[0] != '\0') {
		rename_value(object, row->key, row);
		return;
	}
	PL_JSON_EACH_MEMBER(key, value, object)
		rename_value(object, key, row);
}

static void rename_at(json_t *object, enum level level)
{
	if (!json_is_object(object))
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(formers); i++) {
		if (formers[i].level != level)
			continue;
		if (formers[i].key == NULL)
			rename_key(object, &formers[i]);
		else
			rename_values(object, &formers[i]);
	}
}

void schema_rename_former(json_t *document)
{
	size_t index;
	json_t *run;

	rename_at(document, TOP);
	json_array_foreach(json_object_get(document, "runs"), index, run) rename_at(run, RUN);
}

void schema_rename_former_run(json_t *run)
{
	rename_at(run, RUN);
}

void schema_rename_former_record(json_t *record)
{
	rename_at(record, RECORD);
}

void schema_rename_former_head(json_t *head)
{
	rename_at(head, HEAD);
}

bool schema_former_row(size_t i, struct schema_former *ret)
{
	if (i >= PL_ARRAY_SIZE(formers))
		return false;
	const struct former *row = &formers[i];
	*ret = (struct schema_former){ NULL, row->key, row->former, row->name };
	for (size_t k = 0; k < PL_ARRAY_SIZE(sections); k++) {
		if (sections[k].level == row->level)
			ret->path = sections[k].path;
	}
	return true;
}

/* ---- results -------------------------------------------------------------------------------- */

/* Renames at the path from `json` on, in each entry of a list. */
static void rename_below(json_t *json, const char *path, enum level level)
{
	size_t len = strcspn(path, ".");
	char key[SECTION_PATH_MAX];

	PL_JSON_EACH(entry, json)
		rename_below(entry, path, level);
	if (!json_is_object(json))
		return;
	if (path[0] == '\0') {
		rename_at(json, level);
		return;
	}
	memcpy(key, path, len);
	key[len] = '\0';
	rename_below(json_object_get(json, key), path + len + (path[len] == '.'), level);
}

void schema_rename_former_sections(json_t *document)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(sections); i++)
		rename_below(document, sections[i].path, sections[i].level);
}

void schema_rename_former_result(json_t *result)
{
	const json_t *version = json_object_get(result, SCHEMA_VERSION);

	if (json_is_integer(version) && json_integer_value(version) < RENAMED_VERSION)
		schema_rename_former_sections(result);
}

json_t *schema_result_to_check(json_t *result)
{
	const json_t *version = json_object_get(result, SCHEMA_VERSION);

	if (!json_is_integer(version) || json_integer_value(version) != RENAMED_BEFORE)
		return json_incref(result);
	json_t *copy = json_copy(result);
	json_object_set_new(copy, SCHEMA_VERSION, json_integer(RENAMED_VERSION));
	return copy;
}
