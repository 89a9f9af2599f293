#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "schema/schema.h"

static int compile(const char *text, const char *pointer, const struct schema **ret,
		   struct pl_err *err)
{
	auto_free char *quoted = pl_strdup(text);
	auto_json json_t *document = NULL;

	for (char *at = quoted; *at != '\0'; at++)
		*at = *at == '\'' ? '"' : *at;
	if (pl_json_parse(quoted, strlen(quoted), "x", &document, err) < 0)
		fail_msg("%s", err->text);
	return schema_compile(document, "x.json", pointer, ret, err);
}

static void test_schema_compile__refuses_and_says_where(void **state)
{
	static const struct {
		const char *schema;
		const char *error;
	} rows[] = {
		{ "[]", "x.json#: found [], expected a schema: an object, true or false" },
		{ "{'items': 3}",
		  "x.json#/items: found 3, expected a schema: an object, true or false" },
		{ "{'minimun': 3}",
		  "x.json#: unknown keyword 'minimun' (did you mean 'minimum'?)" },
		{ "{'properties': {'a/b': {'unevaluatedItems': false}}}",
		  "x.json#/properties/a~1b: unknown keyword 'unevaluatedItems'" },
		{ "{'$defs': {'a': {'discriminator': {}}}}",
		  "x.json#/$defs/a: unknown keyword 'discriminator'" },
		{ "{'type': 'integr'}",
		  "x.json#: type: found \"integr\", expected null, boolean, integer, "
		  "number, string, array or object (did you mean 'integer'?)" },
		{ "{'type': []}", "x.json#: type: found [], expected at least one type" },
		{ "{'type': ['null', 3]}", "x.json#: type: found 3, expected null, boolean, "
					   "integer, number, string, array or object" },
		{ "{'minimum': '3'}", "x.json#: minimum: found \"3\", expected a number" },
		{ "{'multipleOf': 0}", "x.json#: multipleOf: found 0, expected a number above 0" },
		{ "{'minLength': -1}",
		  "x.json#: minLength: found -1, expected an integer of at least 0" },
		{ "{'maxItems': 1.5}",
		  "x.json#: maxItems: found 1.5, expected an integer of at least 0" },
		{ "{'uniqueItems': 1}", "x.json#: uniqueItems: found 1, expected true or false" },
		{ "{'enum': []}",
		  "x.json#: enum: found [], expected a list with at least one value" },
		{ "{'enum': 'a'}",
		  "x.json#: enum: found \"a\", expected a list with at least one value" },
		{ "{'required': 'a'}",
		  "x.json#: required: found \"a\", expected a list of strings" },
		{ "{'required': ['a', 1]}", "x.json#: required: found 1, expected text" },
		{ "{'anyOf': []}",
		  "x.json#: anyOf: found [], expected a list with at least one schema" },
		{ "{'anyOf': {}}",
		  "x.json#: anyOf: found {}, expected a list with at least one schema" },
		{ "{'properties': []}",
		  "x.json#: properties: found [], expected an object whose values are schemas" },
		{ "{'patternProperties': {'(?i)a': true}}",
		  "x.json#: patternProperties: '(?i)a': at 0: a group that is not one of (?: (?= "
		  "(?! (?<= (?<!, which regular expression engines read differently" },
		{ "{'pattern': 3}", "x.json#: pattern: found 3, expected a regular expression" },
		{ "{'$schema': 'http://json-schema.org/draft-07/schema#'}",
		  "x.json#: $schema: found \"http://json-schema.org/draft-07/schema#\", expected "
		  "\"https://json-schema.org/draft/2020-12/schema\"" },
		{ "{'$ref': 3}", "x.json#: $ref: found 3, expected text" },
		{ "{'$defs': {'count': {}}, '$ref': '#/$defs/cuont'}",
		  "x.json#: $ref '#/$defs/cuont': 'cuont' does not exist in x.json#/$defs (did you "
		  "mean "
		  "'count'?)" },
		{ "{'$ref': '#there'}", "x.json#: $ref '#there': found 'there', expected a JSON "
					"pointer: empty, or '/' first" },
		{ "{'$ref': 'other.json'}",
		  "x.json#: $ref: found \"other.json\", expected a JSON pointer into this document "
		  "or into NAME.schema.json, a built-in schema" },
		{ "{'$ref': 'https://example.org/result.schema.json'}",
		  "x.json#: $ref: found \"https://example.org/result.schema.json\", expected a "
		  "JSON pointer into this document or into NAME.schema.json, a built-in schema" },
		{ "{'$ref': '#'}", "x.json#: refers to itself without a step into the document" },
		{ "{'items': {'anyOf': [true, {'not': {'$ref': '#/items'}}]}}",
		  "x.json#/items: refers to itself without a step into the document" },
		{ "{'prefixItems': [true], 'items': {'$ref': '#/prefixItems/1'}}",
		  "x.json#/items: $ref '#/prefixItems/1': '1' does not exist in "
		  "x.json#/prefixItems" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		const struct schema *schema = NULL;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(compile(rows[i].schema, "", &schema, &err), -1);
		assert_null(schema);
		assert_string_equal(err.text, rows[i].error);
	}
}

/* As in a document that holds schemas among other things. */
static void test_schema_compile__begins_at_the_given_pointer(void **state)
{
	static const char text[] =
		"{'openapi': '3.1.0', 'components': {'schemas': {'Id': {'type': 'string'}}},"
		" 'paths': {'/api/upload': {'schema': {'items':"
		" {'$ref': '#/components/schemas/Id'}}}}}";
	auto_schema const struct schema *schema = NULL;
	const struct schema *none = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *good = json_pack("[s]", "a");
	auto_json json_t *bad = json_pack("[i]", 1);

	(void)state;
	assert_int_equal(compile(text, "/paths/~1api~1upload/schema", &schema, &err), 0);
	assert_true(schema_check(schema, good, 1, NULL));
	assert_false(schema_check(schema, bad, 1, NULL));
	assert_int_equal(compile(text, "/paths/~1api~1uplaod", &none, &err), -1);
	assert_string_equal(err.text, "x.json: '/api/uplaod' does not exist in x.json#/paths (did "
				      "you mean '/api/upload'?)");
	assert_int_equal(compile(text, "", &none, &err), -1);
}

/* Chains and towers of schemas cost no stack and end. */
static void test_schema_compile__is_bounded(void **state)
{
	auto_json json_t *chain = json_pack("{s:{}, s:s}", "$defs", "$ref", "#/$defs/0");
	json_t *defs = json_object_get(chain, "$defs");
	json_t *tower = json_object();
	const struct schema *schema = NULL;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		auto_free char *name = pl_asprintf("%d", i);
		auto_free char *next = pl_asprintf("#/$defs/%d", i + 1);
		json_object_set_new(defs, name,
				    i < 999 ? json_pack("{s:s}", "$ref", next) : json_true());
	}
	assert_int_equal(schema_compile(chain, "x", "", &schema, &err), -1);
	assert_non_null(strstr(err.text, "more than 64 nested schemas"));
	for (int i = 0; i < 2000; i++)
		tower = json_pack("{s:o}", "items", tower);
	assert_int_equal(schema_compile(tower, "x", "", &schema, &err), -1);
	assert_non_null(strstr(err.text, "nested too deeply"));
	json_decref(tower);
}

/* A chain that leads to one that was measured before counts both. */
static void test_schema_compile__measured_chains_add_up(void **state)
{
	for (int length = 30; length <= 40; length += 10) {
		auto_json json_t *document = json_pack("{s:{}, s:[]}", "$defs", "allOf");
		json_t *defs = json_object_get(document, "$defs");
		const struct schema *schema = NULL;
		struct pl_err err = PL_ERR_INIT;
		for (int i = 0; i < 2 * length; i++) {
			auto_free char *name = pl_asprintf("%d", i);
			auto_free char *next = pl_asprintf("#/$defs/%d", i + 1);
			json_object_set_new(defs, name,
					    i < 2 * length - 1 ? json_pack("{s:s}", "$ref", next)
							       : json_true());
		}
		/* the second half first */
		auto_free char *half = pl_asprintf("#/$defs/%d", length);
		json_array_append_new(json_object_get(document, "allOf"),
				      json_pack("{s:s}", "$ref", half));
		json_array_append_new(json_object_get(document, "allOf"),
				      json_pack("{s:s}", "$ref", "#/$defs/0"));
		int result = schema_compile(document, "x", "", &schema, &err);
		assert_int_equal(result, length == 30 ? 0 : -1);
		if (result < 0)
			assert_non_null(strstr(err.text, "more than 64 nested schemas"));
		else
			schema_free(schema);
	}
	(void)state;
}

static void test_schema_compile__opens_those_of_the_program(void **state)
{
	const struct schema *none = NULL;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	for (size_t i = 0; schema_names[i] != NULL; i++) {
		auto_schema const struct schema *schema = NULL;
		auto_json json_t *nothing = json_array();
		if (schema_open(schema_names[i], &schema, &err) < 0)
			fail_msg("%s", err.text);
		assert_false(schema_check(schema, nothing, 1, NULL));
	}
	assert_int_equal(schema_open("results", &none, &err), -1);
	assert_int_equal(err.code, PL_ERR_NOT_FOUND);
	assert_null(schema_text("results"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schema_compile__refuses_and_says_where),
		cmocka_unit_test(test_schema_compile__begins_at_the_given_pointer),
		cmocka_unit_test(test_schema_compile__measured_chains_add_up),
		cmocka_unit_test(test_schema_compile__is_bounded),
		cmocka_unit_test(test_schema_compile__opens_those_of_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
