#include "base/man.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void check_end(const struct pl_opt *options, const char *expected)
{
	const struct pl_opt_command command = {
		.name = "x", .summary = "does x", .usage = "[options]", .options = options
	};
	auto_buf buf = { 0 };

	pl_buf_init(&buf, 100000);
	pl_man_add_command(&buf, "profllm", "x", &command);
	const char *end = strstr(pl_buf_text(&buf), ".SH OPTIONS\n");
	assert_non_null(end);
	assert_string_equal(end, expected);
}

static void test_base_man__options_of_later_versions_are_one_line_each(void **state)
{
	static const struct pl_opt none[] = {
		{ "port", 'p', PL_OPT_TEXT, 0, .arg = "N", .help = "listen on N" },
		{ .name = NULL },
	};
	static const struct pl_opt some[] = {
		{ "later-first", 0, PL_OPT_TEXT, 0, .help = "a", .hidden = true, .later = true },
		{ "port", 0, PL_OPT_TEXT, 0, .arg = "N", .help = "listen on N" },
		{ "later-last", 0, PL_OPT_FLAG, 0, .help = "c", .hidden = true, .later = true },
		{ .name = NULL },
	};

	(void)state;
	check_end(none, ".SH OPTIONS\n.TP\n.B \\-p, \\-\\-port N\nlisten on N\n"
			".SH SEE ALSO\n.nf\n.BR profllm (1)\n.fi\n");
	check_end(some, ".SH OPTIONS\n.TP\n.B \\-\\-port N\nlisten on N\n"
			".SH NOT IN THIS VERSION\n\\-\\-later\\-first,\n\\-\\-later\\-last\n"
			".SH SEE ALSO\n.nf\n.BR profllm (1)\n.fi\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_man__options_of_later_versions_are_one_line_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
