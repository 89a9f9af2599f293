#include "base/json.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"
#include "scratch.h"
#include "unit/sanitizer.h"

static json_t *parse(const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *json = NULL;

	if (pl_json_parse(text, strlen(text), "x.json", &json, &err) < 0)
		fail_msg("%s", err.text);
	return json;
}

static void assert_text(const json_t *json, enum pl_json_style style, const char *expected)
{
	auto_free char *text = pl_json_to_text(json, style);

	assert_string_equal(text, expected);
}

static void test_base_json__errors_name_the_place(void **state)
{
	static const struct {
		const char *text;
		const char *starts;
	} rows[] = {
		{ "{\"a\": 1,\n \"b\": }", "x.json:2:" },
		{ "{\"a\": 1, \"a\": 2}", "x.json:1:" },
		{ "{} x", "x.json:1:" },
		{ "", "x.json:1:" },
		{ "[1, 2", "x.json:1:" },
		{ "{\"a\": \"\xff\"}", "x.json:1:" },
		{ "nul", "x.json:1:" },
		{ "[NaN]", "x.json:1:" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct pl_err err = PL_ERR_INIT;
		json_t *json = NULL;
		assert_int_equal(
			pl_json_parse(rows[i].text, strlen(rows[i].text), "x.json", &json, &err),
			-1);
		assert_null(json);
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_memory_equal(err.text, rows[i].starts, strlen(rows[i].starts));
		assert_non_null(strstr(err.text, ": not valid JSON: "));
	}
}

static void test_base_json__any_value_is_a_document(void **state)
{
	static const char *const texts[] = { "1", "\"a\"", "null", "true", "[]", "{}", "-0.5" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_json json_t *json = parse(texts[i]);
		assert_text(json, PL_JSON_COMPACT, texts[i]);
	}
}

/* The expected text is what Python 3.11's json.dumps() gave for the same document. */
static void test_base_json__python_style_is_json_dumps(void **state)
{
	auto_json json_t *doc = json_object();
	json_t *list = json_array();

	(void)state;
	json_object_set_new(doc, "a", json_integer(1));
	json_array_append_new(list, json_integer(2));
	json_array_append_new(list, json_real(2));
	json_array_append_new(list, json_real(-0.0));
	json_array_append_new(list, json_real(1e22));
	json_array_append_new(list, json_true());
	json_array_append_new(list, json_false());
	json_array_append_new(list, json_null());
	json_object_set_new(doc, "b", list);
	json_object_set_new(doc, "c", json_object());
	json_object_set_new(doc, "d", json_array());
	static const char text[] = "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\0\x1f\b\f\n\r\t\"\\/";
	json_object_set_new(doc, "e", json_stringn(text, sizeof(text) - 1));
	json_object_set_new(doc, "\xc3\xbc", parse("{\"x\": [[1], [{}]]}"));
	json_object_set_new(doc, "big", json_integer(INT64_MIN));
	assert_text(
		doc, PL_JSON_PYTHON,
		"{\"a\": 1, \"b\": [2, 2.0, -0.0, 1e+22, true, false, null], \"c\": {}, "
		"\"d\": [], \"e\": \"\\u00e9\\u20ac\\ud83d\\ude00\\u007f\\u0000\\u001f\\b\\f\\n\\r"
		"\\t\\\"\\\\/\", \"\\u00fc\": {\"x\": [[1], [{}]]}, "
		"\"big\": -9223372036854775808}");
}

static void test_base_json__compact_and_indented(void **state)
{
	auto_json json_t *doc = parse(
		"{\"z\": 1.0, \"a\": [1, [2], {\"k\": \"\\u00e9\"}], \"n\": [1, "
		"2], \"e\": {}, \"f\": []}");

	(void)state;
	assert_text(doc, PL_JSON_COMPACT,
		    "{\"z\":1.0,\"a\":[1,[2],{\"k\":\"\xc3\xa9\"}],\"n\":[1,2],\"e\":{},\"f\":[]}");
	assert_text(doc, PL_JSON_SORTED,
		    "{\"a\":[1,[2],{\"k\":\"\xc3\xa9\"}],\"e\":{},\"f\":[],\"n\":[1,2],\"z\":1.0}");
	assert_text(
		doc, PL_JSON_INDENT,
		"{\n  \"z\": 1.0,\n  \"a\": [\n    1,\n    [2],\n    {\n      \"k\": \"\xc3\xa9\"\n"
		"    }\n  ],\n  \"n\": [1, 2],\n  \"e\": {},\n  \"f\": []\n}");
}

/* The output of each style parses to the same document. */
static void test_base_json__styles_read_back(void **state)
{
	auto_json json_t *doc = parse("{\"a\": [0.1, 1e-320, 123456789012345680.0, -5, \"x\\ny\"], "
				      "\"b\": {\"c\": null, \"d\": [true, {}]}}");

	(void)state;
	for (int style = PL_JSON_COMPACT; style <= PL_JSON_SORTED; style++) {
		auto_free char *text = pl_json_to_text(doc, (enum pl_json_style)style);
		auto_json json_t *retry = parse(text);
		assert_true(json_equal(doc, retry));
	}
}

static void test_base_json__numbers_and_texts_that_are_none(void **state)
{
	static const double none[] = { NAN, INFINITY, -INFINITY };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(none); i++) {
		auto_json json_t *json = pl_json_number(none[i]);
		assert_true(json_is_null(json));
	}
	auto_json json_t *number = pl_json_number(1.5);
	auto_json json_t *null = pl_json_text(NULL);
	auto_json json_t *text = pl_json_text("a");
	auto_json json_t *bytes = pl_json_text("a\xff\xc3\xbc\"\xe2\x82");
	assert_text(number, PL_JSON_COMPACT, "1.5");
	assert_true(json_is_null(null));
	assert_text(text, PL_JSON_COMPACT, "\"a\"");
	assert_text(bytes, PL_JSON_COMPACT,
		    "\"a\xef\xbf\xbd\xc3\xbc\\\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void test_base_json__write_stops_at_the_ceiling(void **state)
{
	auto_json json_t *doc = parse("[1, 2, 3]");
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 7);
	assert_true(pl_json_write(doc, PL_JSON_COMPACT, &buf));
	assert_string_equal(pl_buf_text(&buf), "[1,2,3]");
	pl_buf_clear(&buf);
	assert_false(pl_json_write(doc, PL_JSON_PYTHON, &buf));
	assert_true(buf.len <= 7);
}

static void test_base_json__dotted_paths(void **state)
{
	auto_json json_t *doc = parse("{\"a\": {\"b\": {\"c\": 7}}, \"x\": [1]}");

	(void)state;
	assert_int_equal(json_integer_value(pl_json_get_path(doc, "a.b.c")), 7);
	assert_true(json_is_object(pl_json_get_path(doc, "a.b")));
	assert_ptr_equal(pl_json_get_path(doc, ""), doc);
	assert_null(pl_json_get_path(doc, "a.c"));
	assert_null(pl_json_get_path(doc, "x.0"));
	assert_null(pl_json_get_path(doc, "a.b.c.d"));
	assert_null(pl_json_get_path(NULL, "a"));
}

static void test_base_json__nul_in_texts_survives(void **state)
{
	static const char doc[] = "[\"a\\u0000b\\u0000\", \"\", 1]";
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *list = NULL;
	auto_buf buf = { 0 };

	(void)state;
	assert_int_equal(pl_json_parse(doc, strlen(doc), "x", &list, &err), -1);
	assert_int_equal(pl_json_parse_texts(doc, strlen(doc), "x", &list, &err), 0);
	auto_free char *text = pl_json_to_ctext(json_array_get(list, 0));
	assert_string_equal(text, "a\xC0\x80"
				  "b\xC0\x80");
	auto_json json_t *back = pl_json_from_ctext(text);
	assert_true(json_equal(back, json_array_get(list, 0)));
	pl_buf_init(&buf, 100);
	assert_true(pl_text_add_json(&buf, text, strlen(text), true));
	assert_string_equal(buf.data, "\"a\\u0000b\\u0000\"");
	auto_free char *empty = pl_json_to_ctext(json_array_get(list, 1));
	assert_string_equal(empty, "");
	assert_null(pl_json_to_ctext(json_array_get(list, 2)));
	assert_null(pl_json_from_ctext("\xC0"));
}

static void test_base_json__wide_numbers_are_reals(void **state)
{
	static const char doc[] = "[1, 123456789012345678901234567890, -0.5]";
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *list = NULL;
	auto_json json_t *narrow = NULL;

	(void)state;
	assert_int_equal(pl_json_parse(doc, strlen(doc), "x", &list, &err), -1);
	assert_int_equal(pl_json_parse_wide(doc, strlen(doc), "x", &list, &err), 0);
	assert_true(json_real_value(json_array_get(list, 1)) == 123456789012345678901234567890.0);
	assert_true(json_real_value(json_array_get(list, 0)) == 1);
	assert_int_equal(pl_json_parse_wide("[1]", 3, "x", &narrow, &err), 0);
	assert_true(json_is_integer(json_array_get(narrow, 0)));
	assert_int_equal(pl_json_parse_wide("[1e999]", 7, "x", &list, &err), -1);
	assert_int_equal(pl_json_parse_wide("[1,", 3, "x", &list, &err), -1);
}

static void test_base_json__files(void **state)
{
	struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "r.json");
	auto_json json_t *doc = parse("{\"b\": 1, \"a\": [0.1]}");
	auto_json json_t *retry = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_free char *text = NULL;

	assert_int_equal(pl_json_write_file(doc, path, &err), 0);
	assert_int_equal(scratch_count(scratch), 1);
	assert_int_equal(pl_file_read(path, 1000, &text, NULL, &err), 0);
	assert_string_equal(text, "{\n  \"b\": 1,\n  \"a\": [0.1]\n}\n");
	assert_int_equal(pl_json_read_file(path, &retry, &err), 0);
	assert_true(json_equal(doc, retry));
	json_t *none = NULL;
	assert_int_equal(pl_json_read_file(scratch_path(scratch, "none"), &none, &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
	assert_null(none);
}

static size_t allocated;

static void *count_alloc(size_t size)
{
	allocated += size;
	return malloc(size);
}

/* begin, what is repeated, end. */
static char *repeated(const char *const parts[3], size_t count, size_t *ret_len)
{
	struct pl_buf text = PL_BUF(1u << 24);

	pl_buf_add_text(&text, parts[0]);
	for (size_t i = 0; i < count; i++)
		pl_buf_addf(&text, "%s%s", i > 0 ? "," : "", parts[1]);
	pl_buf_add_text(&text, parts[2]);
	*ret_len = text.len;
	return pl_buf_take(&text);
}

/* The estimate goes by what jansson really takes. */
static void test_base_json__memory_is_computed_before_parsing(void **state)
{
	static const char *const cases[][3] = {
		{ "[", "[]", "]" },
		{ "[", "{}", "]" },
		{ "[", "0", "]" },
		{ "[", "0.125", "]" },
		{ "[", "\"\"", "]" },
		{ "[", "\"0123456789012345678901234567890123456789\"", "]" },
		{ "[", "{\"a\": 1, \"b\": [1, 2, \"\\\"\\\\\"]}", "]" },
		{ "[", "[[[[[[[[[[]]]]]]]]]]", "]" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct pl_err err = PL_ERR_INIT;
		auto_json json_t *json = NULL;
		size_t len;
		auto_free char *text = repeated(cases[i], 5000, &len);
		allocated = 0;
		json_malloc_t allocate;
		json_free_t release;
		json_get_alloc_funcs(&allocate, &release);
		json_set_alloc_funcs(count_alloc, free);
		assert_int_equal(pl_json_parse(text, len, "x", &json, &err), 0);
		json_set_alloc_funcs(allocate, release);
		assert_int_equal(pl_json_check_memory(text, len, 3 * allocated, "x", &err), 0);
		if (pl_json_check_memory(text, len, allocated / 3, "x", &err) == 0)
			fail_msg("%s takes %zu bytes, and is taken for less", cases[i][1],
				 allocated);
	}
}

static void test_base_json__too_many_values_have_a_place(void **state)
{
	static const char text[] =
		"[\n\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[[[\",\n"
		" [],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]\n]";
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	/* its own 128, the string's 48 and 40, a comma's 40, then 128 and 40 each */
	assert_int_equal(
		pl_json_check_memory(text, strlen(text), 128 + 88 + 40 + 3 * 168, "x", &err), -1);
	assert_string_equal(err.text,
			    "x:3:11: too many values: they exceed the memory limit of 0 MiB");
	assert_int_equal(err.line, 3);
	assert_int_equal(err.column, 11);
	assert_int_equal(pl_json_check_memory(text, strlen(text), 10000, "x", &err), 0);
}

/* A value that finds no memory is never NULL: the process, here a child, ends with one line. */
static void test_base_json__without_memory_the_process_ends(void **state)
{
	char heard[128] = "";
	int ends[2], status;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip(); /* its malloc() ends the process by itself */
#endif
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		const struct rlimit none = { 0, 0 };
		setrlimit(RLIMIT_CORE, &none);
		signal(SIGABRT, SIG_DFL); /* cmocka catches it */
		dup2(ends[1], STDERR_FILENO);
		json_decref(json_stringn_nocheck("", PTRDIFF_MAX - 1));
		_exit(0);
	}
	close(ends[1]);
	assert_true(read(ends[0], heard, sizeof(heard) - 1) > 0);
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_string_equal(heard, "profllm: out of memory\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_json__errors_name_the_place),
		cmocka_unit_test(test_base_json__any_value_is_a_document),
		cmocka_unit_test(test_base_json__python_style_is_json_dumps),
		cmocka_unit_test(test_base_json__compact_and_indented),
		cmocka_unit_test(test_base_json__styles_read_back),
		cmocka_unit_test(test_base_json__numbers_and_texts_that_are_none),
		cmocka_unit_test(test_base_json__write_stops_at_the_ceiling),
		cmocka_unit_test(test_base_json__dotted_paths),
		cmocka_unit_test(test_base_json__nul_in_texts_survives),
		cmocka_unit_test(test_base_json__wide_numbers_are_reals),
		cmocka_unit_test(test_base_json__memory_is_computed_before_parsing),
		cmocka_unit_test(test_base_json__too_many_values_have_a_place),
		cmocka_unit_test(test_base_json__without_memory_the_process_ends),
		scratch_test(test_base_json__files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
