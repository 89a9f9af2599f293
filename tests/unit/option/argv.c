#include "option/argv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "option/dotted.h"

static const struct option_row rows[] = {
	{ .flag = "--help", .aliases = "-h", .style = OPTION_STYLE_FLAG },
	{ .flag = "--name", .aliases = "-n --nickname" },
	{ .flag = "--number" },
	{ .flag = "--name-of-all", .aliases = "-na" },
	{ .flag = "--tag", .style = OPTION_STYLE_WORDS },
	{ .flag = "--pair", .style = OPTION_STYLE_WORDS, .words_least = 1 },
	{ .flag = "--list", .style = OPTION_STYLE_LIST },
	{ .flag = "--maybe", .style = OPTION_STYLE_OPTIONAL_VALUE },
	{ .flag = "--fast", .negative_flag = "--no-fast", .style = OPTION_STYLE_TOGGLE },
	{ .flag = "--config", .aliases = "-c" },
};
static const struct option_row old = { .flag = "--old-name" };

static void add_rows(struct option_argv *argv)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++)
		option_argv_add_row(argv, &rows[i], false);
	option_argv_add_row(argv, &old, true);
}

/* Words separated by '|'. */
static void add_words(struct option_argv *argv, const char *line)
{
	auto_free char *copy = pl_strdup(line);
	int column = 1;

	for (char *rest = copy, *word; (word = strsep(&rest, "|")) != NULL;) {
		(void)option_argv_add_word(argv, word, "line", 1, column);
		column += (int)strlen(word) + 1;
	}
}

static void show_flag(const struct option_argv_word *word, struct pl_buf *buf)
{
	pl_buf_addf(buf, "%s%s", word->flag->text, word->flag->negative ? "~" : "");
	if (word->kind == OPTION_ARGV_NO_VALUE)
		pl_buf_add_text(buf, " lacks a value");
	else if (word->kind == OPTION_ARGV_TAKES_NONE)
		pl_buf_add_text(buf, " takes none");
	for (size_t i = 0; i < option_argv_value_count(word); i++)
		pl_buf_addf(buf, "%s%s", i == 0 ? "=" : ",", option_argv_value(word, i));
}

/* What a line was read as, its words separated by '|'. */
static void show(const struct option_argv *argv, struct pl_buf *buf)
{
	for (size_t i = 0; i < argv->count; i++) {
		const struct option_argv_word *word = &argv->words[i];
		if (word->kind == OPTION_ARGV_VALUE)
			continue;
		pl_buf_add_text(buf, buf->len > 0 ? "|" : "");
		if (word->flag != NULL)
			show_flag(word, buf);
		else
			pl_buf_addf(buf, "%s%s", word->text,
				    word->kind == OPTION_ARGV_UNKNOWN     ? " unknown"
				    : word->kind == OPTION_ARGV_AMBIGUOUS ? " ambiguous:"
				    : word->kind == OPTION_ARGV_SEPARATOR ? " ends flags"
									  : "");
		for (size_t j = 0; j < word->candidate_count; j++)
			pl_buf_addf(buf, " %s", word->candidates[j]->text);
	}
}

static void words_are_matched(void **state)
{
	static const struct {
		const char *line;
		const char *read_as;
	} cases[] = {
		/* ways to write a flag */
		{ "--name|x", "--name=x" },
		{ "--name=x", "--name=x" },
		{ "--name=", "--name=" },
		{ "--name=a=b", "--name=a=b" },
		{ "--name_of-all|x", "--name-of-all=x" },
		{ "--name_of_all=a_b", "--name-of-all=a_b" },
		{ "-n|x", "-n=x" },
		{ "-n=x", "-n=x" },
		{ "-nx", "-n=x" },
		{ "-na|x", "-na=x" },
		{ "--nickname|x", "--nickname=x" },
		{ "--nu|7", "--number=7" },
		{ "--nu=7", "--number=7" },
		{ "--name-|x", "--name-of-all=x" },
		{ "--fast", "--fast" },
		{ "--no_fa", "--no-fast~" },
		/* beginnings of several, of none, of those that want the whole */
		{ "--n|7", "--n ambiguous: --name --nickname --number --name-of-all --no-fast|7" },
		{ "--n=7", "--n=7 ambiguous: --name --nickname --number --name-of-all --no-fast" },
		{ "--xyz|1", "--xyz unknown|1" },
		{ "-x", "-x unknown" },
		{ "--old|1", "--old unknown|1" },
		{ "--old-name|1", "--old-name=1" },
		{ "--old_name=1", "--old-name=1" },
		{ "--Name|x", "--Name unknown|x" },
		/* what is a value */
		{ "--name", "--name lacks a value" },
		{ "--name|--fast", "--name lacks a value|--fast" },
		{ "--name|-1", "--name=-1" },
		{ "--name|-.5", "--name=-.5" },
		{ "--name|-1e3", "--name lacks a value|-1e3 unknown" },
		{ "--name|-5.|x", "--name lacks a value|-5. unknown|x" },
		{ "--name|-a b", "--name=-a b" },
		{ "--name|-", "--name=-" },
		{ "--name|", "--name=" },
		{ "--name|--", "--name lacks a value|-- ends flags" },
		{ "--name=--fast", "--name=--fast" },
		{ "--name|a|b", "--name=a|b" },
		{ "--fast|yes", "--fast|yes" },
		{ "--fast=yes", "--fast takes none=yes" },
		{ "--no-fast=1", "--no-fast~ takes none=1" },
		{ "--maybe|--fast", "--maybe|--fast" },
		{ "--maybe|x|y", "--maybe=x|y" },
		{ "--tag|--fast", "--tag|--fast" },
		{ "--tag|a|b|--fast", "--tag=a,b|--fast" },
		{ "--tag=a|b", "--tag=a|b" },
		{ "--pair|--fast", "--pair lacks a value|--fast" },
		{ "--pair|a|b", "--pair=a,b" },
		{ "--list|--fast", "--list lacks a value|--fast" },
		{ "--list|a|-1|b|--|c", "--list=a,-1,b|-- ends flags|c" },
		{ "--name|a|--name|b", "--name=a|--name=b" },
		/* words of no flag */
		{ "a|--fast|b", "a|--fast|b" },
		{ "--|--fast|--|-x", "-- ends flags|--fast|-- ends flags|-x" },
		/* dotted keys are joined after the other words */
		{ "--config.a.b|1|x", "x|--config={\"a\": {\"b\": 1}}" },
		{ "--config.a=1|--fast|--config.b=x", "--fast|--config={\"a\": 1, \"b\": \"x\"}" },
		{ "-c.a_b=true", "-c={\"a_b\": true}" },
		{ "--con_fig.a=1", "--con-fig unknown|{\"a\": 1}" },
		{ "--conf.a=1", "--config={\"a\": 1}" },
		{ "--config.a+|x,y|--config.a+=z", "--config={\"a\": [\"x\", \"y\", \"z\"]}" },
		{ "--config.a|{\"b\": 1}|--config.a.c|2",
		  "--config={\"a\": {\"b\": 1, \"c\": 2}}" },
		{ "--config.a|1|--config.a.c|2", "--config={\"a\": {\"c\": 2}}" },
		{ "--config.a|--fast", "--config={\"a\": \"--fast\"}" },
		{ "--config.", "" },
		{ "--config.|1", "--config={\"\": 1}" },
		{ "--fast.a|1", "--fast|{\"a\": 1}" },
		{ "--name=a.b", "--name=a.b" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_argv argv = { 0 };
		auto_buf text = { 0 };
		pl_buf_init(&text, 4096);
		add_rows(&argv);
		add_words(&argv, cases[i].line);
		option_argv_read(&argv);
		show(&argv, &text);
		assert_string_equal(pl_buf_text(&text), cases[i].read_as);
	}
}

/* Only the words of Python for numbers that are not finite are refused; other text is text. */
static void values_of_dotted_keys(void **state)
{
	static const char *const texts[] = {
		"plain", "nullx", "4 and more", "Na", "Infinit", "xNaN"
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_json json_t *value = option_dotted_value(texts[i]);
		assert_string_equal(json_string_value(value), texts[i]);
	}
	assert_null(option_dotted_value("NaN"));
	assert_null(option_dotted_value("[1, -Infinity]"));
}

static void faults_of_dotted_keys_stay_separate(void **state)
{
	static const struct {
		const char *line;
		enum option_argv_kind kind;
		int column;
		const char *excess;
	} cases[] = {
		{ "--fast|--config.a", OPTION_ARGV_DOTTED_BARE, 8, NULL },
		{ "--config.a|NaN|--fast", OPTION_ARGV_DOTTED_EXCESS, 1,
		  "a number that is not finite" },
		{ "--config.a=[99999999999999999999]", OPTION_ARGV_DOTTED_EXCESS, 1,
		  "an integer of more than 64 bits" },
		{ "--config.1.2.3.4.5.6.7.8.9.0.1.2.3.4.5.6.7.8.9.0.1.2.3.4.5.6.7.8.9.0.1.2.3=x",
		  OPTION_ARGV_DOTTED_DEEP, 1, NULL },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_argv argv = { 0 };
		add_rows(&argv);
		add_words(&argv, cases[i].line);
		option_argv_read(&argv);
		assert_int_equal(argv.refused_count, 1);
		assert_int_equal(argv.refused[0].kind, cases[i].kind);
		assert_int_equal(argv.refused[0].column, cases[i].column);
		if (cases[i].excess != NULL)
			assert_string_equal(argv.refused[0].excess, cases[i].excess);
		for (size_t j = 0; j < argv.count; j++)
			assert_string_equal(argv.words[j].text, "--fast");
	}
}

static void words_keep_their_places(void **state)
{
	auto_argv argv = { 0 };

	(void)state;
	add_rows(&argv);
	add_words(&argv, "--name_of_all|x|--con_fig.a|1|--config.b.c|2|--config.d=3");
	option_argv_read(&argv);
	assert_int_equal(argv.count, 6);
	assert_string_equal(argv.words[0].text, "--name-of-all");
	assert_string_equal(argv.words[0].written, "--name_of_all");
	assert_string_equal(argv.words[0].source, "line");
	assert_int_equal(argv.words[1].column, 15);
	/* two flags: the folding knows no rows */
	assert_string_equal(argv.words[2].text, "--con-fig");
	assert_string_equal(argv.words[2].written, "--con_fig");
	assert_int_equal(argv.words[2].column, 17);
	assert_int_equal(argv.words[2].dotted, 1);
	assert_string_equal(argv.words[4].text, "--config");
	assert_int_equal(argv.words[4].dotted, 2);
	assert_int_equal(argv.words[4].column, 31);
	assert_int_equal(argv.dotted[1].count, 2);
	assert_string_equal(argv.dotted[1].keys[0].path, "b.c");
	assert_int_equal(argv.dotted[1].keys[0].column, 31);
	assert_string_equal(argv.dotted[1].keys[1].path, "d");
	assert_int_equal(argv.dotted[1].keys[1].column, 46);
}

static void words_are_moved_and_dropped(void **state)
{
	auto_argv argv = { 0 };
	auto_buf text = { 0 };

	(void)state;
	pl_buf_init(&text, 4096);
	add_words(&argv, "a|b|c|d|e");
	option_argv_move(&argv, 3, 2, 1);
	option_argv_drop(&argv, 0, 1);
	option_argv_set_text(&argv.words[1], pl_strdup("E"));
	option_argv_read(&argv);
	show(&argv, &text);
	assert_string_equal(pl_buf_text(&text), "d|E|b|c");
	assert_string_equal(argv.words[1].written, "e");
}

static void a_word_alone_means_a_flag(void **state)
{
	static const struct {
		const char *word;
		const char *flag;
	} cases[] = {
		{ "--name=x", "--name" }, { "--conf.a.b=1", "--config" },
		{ "-nx", "-n" },          { "--no_fast", "--no-fast" },
		{ "--n", NULL },          { "--xyz", NULL },
		{ "name", NULL },         { "-1", NULL },
	};
	auto_argv argv = { 0 };

	(void)state;
	add_rows(&argv);
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		const struct option_argv_flag *flag = option_argv_find(&argv, cases[i].word);
		assert_int_equal(flag != NULL, cases[i].flag != NULL);
		if (flag != NULL)
			assert_string_equal(flag->text, cases[i].flag);
	}
}

static void the_nearest_flag_is_found(void **state)
{
	auto_argv argv = { 0 };

	(void)state;
	add_rows(&argv);
	assert_string_equal(option_argv_nearest(&argv, "--nane=x"), "--name");
	assert_string_equal(option_argv_nearest(&argv, "nane"), "--name");
	assert_string_equal(option_argv_nearest(&argv, "--old-nam"), "--old-name");
	assert_null(option_argv_nearest(&argv, "--something-else"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_matched),
		cmocka_unit_test(values_of_dotted_keys),
		cmocka_unit_test(faults_of_dotted_keys_stay_separate),
		cmocka_unit_test(words_keep_their_places),
		cmocka_unit_test(words_are_moved_and_dropped),
		cmocka_unit_test(a_word_alone_means_a_flag),
		cmocka_unit_test(the_nearest_flag_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
