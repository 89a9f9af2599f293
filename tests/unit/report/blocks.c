#include "report/report_priv.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/text.h"
#include "base/width.h"

static const struct {
	double number;
	bool is_count;
	const char *text;
} numbers[] = {
	{ 0, false, "0" },
	{ 0, true, "0" },
	{ 1, false, "1" },
	{ 1.5, false, "1.5" },
	{ 800, false, "800" },
	{ 12.3456, false, "12.35" },
	{ 123.456, false, "123.5" },
	{ 1234.56, false, "1,235" },
	{ 1234567.8, false, "1,234,568" },
	{ 1234567, true, "1,234,567" },
	{ 0.012345, false, "0.01235" },
	{ 0.5, false, "0.5" },
	{ -2.25, false, "-2.25" },
	{ 0.00001234, false, "1.234e-05" },
	{ 1e16, false, "1.000e+16" },
	{ NAN, false, "–" },
	{ INFINITY, false, "–" },
};

static void test_report_blocks__numbers(void **state)
{
	char text[REPORT_NUMBER_BYTES];

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(numbers); i++) {
		report_number_text(numbers[i].number, numbers[i].is_count, text);
		assert_string_equal(text, numbers[i].text);
	}
}

/* U+202E, U+2066 and U+061C, and 80 columns of wide characters */
#define DIRECTIONS "\xe2\x80\xae \xe2\x81\xa6 \xd8\x9c "
#define HAN        "\xe6\xbc\xa2"
#define TEN        HAN HAN HAN HAN HAN HAN HAN HAN HAN HAN
#define WIDE       TEN TEN TEN TEN

static bool has_direction(const char *text)
{
	return strstr(text, "\xe2\x80\xae") != NULL || strstr(text, "\xe2\x81\xa6") != NULL ||
	       strstr(text, "\xd8\x9c") != NULL;
}

/* A report with every kind of block, whose texts are hostile. */
static json_t *hostile_report(void)
{
	static const char text[] =
		"<img src=x onerror=alert(1)> | `x` ``` @me https://a.b $x$ *b* \x1b[2J " DIRECTIONS
			WIDE;
	json_t *report = report_new(text, text, true);
	json_t *blocks = report_add_section(report, "one", "One");
	json_t *table = report_add_table(blocks, "Table", "Name<!|Value>!|Code`", false);
	json_t *row = report_add_row(table);
	auto_json json_t *charts = json_array();

	report_add_text(blocks, "note", text);
	report_add_code(blocks, "Code", text, false);
	report_add_group(table, text, text);
	report_add_cell(row, text);
	report_add_number_cell(row, 1.25, false);
	report_add_toned_cell(row, text, "over");
	json_t *chart = report_add_chart(charts, "Chart", text, text, text);
	json_t *line = report_add_line(chart, text, "line");
	report_push(line, "x", 0);
	report_push(line, "y", 1);
	report_push(line, "x", 1);
	report_push(line, "y", NAN);
	report_add_cell(report_add_row(report_chart_table(chart, "A<!")), text);
	json_array_append_new(blocks, json_pack("{s:s, s:O}", "kind", "charts", "items", charts));
	json_array_append_new(blocks, json_pack("{s:s, s:s, s:n, s:[s]}", "kind", "verdict",
						"verdict", text, "status", "text", text));
	json_array_append_new(blocks, json_pack("{s:s, s:[{s:s, s:s, s:f, s:s, s:s}]}", "kind",
						"tiles", "items", "label", text, "text", text,
						"number", 2.5, "unit", text, "note", text));
	return report;
}

static void test_report_blocks__html_is_escaped(void **state)
{
	auto_json json_t *report = hostile_report();
	auto_buf html = PL_BUF(REPORT_BYTES_MAX);

	(void)state;
	report_html(report, &html);
	const char *text = pl_buf_text(&html);
	assert_null(strstr(text, "<img"));
	assert_null(strstr(text, "<script"));
	assert_null(strchr(text, '\x1b'));
	assert_false(has_direction(text));
	assert_non_null(strstr(text, "&lt;img src=x onerror=alert(1)&gt;"));
	assert_non_null(strstr(text, "<data value=\"1.25\">1.25</data>"));
}

static void test_report_blocks__markdown_is_escaped(void **state)
{
	auto_json json_t *report = hostile_report();
	auto_buf text = PL_BUF(REPORT_BYTES_MAX);

	(void)state;
	report_markdown(report, &text);
	assert_false(has_direction(pl_buf_text(&text)));
	/* inside the fence only, which is longer than the one in the text */
	const char *fence = strstr(pl_buf_text(&text), "````\n");
	assert_non_null(fence);
	const char *end = strstr(fence + 1, "````\n");
	assert_non_null(end);
	auto_free char *before = pl_strndup(pl_buf_text(&text),
					    (size_t)(fence - pl_buf_text(&text)));
	const char *const parts[] = { before, end };
	for (size_t i = 0; i < PL_ARRAY_SIZE(parts); i++) {
		assert_null(strstr(parts[i], "<img"));
		assert_null(strstr(parts[i], "@me"));
		assert_null(strstr(parts[i], "https://"));
		assert_null(strstr(parts[i], " $x$"));
		assert_null(strstr(parts[i], " *b*"));
		assert_null(strchr(parts[i], '\x1b'));
	}
	assert_non_null(strstr(before, "\\| \\`x\\`"));
}

/* No line is longer than 80 columns, and nothing controls the terminal. */
static void test_report_blocks__terminal(void **state)
{
	auto_json json_t *report = hostile_report();
	auto_buf text = PL_BUF(REPORT_BYTES_MAX), colored = PL_BUF(REPORT_BYTES_MAX);

	(void)state;
	report_terminal(report, false, &text);
	assert_null(strchr(pl_buf_text(&text), '\x1b'));
	assert_false(has_direction(pl_buf_text(&text)));
	auto_free char *copy = pl_strdup(pl_buf_text(&text));
	for (char *rest = copy, *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (!pl_text_starts(line, "    "))
			assert_true(pl_width(line, strlen(line)) <= 80);
	}
	report_terminal(report, true, &colored);
	assert_null(strstr(pl_buf_text(&colored), "\x1b[2J"));
	assert_non_null(strstr(pl_buf_text(&colored), "\x1b[1m"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report_blocks__numbers),
		cmocka_unit_test(test_report_blocks__html_is_escaped),
		cmocka_unit_test(test_report_blocks__markdown_is_escaped),
		cmocka_unit_test(test_report_blocks__terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
