#include "run/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_run_progress__lines(void **state)
{
	(void)state;
	static const struct {
		struct run_progress_view view;
		bool bar;
		const char *text;
	} cases[] = {
		{ { 0, 0, 0, 0, 0, 100, 0, false },
		  false,
		  "0/100 0.0/s 0 tok/s 0 open, -- remaining" },
		{ { 40, 25, 0, 15, 1000, 100, 10, false },
		  false,
		  "25/100 2.5/s 100 tok/s 15 open, 0:30 remaining" },
		{ { 40, 20, 5, 15, 1000, 100, 10, false },
		  false,
		  "25/100 (5 failed) 2.5/s 100 tok/s 15 open, 0:30 remaining" },
		{ { 100, 100, 0, 0, 5000, 100, 50, false },
		  false,
		  "100/100 2.0/s 100 tok/s 0 open, 0:50 elapsed" },
		{ { 2, 1, 0, 1, 10, 5000, 1, false },
		  false,
		  "1/5000 1.0/s 10 tok/s 1 open, 1:23:19 remaining" },
		{ { 50, 50, 0, 0, 0, 100, 10, false },
		  true,
		  "[######......] 50/100 5.0/s 0 tok/s 0 open, 0:10 remaining" },
		{ { 50, 50, 0, 0, 0, 100, 10, true },
		  true,
		  "[######......] 50/100 5.0/s 0 open, 0:10 remaining" },
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_buf text = { 0 };
		pl_buf_init(&text, 1024);
		run_progress_text(&cases[i].view, cases[i].bar, &text);
		assert_string_equal(pl_buf_text(&text), cases[i].text);
	}
}

static void test_run_progress__never_wider_than_a_terminal(void **state)
{
	(void)state;
	struct run_progress_view view = {
		.completed = UINT64_MAX / 4,
		.failed = UINT64_MAX / 4,
		.in_flight = UINT64_MAX,
		.tokens = UINT64_MAX,
		.total = SIZE_MAX,
		.elapsed_s = 1e-3,
	};
	auto_buf text = { 0 };

	pl_buf_init(&text, 4096);
	run_progress_text(&view, true, &text);
	assert_int_equal(text.len, 79);
	assert_int_equal(strlen(pl_buf_text(&text)), 79);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_progress__lines),
		cmocka_unit_test(test_run_progress__never_wider_than_a_terminal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
