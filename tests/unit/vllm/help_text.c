#include "vllm/help_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

/* As argparse writes it for 60 columns: help from column 24, cut words at column 58. */
static const char text[] = "usage: server serve [model_tag] [options]\n"
			   "\n"
			   "Starts it. Search with:\n"
			   "\n"
			   "positional arguments:\n"
			   "  model_tag             The model (default: None)\n"
			   "\n"
			   "options:\n"
			   "  --grpc                Another protocol. (default: False)\n"
			   "  --shutdown-timeout SHUTDOWN_TIMEOUT\n"
			   "                        Seconds. 0 = abort, >0 = wait.\n"
			   "                        (default: 0)\n"
			   "  -h, --help            show this help message and exit\n"
			   "\n"
			   "Frontend:\n"
			   "  Its purpose.\n"
			   "  - one point of it:\n"
			   "      --not-an-argument X\n"
			   "\n"
			   "  --origins ORIGINS     Allowed origins. (default: ['*'])\n"
			   "  --keys KEYS [KEYS ...]\n"
			   "                        Secrets. Do not rely on `--api-\n"
			   "                        key` alone (see below).\n"
			   "                        (default: None)\n"
			   "  --level {low,high,None}, -l {low,high,None}\n"
			   "                        How much. (default: low)\n"
			   "  --mode ['auto', 'a, b']\n"
			   "                        Names. (default: auto)\n"
			   "  --parser {x,y} or a name that is registered\n"
			   "                        Names. (default: None)\n"
			   "  --token [TOKEN]       Secret. (default: None)\n"
			   "  --traces {all,worker} [{all,worker} ...]\n"
			   "                        Which. (default: None)\n"
			   "  --eager, --no-eager, -e\n"
			   "                        Always.\n"
			   "                        - True: always\n"
			   "\n"
			   "                        (default: False)\n"
			   "  --settings SETTINGS   Settings. (default: SomeConfigur\n"
			   "                        ation(first_key=None,\n"
			   "                        second='x'))\n"
			   "\n"
			   "When objects are passed, the following are equal:\n"
			   "   --settings '{\"a\": 1}'\n"
			   "  --also-not-an-argument X\n"
			   "real	0m59.775s\n";

struct wanted {
	const char *flag;
	const char *aliases;
	const char *negative_flag;
	const char *group;
	const char *style;
	const char *choices;
	const char *default_text;
	const char *help;
	bool open;
	bool takes_none;
};

static const struct wanted wanted[] = {
	{ "--grpc", NULL, NULL, "", "flag", NULL, "False", "Another protocol.", false, false },
	{ "--shutdown-timeout", NULL, NULL, "", "value", NULL, "0",
	  "Seconds. 0 = abort, >0 = wait.", false, false },
	{ "--origins", NULL, NULL, "Frontend", "value", NULL, "['*']", "Allowed origins.", false,
	  false },
	{ "--keys", NULL, NULL, "Frontend", "list", NULL, "None",
	  "Secrets. Do not rely on `--api-key` alone (see below).", false, false },
	{ "--level", "-l", NULL, "Frontend", "value", "[\"low\",\"high\"]", "low", "How much.",
	  false, true },
	{ "--mode", NULL, NULL, "Frontend", "value", "[\"auto\",\"a\",\"b\"]", "auto", "Names.",
	  true, false },
	{ "--parser", NULL, NULL, "Frontend", "value", "[\"x\",\"y\"]", "None", "Names.", true,
	  false },
	{ "--token", NULL, NULL, "Frontend", "optional_value", NULL, "None", "Secret.", false,
	  false },
	{ "--traces", NULL, NULL, "Frontend", "list", "[\"all\",\"worker\"]", "None", "Which.",
	  false, false },
	{ "--eager", "-e", "--no-eager", "Frontend", "toggle", NULL, "False",
	  "Always. - True: always", false, false },
	{ "--settings", NULL, NULL, "Frontend", "value", NULL,
	  "SomeConfiguration(first_key=None, second='x')", "Settings.", false, false },
};

static struct vllm_help *parse(const char *bytes)
{
	struct vllm_help *help = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(vllm_help_parse(bytes, strlen(bytes), &help, &err), 0);
	return help;
}

static void same(const char *found, const char *expected)
{
	assert_true((found == NULL) == (expected == NULL));
	if (found != NULL)
		assert_string_equal(found, expected);
}

static void every_form_is_read(void **state)
{
	auto_help struct vllm_help *help = parse(text);

	(void)state;
	assert_int_equal(vllm_help_count(help), PL_ARRAY_SIZE(wanted));
	for (size_t i = 0; i < PL_ARRAY_SIZE(wanted); i++) {
		const struct vllm_help_arg *arg = vllm_help_at(help, i);
		auto_free char *choices = arg->choices != NULL
						  ? pl_json_to_text(arg->choices, PL_JSON_COMPACT)
						  : NULL;
		assert_string_equal(arg->flag, wanted[i].flag);
		same(arg->aliases, wanted[i].aliases);
		same(arg->negative_flag, wanted[i].negative_flag);
		assert_string_equal(arg->group, wanted[i].group);
		assert_string_equal(option_style_name(arg->style), wanted[i].style);
		same(choices, wanted[i].choices);
		same(arg->default_text, wanted[i].default_text);
		assert_string_equal(arg->help, wanted[i].help);
		assert_int_equal(arg->choices_open, wanted[i].open);
		assert_int_equal(arg->takes_none, wanted[i].takes_none);
	}
}

static void colors_and_line_ends_do_not_matter(void **state)
{
	auto_help struct vllm_help *help = parse(
		"\033[1moptions:\033[0m\r\n  \033[32m--port\033[0m PORT\tThe port. (default: 1)\r\n"
		"  --host HOST           After a tab.\r\n");

	(void)state;
	assert_int_equal(vllm_help_count(help), 2);
	assert_string_equal(vllm_help_at(help, 0)->flag, "--port");
	assert_null(vllm_help_at(help, 1)->default_text);
}

static void other_bytes_than_utf8_are_replaced(void **state)
{
	auto_help struct vllm_help *good = parse(
		"options:\n  --a A  caf\xc3\xa9 (default: \xc3\xa9)\n");
	auto_help struct vllm_help *bad = parse("options:\n  --a A  caf\xe9 (default: \xff)\n");

	(void)state;
	assert_string_equal(vllm_help_at(good, 0)->default_text, "\xc3\xa9");
	assert_string_equal(vllm_help_at(bad, 0)->help, "caf?");
	assert_string_equal(vllm_help_at(bad, 0)->default_text, "?");
}

static void switches_have_a_sense(void **state)
{
	static const struct {
		const char *names;
		const char *flag;
		const char *aliases;
		const char *negative_flag;
		const char *negative_aliases;
		const char *undecided;
	} cases[] = {
		{ "--enable-x, --disable-x", "--enable-x", NULL, "--disable-x", NULL, NULL },
		{ "--disable-x, --enable-x", "--disable-x", NULL, "--enable-x", NULL, NULL },
		{ "--enable-x, -x, --disable-x", "--enable-x", "-x", "--disable-x", NULL, NULL },
		{ "--x, --no-x, --disable-x", "--x", NULL, "--no-x", "--disable-x", NULL },
		{ "--x, --use-x, --no-x, --no-use-x", "--x", "--use-x", "--no-x", "--no-use-x",
		  NULL },
		{ "--no-x, --x", "--x", NULL, "--no-x", NULL, NULL },
		{ "--no-x", "--no-x", NULL, NULL, NULL, NULL },
		{ "--x, --y", "--x", NULL, NULL, NULL, "--y" },
		{ "--x, --y, --no-x, --no-y", "--x", "--y", "--no-x", "--no-y", NULL },
		/* with a value they are not switches */
		{ "--x X, --y X", "--x", "--y", NULL, NULL, NULL },
		{ "--enable-x X, --disable-x X", "--enable-x", "--disable-x", NULL, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *bytes = pl_asprintf("options:\n  %s  Text.\n", cases[i].names);
		auto_help struct vllm_help *help = parse(bytes);
		const struct vllm_help_arg *arg = vllm_help_at(help, 0);
		assert_string_equal(arg->flag, cases[i].flag);
		same(arg->aliases, cases[i].aliases);
		same(arg->negative_flag, cases[i].negative_flag);
		same(arg->negative_aliases, cases[i].negative_aliases);
		same(arg->undecided, cases[i].undecided);
		assert_int_equal(arg->line, 2);
	}
}

/* Since 3.13 argparse shows a value's name once. */
static void short_form_may_have_no_value_name(void **state)
{
	auto_help struct vllm_help *help = parse("options:\n  -n, --nnodes NNODES\n      Nodes.\n");
	const struct vllm_help_arg *arg = vllm_help_at(help, 0);

	(void)state;
	assert_string_equal(arg->flag, "--nnodes");
	assert_string_equal(arg->aliases, "-n");
	assert_int_equal(arg->style, OPTION_STYLE_VALUE);
}

static void what_has_no_argument_is_an_error(void **state)
{
	static const char *const texts[] = { "",
					     "\n\n",
					     "command not found\n",
					     "options:\n",
					     "options:\n  -h, --help  show this\n",
					     "  --port PORT outside of a group\n" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		struct vllm_help *help = NULL;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(vllm_help_parse(texts[i], strlen(texts[i]), &help, &err), -1);
		assert_null(help);
		assert_non_null(strstr(err.text, "--help=all"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_read),
		cmocka_unit_test(colors_and_line_ends_do_not_matter),
		cmocka_unit_test(other_bytes_than_utf8_are_replaced),
		cmocka_unit_test(switches_have_a_sense),
		cmocka_unit_test(short_form_may_have_no_value_name),
		cmocka_unit_test(what_has_no_argument_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
