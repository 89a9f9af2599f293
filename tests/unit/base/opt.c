#include "base/opt.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"

struct options {
	bool force;
	bool progress;
	bool verbose;
	const char *output;
	const char *fail_on;
	const char *secret;
	int64_t port;
	double rate;
	int64_t timeout_ns;
	struct pl_opt_list set;
	struct pl_opt_list format;
};

static const char *const verdicts[] = { "degraded", "client_limited", NULL };
static const char *const formats[] = { "json", "text", "html", NULL };

#define AT(field) .offset = offsetof(struct options, field)

static const struct pl_opt rows[] = {
	{ "force", 'f', PL_OPT_FLAG, AT(force), .help = "start in spite of errors" },
	{ "progress", 0, PL_OPT_FLAG, AT(progress), .help = "show a bar", .negatable = true },
	{ "verbose", 'v', PL_OPT_FLAG, AT(verbose), .help = "say more" },
	{ "output", 'o', PL_OPT_TEXT, AT(output), .arg = "FILE", .help = "where the result goes" },
	{ "fail-on", 0, PL_OPT_TEXT, AT(fail_on), .arg = "VERDICT",
	  .help = "end with 6 on this verdict or a worse one", .choices = verdicts },
	{ "secret-switch", 0, PL_OPT_TEXT, AT(secret), .arg = "X", .help = "unseen",
	  .hidden = true },
	{ "port", 'p', PL_OPT_INT, AT(port), .arg = "N", .help = "port" },
	{ "rate", 0, PL_OPT_F64, AT(rate), .arg = "R", .help = "requests a second" },
	{ "ready-timeout", 0, PL_OPT_DURATION, AT(timeout_ns), .arg = "TIME",
	  .help = "how long the server may take from its start until it has answered one real "
		  "request, with its weights loaded and its graphs captured" },
	{ "set", 's', PL_OPT_LIST, AT(set), .arg = "KEY=VALUE", .help = "change one key" },
	{ "format", 0, PL_OPT_LIST, AT(format), .arg = "NAME", .help = "form", .choices = formats },
	{ .name = NULL },
};

static const struct pl_opt_command command = {
	.name = "profllm run",
	.usage = "--config FILE --output FILE [--set KEY=VALUE]... [--fail-on VERDICT] [options] "
		 "[NAME]",
	.summary = "send load to a server and record the responses",
	.details =
		"A paragraph that is long enough to need a second line when it is shown in eighty "
		"columns.\n\nExamples:\n  profllm run --config quickstart.yaml   --output r.json\n",
	.options = rows,
};

struct call {
	struct options options;
	char **rest;
	int rest_count;
	bool help;
	struct pl_err err;
	char *argv[16];
	char words[512];
};

/* Parses "profllm-run" and the words of `line`, parted by blanks; '~' stands for an empty word. */
static int parse(struct call *call, const char *line)
{
	int argc = 1;

	*call = (struct call){ .rest_count = -1 };
	snprintf(call->words, sizeof(call->words), "%s", line);
	call->argv[0] = call->words + sizeof(call->words) - 1;
	for (char *word = strtok(call->words, " "); word != NULL; word = strtok(NULL, " "))
		call->argv[argc++] = strcmp(word, "~") == 0 ? word + 1 : word;
	return pl_opt_parse(&command, argc, call->argv, &call->options, &call->rest,
			    &call->rest_count, &call->help, &call->err);
}

static void done(struct call *call)
{
	pl_opt_list_done(&call->options.set);
	pl_opt_list_done(&call->options.format);
}

static void parse_ok(struct call *call, const char *line)
{
	if (parse(call, line) < 0)
		fail_msg("'%s': %s", line, call->err.text);
}

static void test_base_opt__spellings_of_a_text(void **state)
{
	static const char *const lines[] = {
		"--output r.json", "--output=r.json", "-o r.json", "-or.json",      "--out r.json",
		"--outp=r.json",   "-vo r.json",      "-vor.json", "-o x -o r.json"
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(lines); i++) {
		struct call call;
		parse_ok(&call, lines[i]);
		assert_string_equal(call.options.output, "r.json");
		assert_int_equal(call.rest_count, 0);
		assert_false(call.help);
	}
}

static void test_base_opt__dashes_and_underscores(void **state)
{
	static const char *const lines[] = { "--fail-on degraded", "--fail_on degraded",
					     "--fail_on=degraded", "--fail degraded",
					     "--secret_switch x --fail-on degraded" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(lines); i++) {
		struct call call;
		parse_ok(&call, lines[i]);
		assert_string_equal(call.options.fail_on, "degraded");
	}
}

static void test_base_opt__flags(void **state)
{
	static const struct {
		const char *line;
		bool force;
		bool progress;
	} cases[] = {
		{ "~", false, false },
		{ "--force", true, false },
		{ "-f --progress", true, true },
		{ "--force=true --progress=false", true, false },
		{ "--force --force=false", false, false },
		{ "--progress --no-progress", false, false },
		{ "--no_progress --progress", false, true },
		{ "--no-prog --force", true, false },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct call call;
		parse_ok(&call, cases[i].line);
		assert_int_equal(call.options.force, cases[i].force);
		assert_int_equal(call.options.progress, cases[i].progress);
	}
}

static void test_base_opt__numbers_and_durations(void **state)
{
	struct call call;

	(void)state;
	parse_ok(&call, "--port -5 --rate inf --ready-timeout 1.5s");
	assert_int_equal(call.options.port, -5);
	assert_true(isinf(call.options.rate));
	assert_int_equal(call.options.timeout_ns, 1500 * PL_NS_PER_MS);
	parse_ok(&call, "-p80 --rate=-2.5 --ready=10m");
	assert_int_equal(call.options.port, 80);
	assert_true(call.options.rate == -2.5);
	assert_int_equal(call.options.timeout_ns, 600 * PL_NS_PER_S);
}

static void test_base_opt__lists_and_words_between(void **state)
{
	struct call call;

	(void)state;
	parse_ok(&call, "one --set a=1 two -s b=2 - --set=c=3 -- --set -x");
	assert_int_equal(call.options.set.count, 3);
	assert_string_equal(call.options.set.items[0], "a=1");
	assert_string_equal(call.options.set.items[1], "b=2");
	assert_string_equal(call.options.set.items[2], "c=3");
	static const char *const rest[] = { "one", "two", "-", "--set", "-x" };
	assert_int_equal(call.rest_count, 5);
	for (int i = 0; i < 5; i++)
		assert_string_equal(call.rest[i], rest[i]);
	done(&call);
	assert_null(call.options.set.items);
}

static void test_base_opt__an_empty_value_is_a_value(void **state)
{
	struct call call;

	(void)state;
	parse_ok(&call, "--secret-switch=");
	assert_string_equal(call.options.secret, "");
	parse_ok(&call, "--secret-switch ~");
	assert_string_equal(call.options.secret, "");
	parse_ok(&call, "--output -");
	assert_string_equal(call.options.output, "-");
}

static void test_base_opt__many_list_values(void **state)
{
	struct options options = { 0 };
	static char word[] = "--set=k";
	char *argv[201];
	char **rest;
	int rest_count;
	bool help;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	argv[0] = word;
	for (int i = 1; i <= 200; i++)
		argv[i] = word;
	assert_int_equal(
		pl_opt_parse(&command, 201, argv, &options, &rest, &rest_count, &help, &err), 0);
	assert_int_equal(options.set.count, 200);
	assert_string_equal(options.set.items[199], "k");
	pl_opt_list_done(&options.set);
}

static void test_base_opt__errors(void **state)
{
	static const struct {
		const char *line;
		const char *text;
	} cases[] = {
		{ "--ouput x", "unknown option '--ouput' (did you mean '--output'?)" },
		{ "--ouput=x", "unknown option '--ouput' (did you mean '--output'?)" },
		{ "--hepl", "unknown option '--hepl' (did you mean '--help'?)" },
		{ "--zebra-crossing", "unknown option '--zebra-crossing'" },
		{ "--=x", "unknown option '--'" },
		{ "--no-force", "unknown option '--no-force' (did you mean '--force'?)" },
		{ "-x", "unknown option '-x'" },
		{ "-vx", "unknown option '-x'" },
		{ "-5", "unknown option '-5'" },
		{ "--secret x", "unknown option '--secret' (did you mean "
				"'--set'?)" }, /* hidden: only whole */
		{ "--fo", "option '--fo' is ambiguous: '--force', '--format'" },
		{ "--set", "option '--set' needs a value" },
		{ "-s", "option '-s' needs a value" },
		{ "--set --force", "option '--set' needs a value" },
		{ "--set -f", "option '--set' needs a value" },
		{ "--set --", "option '--set' needs a value" },
		{ "--force=yes", "option '--force': found 'yes', expected true or false" },
		{ "--force=", "option '--force': found '', expected true or false" },
		{ "--no-progress=true", "option '--no-progress' takes no value" },
		{ "--port 1.5", "option '--port': found '1.5', expected an integer" },
		{ "-pabc", "option '-p': found 'abc', expected an integer" },
		{ "--port=", "option '--port': found '', expected an integer" },
		{ "--rate fast", "option '--rate': found 'fast', expected a number" },
		{ "--ready-timeout 5x", "option '--ready-timeout': found '5x', expected a duration "
					"such as 500ms, 30s or 2h" },
		{ "--fail-on degrade", "option '--fail-on': found 'degrade', expected degraded or "
				       "client_limited (did you mean 'degraded'?)" },
		{ "--output=", "option '--output': found an empty value, expected FILE" },
		{ "-o ~", "option '-o': found an empty value, expected FILE" },
		{ "--format zzzzzz",
		  "option '--format': found 'zzzzzz', expected json, text or html" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct call call;
		assert_int_equal(parse(&call, cases[i].line), -1);
		assert_int_equal(call.err.code, PL_ERR_INVALID);
		assert_string_equal(call.err.text, cases[i].text);
		assert_int_equal(call.rest_count, -1); /* results stay untouched */
		done(&call);
	}
}

static void test_base_opt__help_stops_the_parse(void **state)
{
	static const char *const lines[] = { "--help", "-h", "--force --help --no-such", "-fh -x",
					     "--hel" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(lines); i++) {
		struct call call;
		parse_ok(&call, lines[i]);
		assert_true(call.help);
	}
	struct call call;
	parse_ok(&call, "-- --help");
	assert_false(call.help);
	assert_int_equal(call.rest_count, 1);
}

static void test_base_opt__help_text(void **state)
{
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 100000);
	pl_opt_help(&command, &buf);
	assert_string_equal(
		pl_buf_text(&buf),
		"usage: profllm run --config FILE --output FILE [--set KEY=VALUE]... [--fail-on\n"
		"       VERDICT] [options] [NAME]\n"
		"\n"
		"send load to a server and record the responses\n"
		"\n"
		"options:\n"
		"  -f, --force               start in spite of errors\n"
		"      --[no-]progress       show a bar\n"
		"  -v, --verbose             say more\n"
		"  -o, --output FILE         where the result goes\n"
		"      --fail-on VERDICT     end with 6 on this verdict or a worse one (degraded,\n"
		"                            client_limited)\n"
		"  -p, --port N              port\n"
		"      --rate R              requests a second\n"
		"      --ready-timeout TIME  how long the server may take from its start until it\n"
		"                            has answered one real request, with its weights\n"
		"                            loaded and its graphs captured\n"
		"  -s, --set KEY=VALUE       change one key\n"
		"      --format NAME         form (json, text, html)\n"
		"  -h, --help                show this help and exit\n"
		"\n"
		"A paragraph that is long enough to need a second line when it is shown in eighty\n"
		"columns.\n"
		"\n"
		"Examples:\n"
		"  profllm run --config quickstart.yaml   --output r.json\n");
}

static void test_base_opt__a_wide_option_has_its_help_below(void **state)
{
	static const struct pl_opt wide[] = {
		{ "a-very-long-option-name-indeed", 0, PL_OPT_TEXT, 0, .arg = "SOMETHING",
		  .help = "\xc3\xa9t\xc3\xa9" },
		{ "b", 0, PL_OPT_TEXT, 0, .help = "beta" },
		{ .name = NULL },
	};
	static const struct pl_opt_command small = { .name = "x", .options = wide };
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 100000);
	pl_opt_help(&small, &buf);
	assert_string_equal(pl_buf_text(&buf), "usage: x\n"
					       "\n"
					       "options:\n"
					       "      --a-very-long-option-name-indeed SOMETHING\n"
					       "                 \xc3\xa9t\xc3\xa9\n"
					       "      --b VALUE  beta\n"
					       "  -h, --help     show this help and exit\n");
}

static void test_base_opt__groups_defaults_and_what_comes_later(void **state)
{
	static const char *const modes[] = { "fast", "slow", NULL };
	static const struct pl_opt grouped[] = {
		{ "later-first", 0, PL_OPT_TEXT, 0, .help = "a", .hidden = true, .later = true },
		{ "host", 0, PL_OPT_TEXT, 0, .arg = "TEXT", .help = "where", .def = "here",
		  .group = "Server" },
		{ "port", 0, PL_OPT_TEXT, 0, .arg = "N", .help = "which" },
		{ "secret", 0, PL_OPT_FLAG, 0, .help = "b", .hidden = true },
		{ "mode", 0, PL_OPT_TEXT, 0, .arg = "TEXT", .help = "how", .choices = modes,
		  .def = "slow", .group = "Load" },
		{ "later-last", 0, PL_OPT_FLAG, 0, .help = "c", .hidden = true, .later = true },
		{ .name = NULL },
	};
	static const struct pl_opt_command big = { .name = "x", .options = grouped };
	auto_buf buf = { 0 };

	(void)state;
	pl_buf_init(&buf, 100000);
	pl_opt_help(&big, &buf);
	assert_string_equal(pl_buf_text(&buf),
			    "usage: x\n\nServer:\n      --host TEXT  where (default here)\n      "
			    "--port N     which\n\nLoad:\n      --mode TEXT  how (fast, slow; "
			    "default slow)\n  -h, --help       show this help and exit\n\nnot in "
			    "this version:\n  --later-first, --later-last\n");
}

/* A help that ends in other parentheses does not hide the choices. */
static void test_base_opt__choices_are_named_once(void **state)
{
	static const char *const modes[] = { "fast", "slow", NULL };
	static const struct {
		const char *help, *after;
	} helps[] = {
		{ "how", " (fast, slow)" },
		{ "how (see the manual)", " (fast, slow)" },
		{ "how fast or slow it is", " (fast, slow)" },
		{ "how (faster, or slow)", " (fast, slow)" },
		{ "how (fast, or slow by default)", "" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(helps); i++) {
		const struct pl_opt option = {
			.name = "mode", .type = PL_OPT_TEXT, .help = helps[i].help, .choices = modes
		};
		auto_buf buf = { 0 };
		pl_buf_init(&buf, 1000);
		pl_opt_help_after(&option, &buf);
		assert_string_equal(pl_buf_text(&buf), helps[i].after);
	}
}

static void test_base_opt__a_command_without_options(void **state)
{
	static const struct pl_opt_command bare = { .name = "x" };
	static char words[3][8] = { "x", "word", "--nope" };
	char *argv[] = { words[0], words[1], words[2] };
	char **rest;
	int rest_count;
	bool help;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(pl_opt_parse(&bare, 2, argv, NULL, &rest, &rest_count, &help, &err), 0);
	assert_int_equal(rest_count, 1);
	assert_string_equal(rest[0], "word");
	assert_int_equal(pl_opt_parse(&bare, 3, argv, NULL, &rest, &rest_count, &help, &err), -1);
	assert_int_equal(pl_opt_parse(&bare, 0, argv, NULL, &rest, &rest_count, &help, &err), 0);
	assert_int_equal(rest_count, 0);
}

/*
 * "--wait", "--wait 2h", "--wait=2h": a word that is not a duration is an operand of a command that has operands, otherwise
 * a mistake.
 */
static void test_base_opt__an_optional_value(void **state)
{
	(void)state;
	static const struct pl_opt wait_rows[] = {
		{ "wait", 'w', PL_OPT_DURATION, .offset = 0, .arg = "[TIME]", .help = "wait",
		  .optional = true },
		{ "quiet", 'q', PL_OPT_FLAG, .offset = sizeof(int64_t), .help = "say nothing" },
		{ .name = NULL },
	};
	static const struct pl_opt_command wait_command = { .name = "x", .options = wait_rows };
	static const struct pl_opt_command file_command = { .name = "x",
							    .operand = "FILE",
							    .options = wait_rows };
	static const struct {
		const char *words[4];
		int64_t ns; /* -1: refused */
		int rest;
		bool takes_file;
	} cases[] = {
		{ { "name" }, 0, 1, false },
		{ { "--wait" }, INT64_MAX, 0, false },
		{ { "--wait", "2h" }, 7200 * PL_NS_PER_S, 0, false },
		{ { "--wait=90s" }, 90 * PL_NS_PER_S, 0, false },
		{ { "-w5s", "name" }, 5 * PL_NS_PER_S, 1, false },
		{ { "--wait", "name" }, -1, 0, false },
		{ { "--wait", "name" }, INT64_MAX, 1, true },
		{ { "--wait", "2h" }, 7200 * PL_NS_PER_S, 0, true },
		{ { "--wait", "--quiet", "2h" }, INT64_MAX, 1, false },
		{ { "--wait=soon" }, -1, 0, false },
		{ { "--wait=" }, -1, 0, false },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct {
			int64_t wait_ns;
			bool quiet;
		} into = { 0 };
		char words[4][16] = { "x" };
		char *argv[5] = { words[0] };
		int argc = 1, rest_count = 0;
		char **rest;
		bool help;
		struct pl_err err = PL_ERR_INIT;
		for (size_t k = 0; k < 3 && cases[i].words[k] != NULL; k++, argc++) {
			strcpy(words[argc], cases[i].words[k]);
			argv[argc] = words[argc];
		}
		int done = pl_opt_parse(cases[i].takes_file ? &file_command : &wait_command, argc,
					argv, &into, &rest, &rest_count, &help, &err);
		assert_int_equal(done, cases[i].ns < 0 ? -1 : 0);
		if (done < 0)
			continue;
		assert_int_equal(into.wait_ns, cases[i].ns);
		assert_int_equal(rest_count, cases[i].rest);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_opt__spellings_of_a_text),
		cmocka_unit_test(test_base_opt__dashes_and_underscores),
		cmocka_unit_test(test_base_opt__flags),
		cmocka_unit_test(test_base_opt__numbers_and_durations),
		cmocka_unit_test(test_base_opt__lists_and_words_between),
		cmocka_unit_test(test_base_opt__an_empty_value_is_a_value),
		cmocka_unit_test(test_base_opt__many_list_values),
		cmocka_unit_test(test_base_opt__errors),
		cmocka_unit_test(test_base_opt__help_stops_the_parse),
		cmocka_unit_test(test_base_opt__help_text),
		cmocka_unit_test(test_base_opt__a_wide_option_has_its_help_below),
		cmocka_unit_test(test_base_opt__groups_defaults_and_what_comes_later),
		cmocka_unit_test(test_base_opt__choices_are_named_once),
		cmocka_unit_test(test_base_opt__a_command_without_options),
		cmocka_unit_test(test_base_opt__an_optional_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
