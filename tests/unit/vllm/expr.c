#include "vllm/expr_eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

#define ARENA_BYTES 4096

/* The tree as JSON, or the error. The caller's (free()). */
static char *parsed(const char *text)
{
	struct pl_arena *arena = pl_arena_new(ARENA_BYTES);
	const struct vllm_expr *expr = NULL;
	struct pl_err err = PL_ERR_INIT;
	char *answer;

	if (vllm_expr_parse(text, arena, &expr, &err) == 0) {
		auto_json json_t *json = vllm_expr_to_json(expr);
		answer = pl_json_to_text(json, PL_JSON_COMPACT);
	} else {
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_null(expr);
		answer = pl_strdup(err.text);
	}
	pl_arena_free(arena);
	return answer;
}

struct pair {
	const char *text;
	const char *answer;
};

static void check_parsed(const struct pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		auto_free char *answer = parsed(pairs[i].text);
		if (strcmp(answer, pairs[i].answer) != 0)
			fail_msg("%s: %s", pairs[i].text, answer);
	}
}

static void texts_become_trees(void **state)
{
	static const struct pair pairs[] = {
		{ "true", "[\"lit\",true]" },
		{ " null\n", "[\"lit\",null]" },
		{ "12", "[\"lit\",12]" },
		{ "-1.5e-2", "[\"lit\",-0.015]" },
		{ "9007199254740992", "[\"lit\",9007199254740992]" },
		{ "\"a \\\"b\\\" \\\\\"", "[\"lit\",\"a \\\"b\\\" \\\\\"]" },
		{ "[]", "[\"lit\",[]]" },
		{ "[1, \"x\", [true], null, -2]", "[\"lit\",[1,\"x\",[true],null,-2]]" },
		{ "a_1", "[\"arg\",\"a_1\"]" },
		{ "a.b", "[\"sub\",\"a\",\"b\"]" },
		{ "env.gpus", "[\"env\",\"gpus\"]" },
		{ "trueish", "[\"arg\",\"trueish\"]" },
		{ "notice or order", "[\"or\",[\"arg\",\"notice\"],[\"arg\",\"order\"]]" },
		{ "is_set(a)", "[\"is_set\",[\"arg\",\"a\"]]" },
		{ "any_set(a, b.c)", "[\"any_set\",[\"arg\",\"a\"],[\"sub\",\"b\",\"c\"]]" },
		{ "starts_with(a, \"x\")", "[\"starts_with\",[\"arg\",\"a\"],[\"lit\",\"x\"]]" },
		{ "a and b and c", "[\"and\",[\"arg\",\"a\"],[\"arg\",\"b\"],[\"arg\",\"c\"]]" },
		{ "(a and b) and c",
		  "[\"and\",[\"and\",[\"arg\",\"a\"],[\"arg\",\"b\"]],[\"arg\",\"c\"]]" },
		{ "a or b and not c == 1",
		  "[\"or\",[\"arg\",\"a\"],[\"and\",[\"arg\",\"b\"],[\"not\",[\"==\","
		  "[\"arg\",\"c\"],[\"lit\",1]]]]]" },
		{ "1-2-3", "[\"-\",[\"-\",[\"lit\",1],[\"lit\",2]],[\"lit\",3]]" },
		{ "1+2*3%4",
		  "[\"+\",[\"lit\",1],[\"%\",[\"*\",[\"lit\",2],[\"lit\",3]],[\"lit\",4]]]" },
		{ "a not in [1]", "[\"not in\",[\"arg\",\"a\"],[\"lit\",[1]]]" },
		{ "not a in [1]", "[\"not\",[\"in\",[\"arg\",\"a\"],[\"lit\",[1]]]]" },
		{ "(1) <= -2", "[\"<=\",[\"lit\",1],[\"lit\",-2]]" },
	};

	(void)state;
	check_parsed(pairs, PL_ARRAY_SIZE(pairs));
}

static void faults_say_their_column(void **state)
{
	static const struct pair pairs[] = {
		{ "", "character 1: found the end, expected a value" },
		{ "a and", "character 6: found the end, expected a value" },
		{ "a and or b", "character 7: found 'or', expected a value" },
		{ "a >> 3", "character 4: found '>', expected a value" },
		{ "a b", "character 3: found 'b', expected the end of the expression" },
		{ "a = 1", "character 3: found '=', expected the end of the expression" },
		{ "1 < 2 < 3", "character 8: comparisons do not chain; join them with and" },
		{ "a in b not in c", "character 14: comparisons do not chain; join them with and" },
		{ "(a", "character 3: found the end, expected ')'" },
		{ "[1, a]",
		  "character 5: found 'a]', expected a number, string, list, true, false or null" },
		{ "[1", "character 3: found the end, expected ',' or ']'" },
		{ "[1,]",
		  "character 4: found ']', expected a number, string, list, true, false or null" },
		{ "a.", "character 3: a name has at most one key" },
		{ "a.b.c", "character 3: a name has at most one key" },
		{ "\"abc", "character 1: the string is not closed" },
		{ "\"a\\n\"", "character 1: the string has an escape other than \\\" and \\\\" },
		{ "\"\xc3\xa9\"",
		  "character 1: the string has characters other than printable ASCII" },
		{ "1x", "character 1: found '1x', expected a number" },
		{ "1.", "character 1: found '1.', expected a number" },
		{ "0x10", "character 1: found '0x10', expected a number" },
		{ "1e999", "character 1: the number is too large" },
		{ "-a", "character 1: found '-a', expected a value" },
		{ "is_set a", "character 8: found 'a', expected '('" },
		{ "is_set(a, b)", "character 13: the call has too many or too few values" },
		{ "is_set(env.gpus)", "character 16: a fact is never set; name an argument" },
		{ "is_set(1)", "character 8: found '1)', expected a value" },
		{ "starts_with(a)", "character 15: the call has too many or too few values" },
		{ "is_set(true)", "character 8: found 'true)', expected a value" },
		{ "any_set()", "character 9: found ')', expected a value" },
		{ "a; b", "character 2: found ';', expected the end of the expression" },
	};

	(void)state;
	check_parsed(pairs, PL_ARRAY_SIZE(pairs));
}

static char *repeated(const char *part, size_t count, const char *end)
{
	struct pl_buf buf;

	pl_buf_init(&buf, 1 << 20);
	for (size_t i = 0; i < count; i++)
		pl_buf_add_text(&buf, part);
	pl_buf_add_text(&buf, end);
	return pl_buf_take(&buf);
}

static void size_and_depth_have_a_ceiling(void **state)
{
	static const struct {
		const char *part;
		size_t count;
		const char *end;
		const char *fault; /* NULL: taken */
	} cases[] = {
		{ "a+", 250, "a", NULL },
		{ "a+", 256, "a", "too long" },
		{ "not ", VLLM_EXPR_DEPTH_MAX, "a", NULL },
		{ "not ", VLLM_EXPR_DEPTH_MAX + 1, "a", "too many nested brackets" },
		{ "(", VLLM_EXPR_DEPTH_MAX + 1, "a", "too many nested brackets" },
		{ "(", VLLM_EXPR_BYTES_MAX, "", "too many nested brackets" },
		{ "[", VLLM_EXPR_DEPTH_MAX + 1, "", "too many nested brackets" },
		{ "starts_with(", VLLM_EXPR_DEPTH_MAX + 1, "a", "too many nested brackets" },
		{ " ", VLLM_EXPR_BYTES_MAX, "a", "too long" },
		{ " ", VLLM_EXPR_BYTES_MAX - 1, "a", NULL },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *text = repeated(cases[i].part, cases[i].count, cases[i].end);
		auto_free char *answer = parsed(text);
		if (cases[i].fault == NULL)
			assert_int_equal(answer[0], '[');
		else
			assert_non_null(strstr(answer, cases[i].fault));
	}
}

/* Names: t true, f false, n null, zero, one, text "abc", list [1, 2, null], object {"k": 5}. */
static struct vllm_value test_value(void *user, const char *arg, const char *key)
{
	const json_t *value = json_object_get(user, arg);

	return vllm_value_of_json(key == NULL ? value : json_object_get(value, key));
}

static bool test_is_set(void *user, const char *arg, const char *key)
{
	const json_t *value = json_object_get(user, arg);

	if (key != NULL)
		value = json_object_get(value, key);
	return value != NULL && !json_is_null(value);
}

static struct vllm_value test_env(void *user, const char *name)
{
	(void)user;
	return (struct vllm_value){ .kind = strcmp(name, "eight") == 0 ? VLLM_VALUE_NUMBER
								       : VLLM_VALUE_NULL,
				    .number = 8 };
}

static const struct {
	const char *text;
	char truth; /* t, f or ? */
} meanings[] = {
	/* Kleene's tables */
	{ "t and n", '?' },
	{ "f and n", 'f' },
	{ "n and f", 'f' },
	{ "n or t", 't' },
	{ "n or f", '?' },
	{ "not n", '?' },
	{ "not f", 't' },
	{ "t and t and n", '?' },
	/* null in comparison and arithmetic, and division by zero */
	{ "n == null", '?' },
	{ "n != 1", '?' },
	{ "n < 1", '?' },
	{ "one + n == 1", '?' },
	{ "n in [1]", '?' },
	{ "n not in [1]", '?' },
	{ "one / zero == 1", '?' },
	{ "one % zero == 1", '?' },
	{ "1e308 * 10 > 1", '?' },
	{ "starts_with(n, \"a\")", '?' },
	{ "missing == 1", '?' },
	{ "env.nothing == 1", '?' },
	{ "env.eight == 8", 't' },
	/* numbers */
	{ "0.1 + 0.2 == 0.3", 'f' },
	{ "7 / 2 == 3.5", 't' },
	{ "7 % 3 == 1", 't' },
	{ "-7 % 3 == 2", 't' },
	{ "7 % -3 == -2", 't' },
	{ "-7 % -3 == -1", 't' },
	{ "6 % -3 == 0", 't' },
	{ "9007199254740991 + 1 == 9007199254740992", 't' },
	{ "t == 1", 't' },
	{ "t + t == 2", 't' },
	{ "2 - 3 * 4 == -10", 't' },
	/* other kinds */
	{ "text == \"abc\"", 't' },
	{ "text == \"ab\"", 'f' },
	{ "text < \"abd\"", 't' },
	{ "text == 1", 'f' },
	{ "text < 1", '?' },
	{ "text + 1 == 1", '?' },
	{ "starts_with(text, \"ab\")", 't' },
	{ "starts_with(text, \"b\")", 'f' },
	{ "starts_with(one, \"1\")", '?' },
	{ "one in [3, 1]", 't' },
	{ "one in [3, \"1\"]", 'f' },
	{ "one in [3, null]", '?' },
	{ "one in list", 't' },
	{ "zero in list", '?' },
	{ "one in text", '?' },
	{ "list == [1, 2, 3]", '?' },
	{ "list == [2, 2, 3]", 'f' },
	{ "list == [1, 2]", 'f' },
	{ "[1, [2]] == [1, [2]]", 't' },
	{ "object == object", 't' },
	{ "object == list", 'f' },
	{ "object.k == 5", 't' },
	{ "object.other == 5", '?' },
	{ "list.k == 5", '?' },
	/* as a truth */
	{ "zero", 'f' },
	{ "one", 't' },
	{ "text", 't' },
	{ "\"\"", 'f' },
	{ "[]", 'f' },
	{ "list", 't' },
	{ "object", 't' },
	/* what was given */
	{ "is_set(n)", 'f' },
	{ "is_set(f)", 't' },
	{ "is_set(missing)", 'f' },
	{ "is_set(object.k)", 't' },
	{ "is_set(object.n)", 'f' },
	{ "is_set(one.k)", 'f' },
	{ "any_set(missing, n, zero)", 't' },
	{ "any_set(missing, n)", 'f' },
};

static void meaning_has_three_values(void **state)
{
	auto_json json_t *values = json_pack("{s:b,s:b,s:n,s:i,s:f,s:s,s:[i,i,n],s:{s:i,s:n}}", "t",
					     1, "f", 0, "n", "zero", 0, "one", 1.0, "text", "abc",
					     "list", 1, 2, "object", "k", 5, "n");
	struct vllm_expr_scope scope = { test_value, test_is_set, test_env, values };
	struct pl_arena *arena = pl_arena_new(ARENA_BYTES);

	(void)state;
	assert_non_null(values);
	for (size_t i = 0; i < PL_ARRAY_SIZE(meanings); i++) {
		const struct vllm_expr *expr = NULL;
		struct pl_err err = PL_ERR_INIT;
		if (vllm_expr_parse(meanings[i].text, arena, &expr, &err) < 0)
			fail_msg("%s: %s", meanings[i].text, err.text);
		if ("ft?"[vllm_expr_truth(expr, &scope)] != meanings[i].truth)
			fail_msg("%s is not %c", meanings[i].text, meanings[i].truth);
	}
	pl_arena_free(arena);
}

static void add_visited(void *user, const struct vllm_expr *name)
{
	pl_buf_addf(user, "%s%s%s ", name->text, name->key != NULL ? "." : "",
		    name->key != NULL ? name->key : "");
}

static void names_come_in_the_order_of_the_text(void **state)
{
	struct pl_arena *arena = pl_arena_new(ARENA_BYTES);
	const struct vllm_expr *expr = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_buf seen = { 0 };

	(void)state;
	pl_buf_init(&seen, 1000);
	assert_int_equal(
		vllm_expr_parse(
			"b.k > 1 and any_set(c, a) or env.gpus in [1] or starts_with(b, \"x\")",
			arena, &expr, &err),
		0);
	vllm_expr_each_name(expr, add_visited, &seen);
	assert_string_equal(pl_buf_text(&seen), "b.k c a gpus b ");
	pl_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_become_trees),
		cmocka_unit_test(faults_say_their_column),
		cmocka_unit_test(size_and_depth_have_a_ceiling),
		cmocka_unit_test(meaning_has_three_values),
		cmocka_unit_test(names_come_in_the_order_of_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
