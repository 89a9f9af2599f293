#include "schema/former.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"

enum place { TOP, RUN };

static const struct former {
	enum place place;
	const char *key; /* by its present name; NULL: the key itself is renamed */
	const char *former;
	const char *name;
} formers[] = {
#define FORMER_KEY(place, former, name)        { place, NULL, former, name },
#define FORMER_VALUE(place, key, former, name) { place, key, former, name },
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

static void rename_value(json_t *object, const struct former *row)
{
	const char *value = json_string_value(json_object_get(object, row->key));

	if (value != NULL && strcmp(value, row->former) == 0)
		json_object_set_new(object, row->key, json_string(row->name));
}

static void rename_at(json_t *object, enum place place)
{
	if (!json_is_object(object))
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(formers); i++) {
		if (formers[i].place != place)
			continue;
		if (formers[i].key == NULL)
			rename_key(object, &formers[i]);
		else
			rename_value(object, &formers[i]);
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
