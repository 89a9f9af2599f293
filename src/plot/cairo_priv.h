/*
 * The part of cairo that canvas.c draws with, opened at run time.
 *
 * - Names and numbers are cairo's binary interface, declared anew: no header of cairo's is needed
 *   to build, and nothing is loaded before a picture is asked for.
 * - cairo's functions give void, an int that is 0 for success, or a pointer that is never NULL (a
 *   failure is a state of the object).
 */
#ifndef PLOT_CAIRO_PRIV_H
#define PLOT_CAIRO_PRIV_H

#define CAIRO_LIBRARY "libcairo.so.2"

#define CAIRO_FORMAT_RGB24  1
#define CAIRO_SLANT_NORMAL  0
#define CAIRO_WEIGHT_NORMAL 0
#define CAIRO_WEIGHT_BOLD   1

struct cairo;
struct cairo_surface;

struct cairo_text_extents {
	double x_bearing;
	double y_bearing;
	double width;
	double height;
	double x_advance;
	double y_advance;
};

/* F(member, result, arguments): the symbol is cairo_MEMBER */
#define CAIRO_FUNCTIONS(F)                                                                        \
	F(image_surface_create, struct cairo_surface *, (int format, int width, int height))      \
	F(surface_status, int, (struct cairo_surface * surface))                                  \
	F(surface_flush, void, (struct cairo_surface * surface))                                  \
	F(surface_destroy, void, (struct cairo_surface * surface))                                \
	F(surface_write_to_png_stream, int,                                                       \
	  (struct cairo_surface * surface,                                                        \
	   int (*write)(void *closure, const unsigned char *data, unsigned len), void *closure))  \
	F(create, struct cairo *, (struct cairo_surface * surface))                               \
	F(destroy, void, (struct cairo * cairo))                                                  \
	F(status, int, (struct cairo * cairo))                                                    \
	F(status_to_string, const char *, (int status))                                           \
	F(save, void, (struct cairo * cairo))                                                     \
	F(restore, void, (struct cairo * cairo))                                                  \
	F(translate, void, (struct cairo * cairo, double x, double y))                            \
	F(rotate, void, (struct cairo * cairo, double radians))                                   \
	F(set_source_rgba, void, (struct cairo * cairo, double r, double g, double b, double a))  \
	F(set_line_width, void, (struct cairo * cairo, double width))                             \
	F(set_dash, void, (struct cairo * cairo, const double *dashes, int count, double offset)) \
	F(move_to, void, (struct cairo * cairo, double x, double y))                              \
	F(line_to, void, (struct cairo * cairo, double x, double y))                              \
	F(rectangle, void, (struct cairo * cairo, double x, double y, double w, double h))        \
	F(fill, void, (struct cairo * cairo))                                                     \
	F(stroke, void, (struct cairo * cairo))                                                   \
	F(select_font_face, void,                                                                 \
	  (struct cairo * cairo, const char *family, int slant, int weight))                      \
	F(set_font_size, void, (struct cairo * cairo, double size))                               \
	F(text_extents, void,                                                                     \
	  (struct cairo * cairo, const char *text, struct cairo_text_extents *extents))           \
	F(show_text, void, (struct cairo * cairo, const char *text))

#endif
