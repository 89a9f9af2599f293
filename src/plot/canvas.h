/*
 * A picture of rectangles, lines and text, saved as a PNG file.
 *
 * - Drawn with cairo, which is loaded for the first picture (PROFLLM_CAIRO_LIB names another
 *   library): no program needs it to start. It stays loaded until the process ends.
 * - Units are pixels from the top left corner; colors are 0xRRGGBBAA.
 * - Drawing functions do not fail: plot_canvas_save() reports their errors.
 * - One canvas belongs to one thread.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct plot_canvas;

/* Returns NOT_FOUND, with the required package, if this host cannot draw pictures. */
int plot_canvas_check(struct pl_err *err) PL_MUST_CHECK;

int plot_canvas_new(unsigned width, unsigned height, uint32_t background, struct plot_canvas **ret,
		    struct pl_err *err) PL_MUST_CHECK;
void plot_canvas_free(struct plot_canvas *canvas);
PL_AUTO_DEFINE(struct plot_canvas, plot_canvas_free);
#define auto_canvas PL_AUTO(plot_canvas_free)

void plot_canvas_rectangle(struct plot_canvas *canvas, double x, double y, double width,
			   double height, uint32_t color);

struct plot_canvas_pen {
	double width;
	uint32_t color;
	double dash; /* length of dashes and gaps; 0: solid */
};
void plot_canvas_line(struct plot_canvas *canvas, double x0, double y0, double x1, double y1,
		      const struct plot_canvas_pen *pen);

enum plot_canvas_align { PLOT_CANVAS_LEFT, PLOT_CANVAS_CENTRE, PLOT_CANVAS_RIGHT };

struct plot_canvas_font {
	double size;
	uint32_t color;
	enum plot_canvas_align align; /* alignment of the text at x */
	bool bold;
	bool upright; /* rotated: reads from the bottom up */
};
/* y is the baseline. Bytes that are not UTF-8 are shown as U+FFFD, control characters as blanks. */
void plot_canvas_text(struct plot_canvas *canvas, double x, double y, const char *text,
		      const struct plot_canvas_font *font);
double plot_canvas_text_width(struct plot_canvas *canvas, const char *text,
			      const struct plot_canvas_font *font);

/* Writes atomically: the result is the old file or the complete new one. */
int plot_canvas_save(struct plot_canvas *canvas, const char *path,
		     struct pl_err *err) PL_MUST_CHECK;
