/*
 * Checks documents by schemas: one JSON object per line on standard input, one per line in return.
 *   {schema, document}    {pointers: of the faults} or {error: what is wrong with the schema}
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "schema/schema.h"

#define FAULTS_MAX 10000

static json_t *answer(const json_t *requested)
{
	auto_schema const struct schema *schema = NULL;
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (schema_compile(json_object_get(requested, "schema"), "schema.json", "", &schema, &err) <
	    0)
		return json_pack("{s:s}", "error", err.text);
	bool fits = schema_check(schema, json_object_get(requested, "document"), FAULTS_MAX,
				 &faults);
	json_t *pointers = json_array();
	for (size_t i = 0; i < faults.count; i++) {
		if (faults.items[i].level == 0)
			json_array_append_new(pointers, json_string(faults.items[i].pointer));
	}
	return json_pack("{s:b, s:o}", "fits", fits, "pointers", pointers);
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;

	for (ssize_t len; (len = getline(&line, &room, stdin)) > 0;) {
		struct pl_err err = PL_ERR_INIT;
		auto_json json_t *requested = NULL;
		if (pl_json_parse_wide(line, (size_t)len, "standard input", &requested, &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			return 2;
		}
		auto_json json_t *heard = answer(requested);
		auto_free char *text = pl_json_to_text(heard, PL_JSON_COMPACT);
		puts(text);
	}
	free(line);
	return 0;
}
