#include "base/yaml.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "scratch.h"

static struct pl_yaml_doc *parse(const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	struct pl_yaml_doc *doc = NULL;

	if (pl_yaml_parse(text, strlen(text), "x.yaml", &doc, &err) < 0)
		fail_msg("%s", err.text);
	return doc;
}

/* The document as compact JSON. */
static void assert_json(const char *text, const char *expected)
{
	auto_yaml struct pl_yaml_doc *doc = parse(text);
	auto_json json_t *json = pl_yaml_to_json(pl_yaml_root(doc));
	auto_free char *found = pl_json_to_text(json, PL_JSON_COMPACT);

	assert_string_equal(found, expected);
}

static void assert_error_of(const char *text, size_t len, const char *expected)
{
	struct pl_err err = PL_ERR_INIT;
	struct pl_yaml_doc *doc = NULL;

	assert_int_equal(pl_yaml_parse(text, len, "x.yaml", &doc, &err), -1);
	assert_null(doc);
	assert_int_equal(err.code, PL_ERR_INVALID);
	assert_string_equal(err.text, expected);
}

static void assert_error(const char *text, const char *expected)
{
	assert_error_of(text, strlen(text), expected);
}

static void test_base_yaml__documents(void **state)
{
	static const struct {
		const char *yaml;
		const char *json;
	} rows[] = {
		{ "", "{}" },
		{ "# only a remark\n\n", "{}" },
		{ "---\n", "{}" },
		{ "---\n...\n", "{}" },
		{ "a: 1\nb:\n  c: [x, 'y', \"z\"]\n  d:\n  - 1\n  - e: 2\n",
		  "{\"a\":1,\"b\":{\"c\":[\"x\",\"y\",\"z\"],\"d\":[1,{\"e\":2}]}}" },
		{ "- 1\n- 2\n", "[1,2]" },
		{ "just text", "\"just text\"" },
		{ "a: |\n  two\n  lines\nb: >\n  one\n  line\n",
		  "{\"a\":\"two\\nlines\\n\",\"b\":\"one line\\n\"}" },
		{ "{\"a\": {\"b\": [1, 2.5, null, true, \"x\"]}, \"c\": \"\\u00e9\\n\\/\"}",
		  "{\"a\":{\"b\":[1,2.5,null,true,\"x\"]},\"c\":\"\xc3\xa9\\n/\"}" },
		{ "{\n\t\"a\": [\n\t\t1,\n\t\t2\n\t]\n}\n", "{\"a\":[1,2]}" },
		{ "{}", "{}" },
		{ "a: []\nb: {}\nc:\n", "{\"a\":[],\"b\":{},\"c\":null}" },
		{ "\xef\xbb\xbf"
		  "a: 1\n",
		  "{\"a\":1}" }, /* a byte order mark */
		{ "a: 1\r\nb: 2\r\n", "{\"a\":1,\"b\":2}" },
		{ "? a\n: 1\n", "{\"a\":1}" },
		{ "1: a\ntrue: b\n", "{\"1\":\"a\",\"true\":\"b\"}" },
		{ "url: http://localhost:8000/v1\n", "{\"url\":\"http://localhost:8000/v1\"}" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++)
		assert_json(rows[i].yaml, rows[i].json);
}

static void test_base_yaml__json_with_surrogate_pairs(void **state)
{
	(void)state;
	assert_json("{\"a\": \"\\ud83d\\ude00!\", \"b\\\\ud83d\": \"\\uD83D\\uDE00\"}",
		    "{\"a\":\"\xf0\x9f\x98\x80!\",\"b\\\\ud83d\":\"\xf0\x9f\x98\x80\"}");
	/* in plain and single-quoted texts a backslash is one */
	assert_json("a: '\\ud83d\\ude00'\nb: \\ud83d\\ude00\n",
		    "{\"a\":\"\\\\ud83d\\\\ude00\",\"b\":\"\\\\ud83d\\\\ude00\"}");
	assert_error(
		"{\"a\": \"\\ud83d\"}",
		"x.yaml:1:10: not valid YAML: found invalid Unicode character escape code while "
		"parsing a quoted scalar");
}

static void test_base_yaml__positions(void **state)
{
	auto_yaml struct pl_yaml_doc *doc = parse(
		"# top\nserver:\n  model: m\n  list: [1, \"x\"]\n\"q\": \xc3\xa9t\xc3\xa9\n");
	const struct pl_yaml *root = pl_yaml_root(doc);
	const struct pl_yaml *server = pl_yaml_get(root, "server");
	const struct pl_yaml *list = pl_yaml_get(server, "list");
	const struct {
		const struct pl_yaml *node;
		int line;
		int column;
	} rows[] = {
		{ root, 2, 1 },
		{ root->keys[0], 2, 1 },
		{ server, 3, 3 },
		{ server->keys[0], 3, 3 },
		{ pl_yaml_get(server, "model"), 3, 10 },
		{ list, 4, 9 },
		{ list->items[1], 4, 13 },
		{ root->keys[1], 5, 1 },
		{ pl_yaml_get(root, "q"), 5, 6 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		assert_int_equal(rows[i].node->line, rows[i].line);
		assert_int_equal(rows[i].node->column, rows[i].column);
	}
	assert_true(pl_yaml_get(server, "model")->plain);
	assert_false(list->items[1]->plain);
	assert_null(list->keys);
	assert_string_equal(list->text, "");
	assert_null(pl_yaml_get(root, "none"));
	assert_null(pl_yaml_get(list, "x"));
	assert_null(pl_yaml_get(NULL, "x"));
}

static void test_base_yaml__anchors_and_merge_keys(void **state)
{
	static const struct {
		const char *yaml;
		const char *json;
	} rows[] = {
		{ "a: &x [1, 2]\nb: *x\n", "{\"a\":[1,2],\"b\":[1,2]}" },
		{ "a: &x 5\nb: {*x : *x}\n", "{\"a\":5,\"b\":{\"5\":5}}" },
		{ "a: &x 1\nb: *x\nc: &x 2\nd: *x\n", "{\"a\":1,\"b\":1,\"c\":2,\"d\":2}" },
		{ "a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3\n",
		  "{\"a\":{\"p\":1,\"q\":2},\"b\":{\"q\":3,\"p\":1}}" },
		{ "b:\n  q: 3\n  <<: {q: 4, r: 5}\n", "{\"b\":{\"q\":3,\"r\":5}}" },
		{ "- &x {p: 1}\n- &y {p: 2, q: 2}\n- <<: [*x, *y]\n",
		  "[{\"p\":1},{\"p\":2,\"q\":2},{\"p\":1,\"q\":2}]" },
		{ "- &x {p: 1}\n- &y {<<: *x, q: 2}\n- {<<: *y, r: 3}\n",
		  "[{\"p\":1},{\"q\":2,\"p\":1},{\"r\":3,\"q\":2,\"p\":1}]" },
		{ "\"<<\": {a: 1}\n", "{\"<<\":{\"a\":1}}" }, /* quoted: a key as any other */
		{ "a: {<<: []}\n", "{\"a\":{}}" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++)
		assert_json(rows[i].yaml, rows[i].json);
}

static void test_base_yaml__errors(void **state)
{
	static const struct {
		const char *yaml;
		const char *text;
	} rows[] = {
		{ "a: 1\nb: 2\na: 3\n", "x.yaml:3:1: duplicate key 'a' (first at line 1)" },
		{ "c:\n  b: 1\n  z: 0\n  'b': 2\n  b: 3\n",
		  "x.yaml:4:3: duplicate key 'b' (first at line 2)" },
		{ "{\"a\": 1, \"a\": 2}", "x.yaml:1:10: duplicate key 'a' (first at line 1)" },
		{ "<<: {a: 1}\nb: 1\n<<: {c: 1}\n",
		  "x.yaml:3:1: duplicate key '<<' (first at line 1)" },
		{ "<<: 5\n", "x.yaml:1:5: '<<': found number 5, expected a mapping or a list of "
			     "mappings" },
		{ "<<: [{a: 1}, b]\n", "x.yaml:1:14: '<<': found text 'b', expected a mapping or a "
				       "list of mappings" },
		{ "? [1]\n: 2\n", "x.yaml:1:3: a key cannot be a list or a mapping" },
		{ "{{a: 1}: 2}\n", "x.yaml:1:2: a key cannot be a list or a mapping" },
		{ "a: &x [1, *x]\n", "x.yaml:1:11: alias '*x' refers to a node that contains it" },
		{ "a: *x\n",
		  "x.yaml:1:4: alias '*x' refers to an anchor that is not defined above it" },
		{ "a: !thing 5\n", "x.yaml:1:4: unknown tag '!thing'" },
		{ "a: !!binary aGk=\n", "x.yaml:1:4: unknown tag 'tag:yaml.org,2002:binary'" },
		{ "a: !!str [1]\n", "x.yaml:1:4: unknown tag 'tag:yaml.org,2002:str'" },
		{ "a: 1\n---\nb: 2\n", "x.yaml:2:1: a second document is not allowed" },
		{ "a: \"x\\0y\"\n", "x.yaml:1:4: a text cannot hold a NUL character" },
		{ "a: [1\nb: 2\n",
		  "x.yaml:2:2: not valid YAML: did not find expected ',' or ']' while "
		  "parsing a flow sequence" },
		{ "a:\n\tb: 2\n",
		  "x.yaml:2:1: not valid YAML: found character that cannot start any "
		  "token (a tab cannot indent)" },
		{ "a: b: c\n", "x.yaml:1:5: not valid YAML: mapping values are not allowed in this "
			       "context" },
		{ "a: 1\n\nb: \xff\n", "x.yaml:3:4: not valid YAML: invalid leading UTF-8 octet" },
		{ "a: \x01\n", "x.yaml:1:4: not valid YAML: control characters are not allowed" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++)
		assert_error(rows[i].yaml, rows[i].text);
	assert_error_of("a: 1\0b", 6,
			"x.yaml:1:5: not valid YAML: control characters are not allowed");
}

/* Nine lists of nine aliases each would be 9^9 nodes. */
static void test_base_yaml__alias_bombs_are_refused(void **state)
{
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 10000);
	pl_buf_add_text(&buf, "l0: &l0 [x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 9; i++) {
		pl_buf_addf(&buf, "l%d: &l%d [", i, i);
		for (int j = 0; j < 9; j++)
			pl_buf_addf(&buf, "%s*l%d", j == 0 ? "" : ", ", i - 1);
		pl_buf_add_text(&buf, "]\n");
	}
	assert_error(pl_buf_text(&buf), "x.yaml:6:10: more than 100000 nodes");

	pl_buf_clear(&buf);
	pl_buf_add_text(&buf, "l0: &l0 {a: 1, b: 1, c: 1}\n");
	for (int i = 1; i < 20; i++)
		pl_buf_addf(&buf, "l%d: &l%d {<<: *l%d, k%d: *l%d, m%d: *l%d}\n", i, i, i - 1, i,
			    i - 1, i, i - 1);
	struct pl_err err = PL_ERR_INIT;
	struct pl_yaml_doc *doc = NULL;
	assert_int_equal(pl_yaml_parse(buf.data, buf.len, "x.yaml", &doc, &err), -1);
	assert_non_null(strstr(err.text, "more than 100000 nodes"));
}

static void test_base_yaml__too_many_nodes_and_anchors(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	struct pl_yaml_doc *doc = NULL;
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 2 << 20);
	for (int i = 0; i < 99999; i++)
		pl_buf_add_text(&buf, "- 1\n");
	assert_int_equal(pl_yaml_parse(buf.data, buf.len, "x.yaml", &doc, &err), 0);
	assert_int_equal(pl_yaml_root(doc)->count, 99999);
	pl_yaml_free(doc);
	doc = NULL;
	pl_buf_add_text(&buf, "- 1\n");
	assert_int_equal(pl_yaml_parse(buf.data, buf.len, "x.yaml", &doc, &err), -1);
	assert_string_equal(err.text, "x.yaml:100000:3: more than 100000 nodes");

	pl_buf_clear(&buf);
	for (int i = 0; i < 1001; i++)
		pl_buf_addf(&buf, "- &a%d 1\n", i);
	assert_int_equal(pl_yaml_parse(buf.data, buf.len, "x.yaml", &doc, &err), -1);
	assert_string_equal(err.text, "x.yaml:1001:3: more than 1000 anchors");
}

static void test_base_yaml__many_keys(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	struct pl_yaml_doc *doc = NULL;
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 2 << 20);
	for (int i = 0; i < 40000; i++)
		pl_buf_addf(&buf, "k%d: %d\n", i * 7919 % 40000, i);
	assert_int_equal(pl_yaml_parse(buf.data, buf.len, "x.yaml", &doc, &err), 0);
	for (size_t i = 0; i < 40000; i += 999) {
		int64_t value;
		assert_true(pl_yaml_to_i64(pl_yaml_root(doc)->items[i], &value));
		assert_int_equal(value, i); /* in the order of the file */
	}
	pl_yaml_free(doc);
	doc = NULL;
	pl_buf_add_text(&buf, "k7919: 1\n");
	assert_int_equal(pl_yaml_parse(buf.data, buf.len, "x.yaml", &doc, &err), -1);
	assert_string_equal(err.text, "x.yaml:40001:1: duplicate key 'k7919' (first at line 2)");
}

static void nest(struct pl_buf *buf, int depth)
{
	pl_buf_clear(buf);
	for (int i = 0; i < depth; i++)
		pl_buf_add_char(buf, '[');
	for (int i = 0; i < depth; i++)
		pl_buf_add_char(buf, ']');
}

static void test_base_yaml__depth_is_bounded(void **state)
{
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 1 << 20);
	nest(&buf, 64);
	pl_yaml_free(parse(pl_buf_text(&buf)));
	nest(&buf, 65);
	assert_error(pl_buf_text(&buf), "x.yaml:1:65: nested more than 64 levels deep");
	nest(&buf, 100000);
	assert_error(pl_buf_text(&buf), "x.yaml:1:65: nested more than 64 levels deep");

	/* an alias brings its own depth */
	pl_buf_clear(&buf);
	pl_buf_add_text(&buf, "a0: &a0 [[[[[[[[[[x]]]]]]]]]]\n");
	for (int i = 1; i < 8; i++)
		pl_buf_addf(&buf, "a%d: &a%d [[[[[[[[[*a%d]]]]]]]]]\n", i, i, i - 1);
	assert_error(pl_buf_text(&buf), "x.yaml:7:18: nested more than 64 levels deep");
}

static void test_base_yaml__size_is_bounded(void **state)
{
	size_t len = (8u << 20) + 1;
	auto_free char *text = pl_alloc(len);

	(void)state;
	memset(text, '#', len);
	assert_error_of(text, len, "'x.yaml' is larger than 8 MiB");
	struct pl_err err = PL_ERR_INIT;
	auto_yaml struct pl_yaml_doc *doc = NULL;
	assert_int_equal(pl_yaml_parse(text, len - 1, "x.yaml", &doc, &err), 0);
}

enum type { TEXT, NULL_, BOOL, WORD_BOOL, INT, FLOAT };

static const struct {
	const char *yaml;
	enum type type;
	double value;
	const char *described;
} scalars[] = {
	{ "~", NULL_, 0, "null" },
	{ "null", NULL_, 0, "null" },
	{ "Null", NULL_, 0, "null" },
	{ "NULL", NULL_, 0, "null" },
	{ "true", BOOL, 1, "true" },
	{ "True", BOOL, 1, "true" },
	{ "FALSE", BOOL, 0, "false" },
	{ "yes", WORD_BOOL, 1, "text 'yes'" },
	{ "No", WORD_BOOL, 0, "text 'No'" },
	{ "on", WORD_BOOL, 1, "text 'on'" },
	{ "OFF", WORD_BOOL, 0, "text 'OFF'" },
	{ "y", TEXT, 0, "text 'y'" },
	{ "0", INT, 0, "number 0" },
	{ "-0", INT, 0, "number -0" },
	{ "42", INT, 42, "number 42" },
	{ "-7", INT, -7, "number -7" },
	{ "+7", INT, 7, "number +7" },
	{ "1.5", FLOAT, 1.5, "number 1.5" },
	{ "-1.5e-3", FLOAT, -0.0015, "number -1.5e-3" },
	{ "1e3", FLOAT, 1000, "number 1e3" },
	{ "1E+3", FLOAT, 1000, "number 1E+3" },
	{ ".5", FLOAT, 0.5, "number .5" },
	{ "5.", FLOAT, 5, "number 5." },
	{ "0.0", FLOAT, 0, "number 0.0" },
	{ "9223372036854775808", FLOAT, 9223372036854775808.0, "number 9223372036854775808" },
	{ ".inf", FLOAT, INFINITY, "number .inf" },
	{ "-.Inf", FLOAT, -INFINITY, "number -.Inf" },
	{ "inf", FLOAT, INFINITY, "number inf" },
	{ "-inf", FLOAT, -INFINITY, "number -inf" },
	{ "007", TEXT, 0, "text '007'" }, /* octal in YAML 1.1 */
	{ "00.5", TEXT, 0, "text '00.5'" },
	{ "0o17", TEXT, 0, "text '0o17'" },
	{ "0x10", TEXT, 0, "text '0x10'" },
	{ "1_000", TEXT, 0, "text '1_000'" },
	{ "1:30", TEXT, 0, "text '1:30'" }, /* base 60 in YAML 1.1 */
	{ "12:30:45", TEXT, 0, "text '12:30:45'" },
	{ "1e", TEXT, 0, "text '1e'" },
	{ "e5", TEXT, 0, "text 'e5'" },
	{ ".", TEXT, 0, "text '.'" },
	{ "+", TEXT, 0, "text '+'" },
	{ "1.2.3", TEXT, 0, "text '1.2.3'" },
	{ "1e400", TEXT, 0, "text '1e400'" },
	{ "infinity", TEXT, 0, "text 'infinity'" },
	{ "2026-01-02", TEXT, 0, "text '2026-01-02'" },
	{ "\"5\"", TEXT, 0, "text '5'" },
	{ "'true'", TEXT, 0, "text 'true'" },
	{ "\"\"", TEXT, 0, "text ''" },
	{ "!!str 5", TEXT, 0, "text '5'" },
	{ "! 5", TEXT, 0, "text '5'" },
	{ "!!int \"5\"", INT, 5, "number 5" },
	{ "!!float '1.5'", FLOAT, 1.5, "number 1.5" },
	{ "!!bool 'true'", BOOL, 1, "true" },
};

static void check_scalar(size_t i)
{
	auto_yaml struct pl_yaml_doc *doc = parse(scalars[i].yaml);
	const struct pl_yaml *node = pl_yaml_root(doc);
	enum type type = scalars[i].type;
	char text[80];
	bool truth = false;
	int64_t whole = 0;
	double number = 0;

	pl_yaml_describe(node, text, sizeof(text));
	assert_string_equal(text, scalars[i].described);
	assert_int_equal(pl_yaml_is_null(node), type == NULL_);
	assert_int_equal(pl_yaml_to_bool(node, &truth), type == BOOL || type == WORD_BOOL);
	assert_int_equal(pl_yaml_to_i64(node, &whole), type == INT);
	assert_int_equal(pl_yaml_to_f64(node, &number), type == INT || type == FLOAT);
	assert_true((type != BOOL && type != WORD_BOOL) || truth == (scalars[i].value != 0));
	assert_true(type != INT || whole == (int64_t)scalars[i].value);
	assert_true((type != INT && type != FLOAT) || number == scalars[i].value);

	auto_json json_t *json = pl_yaml_to_json(node);
	assert_int_equal(json_is_null(json), type == NULL_);
	assert_int_equal(json_is_boolean(json), type == BOOL);
	assert_int_equal(json_is_integer(json), type == INT);
	assert_int_equal(json_is_real(json), type == FLOAT && isfinite(number));
}

static void test_base_yaml__scalars_mean_what_the_core_schema_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(scalars); i++)
		check_scalar(i);
}

static void test_base_yaml__not_a_number(void **state)
{
	static const char *const texts[] = { ".nan", ".NaN", "nan", "NaN" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_yaml struct pl_yaml_doc *doc = parse(texts[i]);
		double number = 0;
		assert_true(pl_yaml_to_f64(pl_yaml_root(doc), &number));
		assert_true(isnan(number));
	}
	assert_json("[inf, -.inf, +.INF, nan]", "[\"inf\",\"-inf\",\"inf\",\"nan\"]");
}

static void test_base_yaml__lists_and_maps_are_no_scalars(void **state)
{
	static const struct {
		const char *yaml;
		const char *described;
	} rows[] = { { "[1]", "a list" }, { "{a: 1}", "a mapping" }, { "[]", "a list" } };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_yaml struct pl_yaml_doc *doc = parse(rows[i].yaml);
		const struct pl_yaml *node = pl_yaml_root(doc);
		char text[80];
		bool truth;
		int64_t whole;
		double number;
		pl_yaml_describe(node, text, sizeof(text));
		assert_string_equal(text, rows[i].described);
		assert_false(pl_yaml_is_null(node));
		assert_false(pl_yaml_to_bool(node, &truth));
		assert_false(pl_yaml_to_i64(node, &whole));
		assert_false(pl_yaml_to_f64(node, &number));
	}
}

static void test_base_yaml__long_texts_are_described_short(void **state)
{
	static const char shown[] =
		"text 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'";
	auto_yaml struct pl_yaml_doc *lines = parse("\"a\\nb\\tc\"");
	char text[100];
	auto_buf buf = { 0 };

	(void)state;
	pl_yaml_describe(pl_yaml_root(lines), text, sizeof(text));
	assert_string_equal(text, "text 'a b c'");
	pl_buf_init(&buf, 1000);
	for (int i = 0; i < 59; i++)
		pl_buf_add_char(&buf, 'x');
	pl_buf_add_text(&buf, "\xe2\x82\xac\xe2\x82\xac"); /* the cut would fall inside the first */
	auto_yaml struct pl_yaml_doc *doc = parse(pl_buf_text(&buf));
	pl_yaml_describe(pl_yaml_root(doc), text, sizeof(text));
	assert_string_equal(text, shown);
	pl_yaml_describe(pl_yaml_root(doc), text, 8);
	assert_string_equal(text, "text 'x");
}

static void test_base_yaml__files(void **state)
{
	struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "c.yaml");
	struct pl_err err = PL_ERR_INIT;
	auto_yaml struct pl_yaml_doc *doc = NULL;
	struct pl_yaml_doc *none = NULL;

	assert_int_equal(pl_file_write(path, "a: 1\n", 5, &err), 0);
	assert_int_equal(pl_yaml_read_file(path, &doc, &err), 0);
	assert_int_equal(pl_file_write(path, "a: [\n", 5, &err), 0);
	assert_int_equal(pl_yaml_read_file(path, &none, &err), -1);
	assert_memory_equal(err.text, path, strlen(path));
	assert_int_equal(pl_yaml_read_file(scratch_path(scratch, "none"), &none, &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
	assert_null(none);
	pl_yaml_free(NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_yaml__documents),
		cmocka_unit_test(test_base_yaml__json_with_surrogate_pairs),
		cmocka_unit_test(test_base_yaml__positions),
		cmocka_unit_test(test_base_yaml__anchors_and_merge_keys),
		cmocka_unit_test(test_base_yaml__errors),
		cmocka_unit_test(test_base_yaml__alias_bombs_are_refused),
		cmocka_unit_test(test_base_yaml__too_many_nodes_and_anchors),
		cmocka_unit_test(test_base_yaml__many_keys),
		cmocka_unit_test(test_base_yaml__depth_is_bounded),
		cmocka_unit_test(test_base_yaml__size_is_bounded),
		cmocka_unit_test(test_base_yaml__scalars_mean_what_the_core_schema_says),
		cmocka_unit_test(test_base_yaml__not_a_number),
		cmocka_unit_test(test_base_yaml__lists_and_maps_are_no_scalars),
		cmocka_unit_test(test_base_yaml__long_texts_are_described_short),
		scratch_test(test_base_yaml__files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
