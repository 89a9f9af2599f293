/*
 * embed-json FILE OUT: writes a YAML or JSON file as compact JSON without titles and descriptions, in which the programs
 * contain it. An OpenAPI document keeps what describes its requests. The build runs the program: a server reads its
 * contract at each start, which takes a tenth of the time then.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/yaml.h"

#define FILE_BYTES_MAX (16u << 20)

/* A member with such a name whose value is not a text is a property that has this name. */
static const char *const prose[] = { "description", "summary", "title" };
/* Their members are values, not keywords. */
static const char *const values[] = { "const", "default", "enum" };

static void strip(json_t *json)
{
	const char *key;
	json_t *value;
	void *next;
	size_t i;

	json_array_foreach(json, i, value) strip(value);
	json_object_foreach_safe(json, next, key, value)
	{
		if (json_is_string(value) && PL_TEXT_IS_ONE_OF(key, prose))
			json_object_del(json, key);
		else if (!PL_TEXT_IS_ONE_OF(key, values))
			strip(value);
	}
}

/* Adds the names of the schemas that a part of the document refers to, also through others. */
static void collect(const json_t *schemas, const json_t *json, json_t *names)
{
	static const char start[] = "#/components/schemas/";
	const char *key;
	json_t *value;
	size_t i;

	json_array_foreach(json, i, value) collect(schemas, value, names);
	json_object_foreach((json_t *)json, key, value)
	{
		const char *ref = strcmp(key, "$ref") == 0 ? json_string_value(value) : NULL;
		if (ref == NULL || !pl_text_starts(ref, start)) {
			collect(schemas, value, names);
			continue;
		}
		/* a pointer may lead into a schema */
		auto_free char *name = pl_strndup(ref + strlen(start),
						  strcspn(ref + strlen(start), "/"));
		if (json_object_get(names, name) == NULL) {
			json_object_set_new(names, name, json_true());
			collect(schemas, json_object_get(schemas, name), names);
		}
	}
}

/* Keeps the statuses of responses, and the schemas of requests. */
static void keep_requests(json_t *document)
{
	json_t *components = json_object_get(document, "components");
	json_t *schemas = json_object_get(components, "schemas");
	auto_json json_t *names = json_object();
	const char *key;
	json_t *value;
	void *next;

	json_object_del(components, "responses");
	PL_JSON_EACH_MEMBER(path, operations, json_object_get(document, "paths")) {
		PL_JSON_EACH_MEMBER(method, operation, operations) {
			json_object_foreach(json_object_get(operation, "responses"), key, value)
				json_object_clear(value);
		}
	}
	collect(schemas, json_object_get(document, "paths"), names);
	collect(schemas, json_object_get(components, "parameters"), names);
	json_object_foreach_safe(schemas, next, key, value)
	{
		if (json_object_get(names, key) == NULL)
			json_object_del(schemas, key);
	}
}

static int convert(const char *path, const char *out, struct pl_err *err)
{
	auto_free char *text = NULL;
	auto_yaml struct pl_yaml_doc *yaml = NULL;
	size_t len;

	if (pl_file_read(path, FILE_BYTES_MAX, &text, &len, err) < 0 ||
	    pl_yaml_parse(text, len, path, &yaml, err) < 0)
		return -1;
	auto_json json_t *json = pl_yaml_to_json(pl_yaml_root(yaml));
	strip(json);
	if (json_object_get(json, "openapi") != NULL)
		keep_requests(json);
	auto_free char *compact = pl_json_to_text(json, PL_JSON_COMPACT);
	return pl_file_write(out, compact, strlen(compact), err);
}

int main(int argc, char **argv)
{
	struct pl_err err = PL_ERR_INIT;

	if (argc != 3) {
		fputs("usage: embed-json FILE OUT\n", stderr);
		return 2;
	}
	if (convert(argv[1], argv[2], &err) < 0) {
		fprintf(stderr, "embed-json: %s\n", err.text);
		return 1;
	}
	return 0;
}
