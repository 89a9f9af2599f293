/*
 * The display of a running sweep, at several sizes of the terminal.
 */
#include "sweep/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

static const struct sweep_table_line lines[] = {
	{ .label = "tp=1 name=größe", .since_s = 7 },
	{ .label = "tp=2\033[2J", .since_s = 3725, .over = 12, .requests = 1000 },
	{ .label = "tp=4", .since_s = 60, .over = 5, .requests = 5, .ends = true },
};

static void test_sweep_table__text(void **state)
{
	(void)state;
	static const struct {
		size_t columns, rows;
		bool color;
		size_t failed;
		const char *text;
	} cases[] = {
		{ 80, 24, false, 1,
		  "  tp=1 name=größe  0:07\n"
		  "  tp=2 [2J  1:02:05  12/1000 requests\n"
		  "  tp=4  1:00  ends\n"
		  "4 finished, 1 failed, 6 remaining, about 1:30\n" },
		/* a character is cut as a whole, the label before how far it is */
		{ 21, 24, false, 0,
		  "  tp=1 name=gr…  0:07\n"
		  "  1:02:05  12/1000 r…\n"
		  "  tp=4  1:00  ends\n"
		  "4 finished, 0 failed…\n" },
		{ 1, 24, false, 0, "…\n…\n…\n…\n" },
		/* the cursor's own line is none of it */
		{ 40, 4, false, 0,
		  "  tp=1 name=größe  0:07\n"
		  "  and 2 more\n"
		  "4 finished, 0 failed, 6 remaining, abou…\n" },
		{ 40, 1, false, 0, "4 finished, 0 failed, 6 remaining, abou…\n" },
		{ 80, 3, true, 1,
		  "\033[2m  and 3 more\033[0m\n"
		  "\033[31m4 finished, 1 failed, 6 remaining, about 1:30\033[0m\n" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct sweep_table_view view = {
			.lines = lines,
			.count = PL_ARRAY_SIZE(lines),
			.over = 4,
			.failed = cases[i].failed,
			.left = 6,
			.left_s = 90.4,
			.columns = cases[i].columns,
			.rows = cases[i].rows,
			.color = cases[i].color,
		};
		auto_buf text = PL_BUF(4096);
		sweep_table_text(&view, &text);
		assert_string_equal(pl_buf_text(&text), cases[i].text);
	}
}

static void test_sweep_table__nothing_known(void **state)
{
	(void)state;
	struct sweep_table_view view = { .left = 1, .columns = 80, .rows = 24 };
	auto_buf text = PL_BUF(4096);

	sweep_table_text(&view, &text);
	assert_string_equal(pl_buf_text(&text), "0 finished, 0 failed, 1 remaining\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sweep_table__text),
		cmocka_unit_test(test_sweep_table__nothing_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
