#include "plot/chart.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/json.h"
#include "base/text.h"

#define BYTES_MAX (1u << 20)
#define COUNT     5

static const double xs[COUNT] = { 0, 1, 2, 3, 4 };

static struct plot_chart chart_of(const struct plot_chart_series *series, size_t count)
{
	return (struct plot_chart){ .id = "c",
				    .title = "Title",
				    .text = "Text",
				    .x_label = "x",
				    .y_label = "y",
				    .x_low = NAN,
				    .x_high = NAN,
				    .y_high = NAN,
				    .height = 100,
				    .series = series,
				    .series_count = count };
}

static char *svg_of(const struct plot_chart *chart)
{
	auto_buf buf = PL_BUF(BYTES_MAX);

	plot_chart_svg(chart, &buf);
	assert_false(buf.full);
	return pl_buf_take(&buf);
}

/* Returns the data of the path with this class. */
static char *path_of(const char *svg, const char *class)
{
	auto_free char *start = pl_asprintf("<path class=\"%s\" d=\"", class);
	const char *found = strstr(svg, start);

	assert_non_null(found);
	found += strlen(start);
	return pl_strndup(found, strcspn(found, "\""));
}

static size_t count_of(const char *text, const char *what)
{
	size_t count = 0;

	for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what))
		count++;
	return count;
}

/* The first value is at the bottom left, the largest at the top right: 0 to 4 in a frame of 414 x 100. */
static void test_plot_chart__line(void **state)
{
	const struct plot_chart_series series = { .x = xs, .y = xs, .count = COUNT };
	struct plot_chart chart = chart_of(&series, 1);
	auto_free char *svg = svg_of(&chart);
	auto_free char *path = path_of(svg, "line s1");

	(void)state;
	assert_string_equal(path, "M52 124L155.5 99L259 74L362.5 49L466 24");
	assert_null(strstr(svg, "band"));
}

/* A gap is not bridged; a value between two gaps is a dot. */
static void test_plot_chart__gaps(void **state)
{
	const double ys[COUNT] = { 1, NAN, 2, 3, NAN }, alone[COUNT] = { NAN, NAN, 2, NAN, NAN };
	const struct plot_chart_series series[] = {
		{ .x = xs, .y = ys, .count = COUNT },
		{ .x = xs, .y = alone, .count = COUNT },
	};
	struct plot_chart chart = chart_of(series, 2);
	auto_free char *svg = svg_of(&chart);
	auto_free char *first = path_of(svg, "line s1");
	auto_free char *second = path_of(svg, "line s2");

	(void)state;
	assert_int_equal(count_of(first, "M"), 2);
	assert_int_equal(count_of(first, "h0"), 1);
	assert_int_equal(count_of(first, "L"), 1);
	assert_int_equal(count_of(second, "M"), 1);
	assert_int_equal(count_of(second, "h0"), 1);
}

static void test_plot_chart__band(void **state)
{
	const double low[COUNT] = { 0, 1, NAN, 1, 1 }, high[COUNT] = { 2, 2, 2, 3, 5 };
	const struct plot_chart_series series = {
		.x = xs, .y = xs, .low = low, .high = high, .count = COUNT
	};
	struct plot_chart chart = chart_of(&series, 1);
	auto_free char *svg = svg_of(&chart);
	auto_free char *path = path_of(svg, "band s1");

	(void)state;
	/* two parts of two values each */
	assert_int_equal(count_of(path, "M"), 2);
	assert_int_equal(count_of(path, "L"), 6);
}

static void test_plot_chart__bars(void **state)
{
	const double left[] = { 0, 10 }, right[] = { 10, 20 }, x[] = { 5, 15 }, y[] = { 3, 0 };
	const struct plot_chart_series series = {
		.mark = PLOT_CHART_BARS, .x = x, .y = y, .left = left, .right = right, .count = 2
	};
	struct plot_chart chart = chart_of(&series, 1);
	chart.has_zero = true;
	auto_free char *svg = svg_of(&chart);
	auto_free char *path = path_of(svg, "bars s1");

	(void)state;
	/* a bar of height 0 is not drawn */
	assert_string_equal(path, "M52.5 24h206v100h-206z");
}

/* Whatever the values, all coordinates are finite and the loops end. */
static void test_plot_chart__odd_values(void **state)
{
	static const double odd[] = {
		NAN,    INFINITY, -INFINITY, 0,    -0.0,  1e308,
		-1e308, 5e-324,   1e16,      1e99, -1e99, 9007199254740993.0
	};
	size_t count = PL_ARRAY_SIZE(odd);

	(void)state;
	srand(11);
	for (int i = 0; i < 3000; i++) {
		double values[6][4];
		for (size_t k = 0; k < 24; k++)
			values[k / 4][k % 4] = odd[(size_t)rand() % count] + (rand() % 3 - 1) * 2.0;
		struct plot_chart_series series = { .mark = (enum plot_chart_mark)(rand() % 4),
						    .x = values[0],
						    .y = values[1],
						    .low = values[2],
						    .high = values[3],
						    .left = values[4],
						    .right = values[5],
						    .count = (size_t)rand() % 5 };
		struct plot_chart chart = chart_of(&series, 1);
		auto_free char *svg = svg_of(&chart);
		assert_null(strstr(svg, "\"nan"));
		assert_null(strstr(svg, "inf\""));
		assert_true(strlen(svg) < 65536);
	}
}

static void test_plot_chart__rows(void **state)
{
	const struct plot_chart_row rows[] = {
		{ .label = "A <b>", .value_text = "2", .value = 2, .low = 1, .high = 3 },
		{ .label = "ein sehr langer Name mit Ümlauten", .value_text = "–", .value = NAN },
		{ .label = "C",
		  .value_text = "4",
		  .value = 4,
		  .low = NAN,
		  .high = NAN,
		  .color = 2 },
	};
	struct plot_chart_rows chart = { .id = "r",
					 .title = "Rows",
					 .text = "",
					 .x_label = "ms",
					 .rows = rows,
					 .count = PL_ARRAY_SIZE(rows) };
	auto_buf dots = PL_BUF(BYTES_MAX), bars = PL_BUF(BYTES_MAX);

	(void)state;
	plot_chart_rows_svg(&chart, &dots);
	assert_non_null(strstr(pl_buf_text(&dots), ">A &lt;b&gt;</text>"));
	assert_non_null(strstr(pl_buf_text(&dots), ">ein sehr langer Name…</text>"));
	assert_int_equal(count_of(pl_buf_text(&dots), "class=\"points"), 2);
	assert_int_equal(count_of(pl_buf_text(&dots), "class=\"whisker s1\""), 1);
	assert_non_null(strstr(pl_buf_text(&dots), "class=\"points s3\""));
	chart.has_bars = true;
	plot_chart_rows_svg(&chart, &bars);
	assert_int_equal(count_of(pl_buf_text(&bars), "<rect"), 2);
	chart.count = 0;
	plot_chart_rows_svg(&chart, &bars);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plot_chart__line),
		cmocka_unit_test(test_plot_chart__gaps),
		cmocka_unit_test(test_plot_chart__band),
		cmocka_unit_test(test_plot_chart__bars),
		cmocka_unit_test(test_plot_chart__odd_values),
		cmocka_unit_test(test_plot_chart__rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
