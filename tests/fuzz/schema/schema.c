/*
 * Bytes as a document for the schemas of the program, and as a schema with a document: "SCHEMA\n
 * DOCUMENT". A verdict has faults or none, each with a pointer that leads to something, and a quiet
 * check has the same verdict.
 */
#include "schema/schema.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define FAULTS_MAX 50

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const json_t *step(const json_t *json, char *token)
{
	char *to = token;

	for (const char *at = token; *at != '\0'; at++) {
		bool is_escaped = *at == '~';
		*to++ = !is_escaped ? *at : at[1] == '0' ? '~' : '/';
		at += is_escaped;
	}
	*to = '\0';
	return json_is_array(json) ? json_array_get(json, strtoul(token, NULL, 10))
				   : json_object_get(json, token);
}

static void follow(const json_t *json, const char *pointer)
{
	auto_free char *copy = pl_strdup(pointer);
	char *rest = copy;

	strsep(&rest, "/");
	for (char *token; (token = strsep(&rest, "/")) != NULL;)
		json = step(json, token);
	assert(json != NULL);
}

static void check(const struct schema *schema, const json_t *document)
{
	auto_schema_faults faults = { 0 };
	auto_buf text = PL_BUF(1u << 26);
	bool fits = schema_check(schema, document, FAULTS_MAX, &faults);

	assert(fits == (faults.count == 0));
	assert(fits == schema_check(schema, document, 1, NULL));
	for (size_t i = 0; i < faults.count; i++) {
		follow(document, faults.items[i].pointer);
		schema_fault_text(&faults.items[i], &text);
	}
	assert(strchr(pl_buf_text(&text), '\n') == NULL && pl_text_is_utf8(pl_buf_text(&text)));
	auto_json json_t *json = schema_faults_to_json(&faults);
	assert(json_array_size(json) <= faults.count);
}

static void check_known(const char *text, size_t size)
{
	static const struct schema *known[8];
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *document = NULL;

	if (pl_json_parse_wide(text, size, "x", &document, &err) < 0)
		return;
	for (size_t i = 0; schema_names[i] != NULL; i++) {
		if (known[i] == NULL && schema_open(schema_names[i], &known[i], &err) < 0)
			abort();
		check(known[i], document);
	}
}

static void check_schema(const char *text, size_t size)
{
	const char *cut = memchr(text, '\n', size);
	auto_schema const struct schema *schema = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *json = NULL;
	auto_json json_t *document = NULL;

	if (cut == NULL || pl_json_parse(text, (size_t)(cut - text), "x", &json, &err) < 0)
		return;
	if (schema_compile(json, "x", "", &schema, &err) < 0) {
		assert(schema == NULL && err.text[0] != '\0');
		return;
	}
	if (pl_json_parse_wide(cut + 1, size - (size_t)(cut - text) - 1, "x", &document, &err) == 0)
		check(schema, document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_known((const char *)data, size);
	check_schema((const char *)data, size);
	return 0;
}
