/* Checks of a picture without decoding it; tests/scenario/programs/test_plots.py checks its
 * pixels. */
#include "plot/canvas.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/scratch.h"

#define VARIABLE "PROFLLM_CAIRO_LIB"

static void skip_without_cairo(void)
{
	struct pl_err err = PL_ERR_INIT;

	if (plot_canvas_check(&err) < 0) {
		print_message("skipped: %s\n", err.text);
		skip();
	}
}

static void draw(struct plot_canvas *canvas, const char *text)
{
	const struct plot_canvas_pen pen = { .width = 2, .color = 0x102030FF, .dash = 3 };
	struct plot_canvas_font font = { .size = 12,
					 .color = 0x000000FF,
					 .align = PLOT_CANVAS_RIGHT };

	plot_canvas_rectangle(canvas, 1, 1, 10, 10, 0xFF0000FF);
	plot_canvas_line(canvas, 0, 0, 50, 40, &pen);
	plot_canvas_text(canvas, 40, 30, text, &font);
	font.upright = font.bold = true;
	plot_canvas_text(canvas, 20, 30, text, &font);
}

static void test_plot_canvas__png_of_the_size_asked_for(void **state)
{
	static const unsigned char head[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n',
					      0,    0,   0,   13,  'I',  'H',  'D',  'R',
					      0,    0,   0,   60,  0,    0,    0,    50 };
	auto_canvas struct plot_canvas *canvas = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_free char *data = NULL;
	const char *path = scratch_path(*state, "p.png");
	size_t len;

	skip_without_cairo();
	assert_int_equal(plot_canvas_new(60, 50, 0xFFFFFFFF, &canvas, &err), 0);
	draw(canvas, "text");
	assert_int_equal(plot_canvas_save(canvas, path, &err), 0);
	assert_int_equal(pl_file_read(path, 1 << 20, &data, &len, &err), 0);
	assert_true(len > sizeof(head));
	assert_memory_equal(data, head, sizeof(head));
	assert_memory_equal(data + len - 8, "IEND", 4);
	assert_int_equal(scratch_count(*state), 1);
}

/* Bytes that are not UTF-8 would end all drawing: cairo refuses everything after them. */
static void test_plot_canvas__any_text_can_be_drawn(void **state)
{
	static const char *const texts[] = { "", "\xff\xfe", "\xc3", "a\nb\x01", "\xed\xa0\x80" };
	const struct plot_canvas_font font = { .size = 20, .color = 0x000000FF };
	auto_canvas struct plot_canvas *canvas = NULL;
	struct pl_err err = PL_ERR_INIT;

	skip_without_cairo();
	assert_int_equal(plot_canvas_new(60, 50, 0xFFFFFFFF, &canvas, &err), 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++)
		draw(canvas, texts[i]);
	assert_int_equal(plot_canvas_save(canvas, scratch_path(*state, "p.png"), &err), 0);
	assert_true(plot_canvas_text_width(canvas, "", &font) == 0);
	assert_true(plot_canvas_text_width(canvas, "wide", &font) >
		    plot_canvas_text_width(canvas, "i", &font));
}

static void test_plot_canvas__what_cannot_be_saved(void **state)
{
	auto_canvas struct plot_canvas *canvas = NULL;
	struct pl_err err = PL_ERR_INIT;

	skip_without_cairo();
	assert_int_equal(plot_canvas_new(60, 50, 0xFFFFFFFF, &canvas, &err), 0);
	assert_int_equal(plot_canvas_save(canvas, scratch_path(*state, "none/p.png"), &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
	assert_int_equal(scratch_count(*state), 0);
}

static void test_plot_canvas__too_large(void **state)
{
	struct plot_canvas *canvas = NULL;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	skip_without_cairo();
	assert_int_equal(plot_canvas_new(100000, 10, 0xFFFFFFFF, &canvas, &err), -1);
	assert_null(canvas);
	assert_non_null(strstr(err.text, "100000 x 10"));
}

static void test_plot_canvas__without_cairo(void **state)
{
	static const char *const libraries[] = { "/nowhere/libcairo.so.2", "libm.so.6" };
	struct plot_canvas *canvas = NULL;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(libraries); i++) {
		struct pl_err err = PL_ERR_INIT;
		setenv(VARIABLE, libraries[i], 1);
		assert_int_equal(plot_canvas_check(&err), -1);
		assert_int_equal(err.code, PL_ERR_NOT_FOUND);
		assert_non_null(strstr(err.text, libraries[i]));
		assert_non_null(strstr(err.text, "libcairo2"));
		assert_int_equal(plot_canvas_new(10, 10, 0, &canvas, &err), -1);
		assert_null(canvas);
	}
	unsetenv(VARIABLE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		scratch_test(test_plot_canvas__png_of_the_size_asked_for),
		scratch_test(test_plot_canvas__any_text_can_be_drawn),
		scratch_test(test_plot_canvas__what_cannot_be_saved),
		cmocka_unit_test(test_plot_canvas__too_large),
		cmocka_unit_test(test_plot_canvas__without_cairo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
