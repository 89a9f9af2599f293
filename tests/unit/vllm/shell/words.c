#include "vllm/shell/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "option/problem.h"

static void split(const char *text, struct vllm_words *words, struct option_problems *problems)
{
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(vllm_words_split(text, strlen(text),
					  &(struct vllm_words_options){ .source = "line" }, words,
					  problems, &err),
			 0);
}

/* Words joined by "|", commands by "||". */
static char *joined(const struct vllm_words *words)
{
	auto_buf buf = { 0 };

	pl_buf_init(&buf, 1 << 20);
	for (size_t i = 0; i < words->count; i++) {
		if (i > 0)
			pl_buf_add_text(&buf, words->items[i].command != words->items[i - 1].command
						      ? "||"
						      : "|");
		pl_buf_add_text(&buf, words->items[i].text);
	}
	return buf.len > 0 ? pl_buf_take(&buf) : pl_strdup("");
}

static void test_words(void **state)
{
	static const struct {
		const char *text;
		const char *words;
		size_t problems;
	} cases[] = {
		{ "", "", 0 },
		{ "  \t\n  ", "", 0 },
		{ "a b  c", "a|b|c", 0 },
		/* a cell of a notebook, down to one letter */
		{ "!vllm serve", "vllm|serve", 0 },
		{ "!v", "v", 0 },
		{ "a 'b c' \"d e\"", "a|b c|d e", 0 },
		{ "a'b'\"c\"d", "abcd", 0 },
		{ "'' \"\"", "|", 0 },
		{ "a\\ b \\\"c", "a b|\"c", 0 },
		{ "'a\\b' \"a\\b\" \"a\\\"b\" \"a\\\\b\"", "a\\b|a\\b|a\"b|a\\b", 0 },
		{ "'{\"a\": 1}'", "{\"a\": 1}", 0 },
		{ "\"{\\\"a\\\": 1}\"", "{\"a\": 1}", 0 },
		{ "'{\"a\": \"'\"b\"'\"}'", "{\"a\": \"b\"}", 0 },
		{ "a \\\n  b\\\nc", "a|bc", 0 },
		{ "a \\\r\n  b\r\n", "a|b", 0 },
		{ "\"a\\\nb\" 'a\nb'", "ab|a\nb", 0 },
		{ "a \\  \n b", "a|b", 1 },
		{ "a # b 'c\nd", "a||d", 0 },
		{ "a#b '#c' #d", "a#b|#c", 0 },
		{ "a; b && c | d & e || f", "a||b||c||d||e||f", 0 },
		{ "a\n\n;b", "a||b", 0 },
		{ "(a b)", "a|b", 0 },
		{ "a > f b 2>&1 c >> 'g h' &> i", "a|b|c", 4 },
		{ "a2>f", "a2", 1 },
		{ "$'a\\tb\\'c' $'\\x41\\u00e9\\101' $\"d\"", "a\tb'c|A\u00e9A|d", 0 },
		{ "$A ${A} \"$A\" '$A'", "$A|${A}|$A|$A", 3 },
		{ "$(a b) `c d` \"$(e \")\")\"", "$(a b)|`c d`|$(e \")\")", 3 },
		{ "x $ a$ \"$\" $1 $?", "x|$|a$|$|$1|$?", 2 },
		{ "A=1; a $A ${A}b \"${A}\"", "A=1||a|1|1b|1", 0 },
		{ "export A=1\na \"$A\" '$A'", "export|A=1||a|1|$A", 0 },
		{ "A=1 a $A", "A=1|a|$A", 1 },
		{ "a ${B:-c} ${B-d} ${B:+e}", "a|c|d", 1 },
		{ "A=1; a ${A:-c}", "A=1||a|1", 0 },
		{ "a 'b", "a|b", 1 },
		{ "a \"b", "a|b", 1 },
		{ "a b\\", "a|b", 0 },
		{ "a \xff b", "a|b", 1 },
		{ "a $'\\xff' b", "a|b", 1 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_words words = { 0 };
		auto_problems problems = { 0 };
		split(cases[i].text, &words, &problems);
		auto_free char *found = joined(&words);
		assert_string_equal(found, cases[i].words);
		if (problems.count != cases[i].problems)
			fail_msg("%s: %zu problems", cases[i].text, problems.count);
	}
}

static void test_places(void **state)
{
	auto_words words = { 0 };
	auto_problems problems = { 0 };

	(void)state;
	split("vllm serve \\\n  --a \"b\\\nc\" d\ne", &words, &problems);
	assert_int_equal(words.count, 6);
	assert_int_equal(words.commands, 2);
	assert_int_equal(words.items[0].line, 1);
	assert_int_equal(words.items[0].column, 1);
	assert_int_equal(words.items[1].column, 6);
	assert_int_equal(words.items[2].line, 2);
	assert_int_equal(words.items[2].column, 3);
	assert_int_equal(words.items[3].column, 7);
	assert_int_equal(words.items[4].line, 3);
	assert_int_equal(words.items[4].column, 4);
	assert_int_equal(words.items[5].line, 4);
	assert_int_equal(words.items[5].command, 1);
}

static void test_problems_have_the_word(void **state)
{
	auto_words words = { 0 };
	auto_problems problems = { 0 };

	(void)state;
	split("a b \\\n cc$D 'e", &words, &problems);
	assert_int_equal(problems.count, 2);
	assert_int_equal(problems.items[0].severity, OPTION_WARNING);
	assert_int_equal(problems.items[0].line, 3);
	assert_int_equal(problems.items[0].column, 2);
	assert_string_equal(problems.items[0].found, "$D");
	assert_int_equal(problems.items[1].severity, OPTION_ERROR);
	assert_int_equal(problems.items[1].line, 4);
	assert_int_equal(problems.items[1].column, 7);
}

static void test_exported(void **state)
{
	auto_words words = { 0 };
	auto_problems problems = { 0 };

	(void)state;
	split("A=1\nexport B=2 C\nD=4\nexport D\nE=5 x", &words, &problems);
	assert_int_equal(json_object_size(words.exported), 2);
	assert_string_equal(json_string_value(json_object_get(words.exported, "D")), "4");
}

static void test_other_than_text(void **state)
{
	auto_words words = { 0 };
	auto_problems problems = { 0 };
	auto_free char *large = pl_alloc(VLLM_WORDS_BYTES_MAX + 1);
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(vllm_words_split("a\0b", 3,
					  &(struct vllm_words_options){ .source = "line" }, &words,
					  &problems, &err),
			 -1);
	assert_non_null(strstr(err.text, "NUL"));
	memset(large, 'a', VLLM_WORDS_BYTES_MAX + 1);
	assert_int_equal(vllm_words_split(large, VLLM_WORDS_BYTES_MAX + 1,
					  &(struct vllm_words_options){ .source = "line" }, &words,
					  &problems, &err),
			 -1);
	assert_int_equal(words.count, 0);
}

/* Each line doubles the one before; the words stay bounded. */
static void test_variables_stay_bounded(void **state)
{
	auto_words words = { 0 };
	auto_problems problems = { 0 };
	auto_buf text = { 0 };

	(void)state;
	pl_buf_init(&text, 1 << 16);
	pl_buf_add_text(&text, "A=aaaaaaaaaaaaaaaa\n");
	for (int i = 0; i < 200; i++)
		pl_buf_add_text(&text, "A=$A$A\n");
	split(pl_buf_text(&text), &words, &problems);
	assert_true(words.bytes <= 8 * VLLM_WORDS_BYTES_MAX);
	assert_true(problems.count > 0);
}

static void test_problems_stay_bounded(void **state)
{
	auto_words words = { 0 };
	auto_problems problems = { 0 };
	auto_buf text = { 0 };

	(void)state;
	pl_buf_init(&text, 1 << 16);
	for (int i = 0; i < 5000; i++)
		pl_buf_add_text(&text, "$a ");
	pl_buf_add_text(&text, "'");
	split(pl_buf_text(&text), &words, &problems);
	assert_int_equal(problems.count, VLLM_WORDS_PROBLEMS_MAX + 1);
	assert_int_equal(problems.errors, 1);
}

static void test_quote(void **state)
{
	static const char *const texts[] = { "a",    "",     "a b",    "it's", "{\"a\": 1}",
					     "$A",   "a\nb", "*",      "~/x",  "--a=b",
					     "a;b",  "\\",   "\u00e9", "!",    "a,b",
					     "a&&b", "'",    "\"",     "#x",   "[1]" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_words words = { 0 };
		auto_problems problems = { 0 };
		auto_buf quoted = { 0 };
		pl_buf_init(&quoted, 1024);
		vllm_word_quote(texts[i], &quoted);
		split(pl_buf_text(&quoted), &words, &problems);
		assert_int_equal(words.count, 1);
		assert_string_equal(words.items[0].text, texts[i]);
		assert_int_equal(problems.count, 0);
	}
}

static void test_quote_controls(void **state)
{
	static const char *const texts[] = { "\x1b[201~id\n", "\r\x7f'x", "\xc2\x9b;m", "\tb" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_words words = { 0 };
		auto_problems problems = { 0 };
		auto_buf quoted = { 0 };
		pl_buf_init(&quoted, 1024);
		vllm_word_quote(texts[i], &quoted);
		assert_null(strpbrk(pl_buf_text(&quoted), "\r\x1b\x7f\xc2\x9b"));
		split(pl_buf_text(&quoted), &words, &problems);
		assert_int_equal(words.count, 1);
		assert_string_equal(words.items[0].text, texts[i]);
		assert_int_equal(problems.count, 0);
	}
}

static void test_assignment(void **state)
{
	(void)state;
	assert_int_equal(vllm_word_name_len("A=1"), 1);
	assert_int_equal(vllm_word_name_len("A_b2=x=y"), 4);
	assert_int_equal(vllm_word_name_len("2A=1"), 0);
	assert_int_equal(vllm_word_name_len("--a=1"), 0);
	assert_int_equal(vllm_word_name_len("A"), 0);
	assert_int_equal(vllm_word_name_len("=1"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_problems_have_the_word),
		cmocka_unit_test(test_exported),
		cmocka_unit_test(test_other_than_text),
		cmocka_unit_test(test_variables_stay_bounded),
		cmocka_unit_test(test_problems_stay_bounded),
		cmocka_unit_test(test_quote),
		cmocka_unit_test(test_quote_controls),
		cmocka_unit_test(test_assignment),
	};

	return cmocka_run_group_tests_name("vllm/shell/words", tests, NULL, NULL);
}
