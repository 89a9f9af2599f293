#include "model/dotted.h"

#include <string.h>

json_t *md_dotted_value(const char *text)
{
	json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);

	return json != NULL ? json : json_string(text);
}

json_t *md_dotted_list(const char *text)
{
	auto_free char *copy = pl_strdup(text);
	json_t *list = json_array();

	for (char *rest = copy; rest != NULL;)
		json_array_append_new(list, json_string(strsep(&rest, ",")));
	return list;
}
