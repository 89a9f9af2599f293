#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "schema/schema.h"

#define TEXT_BYTES_MAX (1u << 20)

/* JSON with the other quotes, which need no strokes here. */
static json_t *parse(const char *text)
{
	auto_free char *quoted = pl_strdup(text);
	struct pl_err err = PL_ERR_INIT;
	json_t *json = NULL;

	for (char *at = quoted; *at != '\0'; at++)
		*at = *at == '\'' ? '"' : *at;
	if (pl_json_parse_wide(quoted, strlen(quoted), "x", &json, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return json;
}

static const struct schema *compile(const char *text)
{
	auto_json json_t *document = parse(text);
	const struct schema *schema = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (schema_compile(document, "x", "", &schema, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return schema;
}

/* "POINTER KEYWORD KEY; …", a '+' before each level of details. */
static void write_faults(const struct schema_faults *faults, struct pl_buf *buf)
{
	for (size_t i = 0; i < faults->count; i++) {
		const struct schema_fault *fault = &faults->items[i];
		pl_buf_add_text(buf, i > 0 ? "; " : "");
		for (unsigned level = 0; level < fault->level; level++)
			pl_buf_add_char(buf, '+');
		pl_buf_addf(buf, "%s %s", fault->pointer, fault->keyword);
		if (fault->key != NULL)
			pl_buf_addf(buf, " %s", fault->key);
	}
}

static void assert_faults(const char *schema_text, const char *text, const char *expected)
{
	auto_schema const struct schema *schema = compile(schema_text);
	auto_json json_t *document = parse(text);
	auto_schema_faults faults = { 0 };
	auto_buf reported = PL_BUF(TEXT_BYTES_MAX);
	bool fits = schema_check(schema, document, 1000, &faults);

	write_faults(&faults, &reported);
	if (strcmp(pl_buf_text(&reported), expected) != 0)
		fail_msg("%s of %s: found '%s', expected '%s'", text, schema_text,
			 pl_buf_text(&reported), expected);
	assert_int_equal(fits, *expected == '\0');
	assert_int_equal(schema_check(schema, document, 1, NULL), fits);
}

struct row {
	const char *schema;
	const char *document;
	const char *faults;
};

static void assert_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_faults(rows[i].schema, rows[i].document, rows[i].faults);
}

static void test_schema_check__values(void **state)
{
	static const struct row rows[] = {
		{ "true", "[1]", "" },
		{ "{}", "null", "" },
		{ "false", "1", " false" },
		{ "{'type': 'null'}", "null", "" },
		{ "{'type': 'null'}", "0", " type" },
		{ "{'type': 'boolean'}", "false", "" },
		{ "{'type': 'boolean'}", "'true'", " type" },
		{ "{'type': 'integer'}", "3", "" },
		{ "{'type': 'integer'}", "3.0", "" },
		{ "{'type': 'integer'}", "1e300", "" },
		{ "{'type': 'integer'}", "123456789012345678901234567890", "" },
		{ "{'type': 'integer'}", "3.5", " type" },
		{ "{'type': 'integer'}", "true", " type" },
		{ "{'type': 'number'}", "3", "" },
		{ "{'type': 'number'}", "-0.5", "" },
		{ "{'type': 'number'}", "'inf'", " type" },
		{ "{'type': ['number', 'null']}", "null", "" },
		{ "{'type': ['integer', 'string']}", "0.5", " type" },
		{ "{'type': 'array'}", "{}", " type" },
		{ "{'type': 'object'}", "[]", " type" },
		{ "{'const': 2}", "2.0", "" },
		{ "{'const': 1}", "true", " const" },
		{ "{'const': null}", "null", "" },
		{ "{'const': {'a': [1, {}], 'b': 0}}", "{'b': -0.0, 'a': [1.0, {}]}", "" },
		{ "{'const': {'a': 1}}", "{'a': 1, 'b': 1}", " const" },
		{ "{'const': {'a': 1}}", "{'b': 1}", " const" },
		{ "{'const': [1, 2]}", "[2, 1]", " const" },
		{ "{'const': 9007199254740993}", "9007199254740992.0", " const" },
		{ "{'enum': ['a', 1, null]}", "1.0", "" },
		{ "{'enum': ['a', 1, null]}", "'b'", " enum" },
		{ "{'enum': ['a', 1, null]}", "false", " enum" },
	};

	(void)state;
	assert_rows(rows, PL_ARRAY_SIZE(rows));
}

static void test_schema_check__numbers(void **state)
{
	static const struct row rows[] = {
		{ "{'minimum': 0}", "0", "" },
		{ "{'minimum': 0}", "-1e-9", " minimum" },
		{ "{'minimum': 0}", "'-1'", "" },
		{ "{'minimum': 9007199254740993}", "9007199254740992", " minimum" },
		{ "{'minimum': 9007199254740993}", "9007199254740992.0", " minimum" },
		{ "{'minimum': -9223372036854775808}", "-1e19", " minimum" },
		{ "{'maximum': 9223372036854775807}", "9223372036854775808.0", " maximum" },
		{ "{'maximum': 2.5}", "2", "" },
		{ "{'maximum': 2.5}", "3", " maximum" },
		{ "{'maximum': -2.5}", "-2", " maximum" },
		{ "{'exclusiveMinimum': 0}", "0", " exclusiveMinimum" },
		{ "{'exclusiveMinimum': 0}", "0.1", "" },
		{ "{'exclusiveMaximum': 1}", "1.0", " exclusiveMaximum" },
		{ "{'exclusiveMaximum': 1}", "0.99", "" },
		{ "{'multipleOf': 3}", "9", "" },
		{ "{'multipleOf': 3}", "-10", " multipleOf" },
		{ "{'multipleOf': 3}", "9.0", "" },
		{ "{'multipleOf': 3}", "9.5", " multipleOf" },
		{ "{'multipleOf': 0.25}", "0.75", "" },
		{ "{'multipleOf': 0.25}", "0.8", " multipleOf" },
		{ "{'multipleOf': 0.1}", "5", "" },
		{ "{'multipleOf': 0.5}", "1e308", "" },
	};

	(void)state;
	assert_rows(rows, PL_ARRAY_SIZE(rows));
}

static void test_schema_check__texts(void **state)
{
	static const struct row rows[] = {
		{ "{'minLength': 2}", "'a'", " minLength" },
		{ "{'minLength': 2}", "'\xc3\xa9\xf0\x9f\x98\x80'", "" },
		{ "{'maxLength': 2}", "'\xc3\xa9\xf0\x9f\x98\x80'", "" },
		{ "{'maxLength': 2.0}", "'abc'", " maxLength" },
		{ "{'maxLength': 2}", "[1, 2, 3]", "" },
		{ "{'pattern': 'b+'}", "'abbc'", "" },
		{ "{'pattern': '^b+$'}", "'abbc'", " pattern" },
		{ "{'pattern': '^b+$'}", "7", "" },
		{ "{'format': 'date-time', 'title': 't', 'default': 1}", "'soon'", "" },
	};

	(void)state;
	assert_rows(rows, PL_ARRAY_SIZE(rows));
}

static void test_schema_check__arrays(void **state)
{
	static const struct row rows[] = {
		{ "{'minItems': 1}", "[]", " minItems" },
		{ "{'maxItems': 1}", "[1, 1]", " maxItems" },
		{ "{'items': {'type': 'string'}}", "['a', 1, 'b', null]", "/1 type; /3 type" },
		{ "{'items': false}", "[]", "" },
		{ "{'items': false}", "[1, 2]", " items" },
		{ "{'prefixItems': [{'type': 'null'}, {'const': 1}]}", "[null]", "" },
		{ "{'prefixItems': [{'type': 'null'}, {'const': 1}]}", "[0, 2, 'x']",
		  "/0 type; /1 const" },
		{ "{'prefixItems': [true], 'items': {'type': 'null'}}", "[1, null, 2]", "/2 type" },
		{ "{'prefixItems': [true], 'items': false}", "[1, 2]", " items" },
		{ "{'uniqueItems': true}",
		  "[1, true, '1', [1], {'a': 1}, {'a': 2}, null, 0, false]", "" },
		{ "{'uniqueItems': true}", "[1, 2, 1.0]", " uniqueItems" },
		{ "{'uniqueItems': true}", "[{'a': 1, 'b': [0]}, {'b': [-0.0], 'a': 1}]",
		  " uniqueItems" },
		{ "{'uniqueItems': false}", "[1, 1]", "" },
		{ "{'items': {'items': {'maximum': 3}}}", "[[1], [2, 9], 5]", "/1/1 maximum" },
	};

	(void)state;
	assert_rows(rows, PL_ARRAY_SIZE(rows));
}

static void test_schema_check__objects(void **state)
{
	static const struct row rows[] = {
		{ "{'required': ['a', 'b/c']}", "{'a': null}", " required b/c" },
		{ "{'required': ['a', 'b']}", "[]", "" },
		{ "{'minProperties': 1}", "{}", " minProperties" },
		{ "{'maxProperties': 1}", "{'a': 1, 'b': 1}", " maxProperties" },
		{ "{'properties': {'a': {'type': 'null'}, '~/': {'type': 'null'}}}",
		  "{'a': 1, '~/': 1, 'c': 1}", "/a type; /~0~1 type" },
		{ "{'properties': {'': {'type': 'null'}}}", "{'': 1}", "/ type" },
		{ "{'properties': {'a': false}}", "{'a': 1}", "/a false" },
		{ "{'properties': {'a': true}, 'additionalProperties': false}",
		  "{'a': 1, 'b': 1, 'c': 1}", " additionalProperties b;  additionalProperties c" },
		{ "{'patternProperties': {'^p[0-9]+$': {'type': 'number'}},"
		  " 'additionalProperties': false}",
		  "{'p1': 1, 'p22': 'x', 'q': 1}", "/p22 type;  additionalProperties q" },
		{ "{'properties': {'a': true}, 'additionalProperties': {'type': 'string'}}",
		  "{'a': 1, 'b': 1, 'c': 'x'}", "/b type" },
		{ "{'properties': {'ab': {'type': 'string'}},"
		  " 'patternProperties': {'^a': {'minLength': 2}, 'b$': {'type': 'string'}}}",
		  "{'ab': 'x', 'b': 1}", "/ab minLength; /b type" },
		{ "{'required': ['a', 'b', 'a'], 'properties': {'a': true, 'b': true, 'c': true}}",
		  "{'b': 1, 'c': 1, 'd': 1}", " required a" },
		{ "{'required': ['a', 'x'], 'properties': {'a': true, 'b': true}}",
		  "{'a': 1, 'b': 1}", " required x" },
		{ "{'required': ['a', 'x'], 'properties': {'a': true, 'b': true}}",
		  "{'a': 1, 'x': 1}", "" },
		{ "{'required': ['a', 'b'], 'properties': {'b': {'$ref': '#'}, 'a': true},"
		  " 'patternProperties': {'^p': {'$ref': '#'}}, 'additionalProperties': false}",
		  "{'p': {'c': {}, 'a': 1, 'b': {'a': 1, 'b': {}}}, 'b': {}, 'd': 1, 'a': 1, 'q': "
		  "1}",
		  "/b required a; /b required b; /p/b/b required a; /p/b/b required b; "
		  "/p additionalProperties c;  additionalProperties d;  additionalProperties q" },
		{ "{'propertyNames': {'pattern': '^[a-z]+$'}}", "{'a': 1, 'A': 1, 'b': 1, '': 1}",
		  " pattern A;  pattern " },
		{ "{'propertyNames': {'enum': ['a', 'b'], 'maxLength': 3}}",
		  "{'a': 1, 'long': 1, 'c': {}}", " enum long;  maxLength long;  enum c" },
	};

	(void)state;
	assert_rows(rows, PL_ARRAY_SIZE(rows));
}

static void test_schema_check__forms(void **state)
{
	static const struct row rows[] = {
		{ "{'allOf': [{'type': 'number'}, {'minimum': 3}]}", "2", " minimum" },
		{ "{'allOf': [{'minimum': 3}, {'maximum': 1}]}", "2", " minimum;  maximum" },
		/* reported once, however many parts say the same */
		{ "{'allOf': [{'minimum': 3}, {'minimum': 3}]}", "2", " minimum" },
		{ "{'anyOf': [{'type': 'null'}, {'minimum': 3}]}", "3", "" },
		{ "{'anyOf': [{'type': 'null'}, {'const': 3}]}", "'x'", " anyOf" },
		{ "{'anyOf': [{'type': 'null'},"
		  " {'type': 'object', 'required': ['k'], 'properties': {'a': {'type': 'null'}}}]}",
		  "{'a': 1}", " anyOf; + required k; +/a type" },
		{ "{'properties': {'x': {'anyOf': [{'type': 'null'}, {'type': 'array', 'items':"
		  " {'anyOf': [{'type': 'null'}, {'type': 'string', 'minLength': 1}]}}]}}}",
		  "{'x': [null, '']}", "/x anyOf; +/x/1 anyOf" },
		{ "{'oneOf': [{'type': 'integer'}, {'minimum': 3}]}", "2", "" },
		{ "{'oneOf': [{'type': 'integer'}, {'minimum': 3}]}", "4", " oneOf" },
		{ "{'oneOf': [{'type': 'string'}, {'type': 'array', 'minItems': 3}]}", "[]",
		  " oneOf; + minItems" },
		{ "{'properties': {'ab': {'$ref': '#/$defs/f'}}, 'patternProperties': {'^a':"
		  " {'$ref': '#/$defs/f'}}, '$defs': {'f': {'anyOf': [{'type': 'null'},"
		  " {'items': {'anyOf': [{'type': 'object'}, {'prefixItems': [false]}]},"
		  " 'type': 'array'}]}}}",
		  "{'ab': [[1], 2]}", "/ab anyOf; +/ab/0 anyOf; ++/ab/0/0 false" },
		{ "{'not': {'type': 'null'}}", "null", " not" },
		{ "{'not': {'type': 'null'}}", "0", "" },
		{ "{'if': {'type': 'string'}, 'then': {'minLength': 2}, 'else': {'minimum': 3}}",
		  "'a'", " minLength" },
		{ "{'if': {'type': 'string'}, 'then': {'minLength': 2}, 'else': {'minimum': 3}}",
		  "1", " minimum" },
		{ "{'if': {'type': 'string'}, 'then': {'minLength': 2}}", "1", "" },
		{ "{'then': {'minLength': 2}}", "'a'", "" },
	};

	(void)state;
	assert_rows(rows, PL_ARRAY_SIZE(rows));
}

static void test_schema_check__references(void **state)
{
	static const struct row rows[] = {
		{ "{'$defs': {'n': {'type': 'null'}}, 'items': {'$ref': '#/$defs/n'}}", "[1]",
		  "/0 type" },
		{ "{'$defs': {'n': {'type': 'number'}}, '$ref': '#/$defs/n', 'minimum': 3}", "2",
		  " minimum" },
		{ "{'$defs': {'a/b~': {'prefixItems': [{'type': 'null'}]}}, 'items':"
		  " {'$ref': '#/%24defs/a~1b~0/prefixItems/0'}}",
		  "[1]", "/0 type" },
		/* a tree: into itself by way of the document */
		{ "{'properties': {'v': {'type': 'integer'}, 'next': {'$ref': '#'}}}",
		  "{'v': 1, 'next': {'next': {'v': 'x'}}}", "/next/next/v type" },
		{ "{'items': {'$ref': 'series.schema.json#/properties/t_ns'}}", "[1, -1]",
		  "/1 minimum" },
		{ "{'$ref': './requests.schema.json#/$defs/count'}", "-1", " minimum" },
	};

	(void)state;
	assert_rows(rows, PL_ARRAY_SIZE(rows));
}

static void assert_text(const char *schema_text, const char *text, const char *expected)
{
	auto_schema const struct schema *schema = compile(schema_text);
	auto_json json_t *document = parse(text);
	auto_schema_faults faults = { 0 };
	auto_buf line = PL_BUF(TEXT_BYTES_MAX);

	assert_false(schema_check(schema, document, 1000, &faults));
	schema_fault_text(&faults.items[faults.count - 1], &line);
	assert_string_equal(pl_buf_text(&line), expected);
}

static void test_schema_check__faults_in_words(void **state)
{
	static const struct row rows[] = {
		{ "{'items': {'type': ['null', 'integer']}}", "[1.5]",
		  "/0: found 1.5, expected an integer or null" },
		{ "{'enum': ['trusted', 'degraded', 3]}", "'degraed'",
		  "at the top level: found \"degraed\", expected one of \"trusted\", \"degraded\", "
		  "3 "
		  "(did you mean 'degraded'?)" },
		{ "{'properties': {'length': true}, 'additionalProperties': false}",
		  "{'lenght': 1}",
		  "at the top level: unknown key 'lenght' (did you mean "
		  "'length'?)" },
		{ "{'properties': {'a': {'required': ['b']}}}", "{'a': {}}",
		  "/a: key 'b' is missing" },
		{ "{'propertyNames': {'enum': ['server', 'launch']}}", "{'sever': 1}",
		  "at the top level: key 'sever': found \"sever\", expected one of \"server\", "
		  "\"launch\" "
		  "(did you mean 'server'?)" },
		{ "{'maxLength': 1}", "'ab'",
		  "at the top level: found a string of 2 characters, expected at most 1 "
		  "character" },
		{ "{'maxItems': 2}", "[1, 2, 3]",
		  "at the top level: found a list with 3 items, expected at most 2 items" },
		{ "{'pattern': '^a$'}", "'b\\nc\\u202e'",
		  "at the top level: found \"b\\nc\xe2\x80\xae\", expected a text like ^a$" },
		{ "{'anyOf': [{'type': ['number', 'null']}, {'enum': ['inf', '-inf']}]}", "'fast'",
		  "at the top level: found \"fast\", expected a number or null, or one of \"inf\", "
		  "\"-inf\"" },
		{ "{'anyOf': [{'required': ['and']}, {'required': ['field', 'op']}]}",
		  "{'field': 1}",
		  "at the top level: found an object without the key 'op', expected the keys "
		  "'field' and 'op'" },
		{ "{'anyOf': [{'required': ['and']}, {'required': ['field', 'op']}]}", "{'x': 1}",
		  "at the top level: found an object with 1 key, expected the key 'and', or the "
		  "keys 'field' and 'op'" },
		{ "{'not': {'type': 'null'}}", "null",
		  "at the top level: found null, expected anything but null" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++)
		assert_text(rows[i].schema, rows[i].document, rows[i].faults);
}

static void test_schema_check__details_are_within(void **state)
{
	auto_schema const struct schema *schema = compile(
		"{'items': {'anyOf': [{'type': 'null'}, {'type': 'object', 'required': ['k']}]}}");
	auto_json json_t *document = parse("[{}, 1]");
	auto_schema_faults faults = { 0 };

	(void)state;
	assert_false(schema_check(schema, document, 1000, &faults));
	assert_true(schema_fault_has_details(&faults, 0));
	assert_false(schema_fault_has_details(&faults, 2));
	auto_json json_t *json = schema_faults_to_json(&faults);
	assert_int_equal(json_array_size(json), 2);
	json_t *within = json_object_get(json_array_get(json, 0), "within");
	assert_int_equal(json_array_size(within), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(within, 0), "key")),
			    "k");
	assert_int_equal(json_array_size(json_object_get(json_array_get(json, 1), "within")), 0);
}

/* [[[…]]] */
static json_t *make_deep(size_t depth)
{
	json_t *json = json_array();

	while (--depth > 0)
		json = json_pack("[o]", json);
	return json;
}

static void test_schema_check__bounds_are_faults(void **state)
{
	auto_schema const struct schema *tree = compile("{'items': {'$ref': '#'}}");
	auto_schema const struct schema *list = compile("{'items': {'type': 'null'}}");
	/* a form within a form, twice at each step down */
	auto_schema const struct schema *twice = compile(
		"{'anyOf': [{'minItems': 2, '$ref': '#/$defs/in'}, {'$ref': '#/$defs/in'}],"
		" '$defs': {'in': {'items': {'$ref': '#'}, 'type': 'array'}}}");
	auto_json json_t *deep = make_deep(2000);
	auto_json json_t *less_deep = make_deep(60);
	auto_json json_t *wide = json_array();
	auto_schema_faults of_deep = { 0 };
	auto_schema_faults of_wide = { 0 };
	auto_schema_faults of_twice = { 0 };

	(void)state;
	assert_false(schema_check(tree, deep, 10, &of_deep));
	assert_int_equal(of_deep.count, 1);
	assert_string_equal(of_deep.items[0].keyword, "limit");
	assert_true(schema_check(tree, less_deep, 10, &of_deep));
	for (int i = 0; i < 20; i++)
		json_array_append_new(wide, json_integer(i));
	assert_false(schema_check(list, wide, 10, &of_wide));
	assert_int_equal(of_wide.count, 10);
	assert_true(of_wide.cut);
	/* innermost a number, that no form takes */
	json_t *at = less_deep;
	while (json_array_size(at) > 0)
		at = json_array_get(at, 0);
	json_array_append_new(at, json_integer(1));
	json_array_append_new(at, json_integer(1));
	assert_false(schema_check(twice, less_deep, 10, &of_twice));
	assert_string_equal(of_twice.items[of_twice.count - 1].keyword, "limit");
}

static void test_schema_check__many_items_are_compared_quickly(void **state)
{
	auto_schema const struct schema *schema = compile("{'uniqueItems': true}");
	auto_json json_t *items = json_array();
	auto_schema_faults faults = { 0 };

	(void)state;
	for (int i = 0; i < 200000; i++)
		json_array_append_new(items, json_pack("{s:i}", "a", i));
	assert_true(schema_check(schema, items, 10, &faults));
	json_array_append_new(items, json_pack("{s:f}", "a", 77.0));
	assert_false(schema_check(schema, items, 10, &faults));
	assert_string_equal(faults.items[0].found, "the same item at positions 77 and 200000");
}

/* Nodes and levels count from the outermost value that the schema is applied to. */
static void test_schema_check__bounds_a_schema_that_contains_itself(void **state)
{
	static const char schema[] = "{'type': 'array', 'items': {'$ref': '#/$defs/tree'}, "
				     "'$defs': {'tree': {'x-nodes-max': 4, "
				     "'x-levels-max': 3, 'type': 'object', 'properties': {'not': "
				     "{'$ref': '#/$defs/tree'}, 'and': "
				     "{'type': 'array', 'items': {'$ref': '#/$defs/tree'}}}}}}";

	(void)state;
	assert_faults(schema,
		      "[{'not': {'not': {}}}, {'and': [{}, {}, {}]}, {'and': [{}, {}, {}]}]", "");
	assert_faults(schema, "[{}, {'not': {'not': {'not': {}}}}]", "/1/not/not/not limit");
	assert_faults(schema, "[{'and': [{}, {}, {}, {}]}]", "/0/and/3 limit");
	assert_faults(schema, "[{'not': {'not': {'not': {'not': 1}}}}]", "/0/not/not/not limit");
}

static void test_schema_check__describes_what_is_found(void **state)
{
	(void)state;
	auto_json json_t *list = json_pack("[i, i, i]", 1, 2, 3);
	const struct {
		const json_t *value;
		const char *text;
	} rows[] = {
		{ NULL, "nothing" },
		{ json_null(), "null" },
		{ list, "a list with 3 items" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_free char *text = schema_describe(rows[i].value);
		assert_string_equal(text, rows[i].text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schema_check__bounds_a_schema_that_contains_itself),
		cmocka_unit_test(test_schema_check__values),
		cmocka_unit_test(test_schema_check__numbers),
		cmocka_unit_test(test_schema_check__texts),
		cmocka_unit_test(test_schema_check__arrays),
		cmocka_unit_test(test_schema_check__objects),
		cmocka_unit_test(test_schema_check__forms),
		cmocka_unit_test(test_schema_check__references),
		cmocka_unit_test(test_schema_check__faults_in_words),
		cmocka_unit_test(test_schema_check__details_are_within),
		cmocka_unit_test(test_schema_check__bounds_are_faults),
		cmocka_unit_test(test_schema_check__many_items_are_compared_quickly),
		cmocka_unit_test(test_schema_check__describes_what_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
