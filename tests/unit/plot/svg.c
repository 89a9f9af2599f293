#include "plot/svg.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define BYTES_MAX 65536

static const struct {
	double value;
	const char *text;
} numbers[] = {
	{ 0, "0" },
	{ -0.0, "0" },
	{ 1, "1" },
	{ 10, "10" },
	{ 100, "100" },
	{ 0.5, "0.5" },
	{ 1.005, "1" },
	{ 1.239, "1.24" },
	{ -2.5, "-2.5" },
	{ -0.001, "0" },
	{ 1e300, "1000000" },
	{ -1e9, "-1000000" },
	{ INFINITY, "0" },
	{ -INFINITY, "0" },
	{ NAN, "0" },
	{ 999999.999, "1000000" },
	{ 123.456, "123.46" },
	{ 0.1 + 0.2, "0.3" },
};

static void test_plot_svg__numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(numbers); i++) {
		auto_buf buf = PL_BUF(BYTES_MAX);
		plot_svg_add_number(&buf, numbers[i].value);
		assert_string_equal(pl_buf_text(&buf), numbers[i].text);
	}
}

static const struct {
	const char *text;
	const char *escaped;
} texts[] = {
	{ "", "" },
	{ "plain", "plain" },
	{ "<script>alert('1')</script>", "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;" },
	{ "\"&amp;", "&quot;&amp;amp;" },
	{ "a\tb\nc\x1b[31m", "a b c [31m" },
	/* not UTF-8, and the two characters that XML excludes */
	{ "\xff", "\xef\xbf\xbd" },
	{ "\xef\xbf\xbe|\xef\xbf\xbf", "\xef\xbf\xbd|\xef\xbf\xbd" },
	{ "µs → 🚀", "µs → 🚀" },
	{ "]]>", "]]&gt;" },
};

static void test_plot_svg__texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_buf buf = PL_BUF(BYTES_MAX);
		plot_svg_add_text(&buf, texts[i].text);
		assert_string_equal(pl_buf_text(&buf), texts[i].escaped);
	}
}

static void test_plot_svg__elements(void **state)
{
	auto_buf buf = PL_BUF(BYTES_MAX);

	(void)state;
	plot_svg_begin(&buf, &(struct plot_svg_head){ .width = 480,
						      .height = 190.25,
						      .id = "c1",
						      .title = "A & B",
						      .text = "<none>" });
	plot_svg_line(&buf, "grid", 0, 1.5, 10, 1.5);
	plot_svg_rectangle(&buf, "bars s1", 1, 2, 3, 4);
	plot_svg_text(&buf, "tick", 5, 6, "start", "0");
	plot_svg_text(&buf, "tick", 5, 6, "end", "<");
	plot_svg_path_begin(&buf, "line s2");
	plot_svg_path_move(&buf, 0, 0);
	plot_svg_path_line(&buf, 1.25, -1);
	plot_svg_path_dot(&buf, 7, 8);
	plot_svg_path_rectangle(&buf, 1, 2, 3, 4);
	plot_svg_path_end(&buf);
	plot_svg_end(&buf);
	assert_string_equal(
		pl_buf_text(&buf),
		"<svg viewBox=\"0 0 480 190.25\" role=\"img\" aria-labelledby=\"c1-t c1-d\">\n"
		"<title id=\"c1-t\">A &amp; B</title>\n<desc id=\"c1-d\">&lt;none&gt;</desc>\n"
		"<line class=\"grid\" x1=\"0\" y1=\"1.5\" x2=\"10\" y2=\"1.5\"/>\n"
		"<rect class=\"bars s1\" x=\"1\" y=\"2\" width=\"3\" height=\"4\"/>\n"
		"<text class=\"tick\" x=\"5\" y=\"6\">0</text>\n"
		"<text class=\"tick\" x=\"5\" y=\"6\" text-anchor=\"end\">&lt;</text>\n"
		"<path class=\"line s2\" d=\"M0 0L1.25 -1M7 8h0M1 2h3v4h-3z\"/>\n"
		"</svg>\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plot_svg__numbers),
		cmocka_unit_test(test_plot_svg__texts),
		cmocka_unit_test(test_plot_svg__elements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
