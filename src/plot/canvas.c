/*
 * Drawing with cairo, which is loaded for the first picture: a host without pictures needs neither
 * the library nor fonts. The build needs its header for types only; a missing function in the
 * library is an error with the package's name and not a crash.
 */
#include "plot/canvas.h"

#include <cairo.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/file.h"

#define VARIABLE      "PROFLLM_CAIRO_LIB"
#define CAIRO_LIBRARY "libcairo.so.2"
#define PACKAGE       "libcairo2"
#define FAMILY        "DejaVu Sans"

/*
 * The drawing functions; declared by cairo's header, looked up by name when the first picture is
 * drawn.
 */
#define CAIRO_FUNCTIONS(F)             \
	F(image_surface_create)        \
	F(surface_status)              \
	F(surface_flush)               \
	F(surface_destroy)             \
	F(surface_write_to_png_stream) \
	F(create)                      \
	F(destroy)                     \
	F(status)                      \
	F(status_to_string)            \
	F(save)                        \
	F(restore)                     \
	F(translate)                   \
	F(rotate)                      \
	F(set_source_rgba)             \
	F(set_line_width)              \
	F(set_dash)                    \
	F(move_to)                     \
	F(line_to)                     \
	F(rectangle)                   \
	F(fill)                        \
	F(stroke)                      \
	F(select_font_face)            \
	F(set_font_size)               \
	F(text_extents)                \
	F(show_text)

struct cairo_table {
#define CAIRO_MEMBER(member) __typeof__(cairo_##member) *member;
	CAIRO_FUNCTIONS(CAIRO_MEMBER)
#undef CAIRO_MEMBER
};

static const struct {
	size_t offset;
	const char *symbol;
} functions[] = {
#define CAIRO_ROW(member) { offsetof(struct cairo_table, member), "cairo_" #member },
	CAIRO_FUNCTIONS(CAIRO_ROW)
#undef CAIRO_ROW
};

struct plot_canvas {
	struct cairo_table cairo;
	cairo_surface_t *surface;
	cairo_t *pen;
};

static int find_functions(void *library, const char *name, struct cairo_table *ret,
			  struct pl_err *err)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(functions); i++) {
		void *symbol = dlsym(library, functions[i].symbol);
		if (symbol == NULL)
			return pl_err_set(err, PL_ERR_NOT_FOUND,
					  "library '%s' has no function '%s' (Debian's package "
					  "'" PACKAGE "' has it)",
					  name, functions[i].symbol);
		/* ISO C has no cast from an object's pointer to a function's */
		memcpy((char *)ret + functions[i].offset, &symbol, sizeof(symbol));
	}
	return 0;
}

/* Stays loaded: the fonts that it has found are remembered in it. */
static int open_cairo(struct cairo_table *ret, struct pl_err *err)
{
	const char *named = getenv(VARIABLE);
	bool is_named = named != NULL && named[0] != '\0';
	const char *name = is_named ? named : CAIRO_LIBRARY;
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (library == NULL)
		return pl_err_set(err, PL_ERR_NOT_FOUND,
				  "%scould not load the drawing library '%s'; on Debian, install "
				  "the packages '" PACKAGE "' and 'fonts-dejavu-core'",
				  is_named ? VARIABLE ": " : "", name);
	int done = find_functions(library, name, ret, err);
	dlclose(library);
	return done;
}

int plot_canvas_check(struct pl_err *err)
{
	struct cairo_table cairo;

	return open_cairo(&cairo, err);
}

static void set_color(const struct plot_canvas *canvas, uint32_t color)
{
	canvas->cairo.set_source_rgba(
		canvas->pen, (double)(color >> 24) / 255, (double)(color >> 16 & 0xFF) / 255,
		(double)(color >> 8 & 0xFF) / 255, (double)(color & 0xFF) / 255);
}

int plot_canvas_new(unsigned width, unsigned height, uint32_t background, struct plot_canvas **ret,
		    struct pl_err *err)
{
	auto_canvas struct plot_canvas *canvas = pl_alloc(sizeof(*canvas));
	struct cairo_table *cairo = &canvas->cairo;

	if (open_cairo(cairo, err) < 0)
		return -1;
	canvas->surface = cairo->image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
	cairo_status_t status = cairo->surface_status(canvas->surface);
	if (status != CAIRO_STATUS_SUCCESS)
		return pl_err_invalid(err, "could not create a picture of %u x %u: %s", width,
				      height, cairo->status_to_string(status));
	canvas->pen = cairo->create(canvas->surface);
	plot_canvas_rectangle(canvas, 0, 0, width, height, background);
	*ret = pl_take(canvas);
	return 0;
}

void plot_canvas_free(struct plot_canvas *canvas)
{
	if (canvas == NULL)
		return;
	if (canvas->pen != NULL)
		canvas->cairo.destroy(canvas->pen);
	if (canvas->surface != NULL)
		canvas->cairo.surface_destroy(canvas->surface);
	free(canvas);
}

void plot_canvas_rectangle(struct plot_canvas *canvas, double x, double y, double width,
			   double height, uint32_t color)
{
	set_color(canvas, color);
	canvas->cairo.rectangle(canvas->pen, x, y, width, height);
	canvas->cairo.fill(canvas->pen);
}

void plot_canvas_line(struct plot_canvas *canvas, double x0, double y0, double x1, double y1,
		      const struct plot_canvas_pen *pen)
{
	const struct cairo_table *cairo = &canvas->cairo;

	set_color(canvas, pen->color);
	cairo->set_line_width(canvas->pen, pen->width);
	cairo->set_dash(canvas->pen, &pen->dash, pen->dash > 0 ? 1 : 0, 0);
	cairo->move_to(canvas->pen, x0, y0);
	cairo->line_to(canvas->pen, x1, y1);
	cairo->stroke(canvas->pen);
}

/*
 * The first text makes fontconfig load its list of fonts and keep it at offsets that LeakSanitizer
 * cannot follow; in programs without it these are NULL.
 */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

static void text_begin(const struct plot_canvas *canvas, const struct plot_canvas_font *font)
{
	if (__lsan_disable != NULL)
		__lsan_disable();
	canvas->cairo.select_font_face(canvas->pen, FAMILY, CAIRO_FONT_SLANT_NORMAL,
				       font->bold ? CAIRO_FONT_WEIGHT_BOLD
						  : CAIRO_FONT_WEIGHT_NORMAL);
	canvas->cairo.set_font_size(canvas->pen, font->size);
}

static void text_end(void)
{
	if (__lsan_enable != NULL)
		__lsan_enable();
}

static double width_of(const struct plot_canvas *canvas, const char *clean)
{
	cairo_text_extents_t extents = { 0 };

	canvas->cairo.text_extents(canvas->pen, clean, &extents);
	return extents.x_advance;
}

double plot_canvas_text_width(struct plot_canvas *canvas, const char *text,
			      const struct plot_canvas_font *font)
{
	/* one wrong byte would end all drawing */
	auto_free char *clean = pl_clean_shown(text);

	text_begin(canvas, font);
	double width = width_of(canvas, clean);
	text_end();
	return width;
}

/* x, y is the point of the base line that `align` names; an upright text turns about it. */
void plot_canvas_text(struct plot_canvas *canvas, double x, double y, const char *text,
		      const struct plot_canvas_font *font)
{
	static const double before[] = {
		[PLOT_CANVAS_LEFT] = 0, [PLOT_CANVAS_CENTRE] = 0.5, [PLOT_CANVAS_RIGHT] = 1
	};
	const struct cairo_table *cairo = &canvas->cairo;
	auto_free char *clean = pl_clean_shown(text);

	text_begin(canvas, font);
	set_color(canvas, font->color);
	cairo->save(canvas->pen);
	cairo->translate(canvas->pen, x, y);
	if (font->upright)
		cairo->rotate(canvas->pen, -M_PI / 2);
	cairo->move_to(canvas->pen, -before[font->align] * width_of(canvas, clean), 0);
	cairo->show_text(canvas->pen, clean);
	cairo->restore(canvas->pen);
	text_end();
}

static cairo_status_t write_block(void *closure, const unsigned char *data, unsigned len)
{
	FILE *stream = closure;

	/* commit reports the error of the stream */
	return fwrite(data, 1, len, stream) == len ? CAIRO_STATUS_SUCCESS
						   : CAIRO_STATUS_WRITE_ERROR;
}

int plot_canvas_save(struct plot_canvas *canvas, const char *path, struct pl_err *err)
{
	const struct cairo_table *cairo = &canvas->cairo;
	auto_file_new file = { 0 };

	cairo->surface_flush(canvas->surface);
	if (pl_file_new_open_private(&file, path, err) < 0)
		return -1;
	cairo_status_t status = cairo->status(canvas->pen);
	if (status == CAIRO_STATUS_SUCCESS)
		status = cairo->surface_write_to_png_stream(canvas->surface, write_block,
							    file.stream);
	/* the commit reports a full disk, with its reason */
	if (status != CAIRO_STATUS_SUCCESS && !ferror(file.stream))
		return pl_err_set(err, PL_ERR_IO, "cannot draw '%s': %s", path,
				  cairo->status_to_string(status));
	return pl_file_new_commit(&file, err);
}
