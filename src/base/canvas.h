/*
 * A picture of rectangles, lines and text, saved as a PNG file.
 *
 * - Drawn by cairo, which is opened when the first picture is asked for (PROFLLM_CAIRO_LIB names
 *   another library): no program needs it to start. It stays loaded until the process ends.
 * - Units are pixels from the top left corner; colours are 0xRRGGBBAA.
 * - Drawing cannot fail by itself: what went wrong is told by pl_canvas_save().
 * - One canvas belongs to one thread.
 */
#ifndef BASE_CANVAS_H
#define BASE_CANVAS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct pl_canvas;

/* NOT_FOUND, with the package that has it, where pictures cannot be drawn on this host. */
int pl_canvas_check(struct pl_err *err) PL_MUST_CHECK;

int pl_canvas_new(unsigned width, unsigned height, uint32_t background, struct pl_canvas **ret,
		  struct pl_err *err) PL_MUST_CHECK;
void pl_canvas_free(struct pl_canvas *canvas);
PL_AUTO_DEFINE(struct pl_canvas, pl_canvas_free);
#define auto_canvas PL_AUTO(pl_canvas_free)

void pl_canvas_rectangle(struct pl_canvas *canvas, double x, double y, double width, double height,
			 uint32_t colour);

struct pl_canvas_pen {
	double width;
	uint32_t colour;
	double dash; /* length of dashes and gaps; 0: unbroken */
};
void pl_canvas_line(struct pl_canvas *canvas, double x0, double y0, double x1, double y1,
		    const struct pl_canvas_pen *pen);

enum pl_canvas_align { PL_CANVAS_LEFT, PL_CANVAS_CENTRE, PL_CANVAS_RIGHT };

struct pl_canvas_font {
	double size;
	uint32_t colour;
	enum pl_canvas_align align; /* of the text's x */
	bool bold;
	bool upright; /* reads from the bottom up */
};
/* y is the base line. Bytes that are no UTF-8 are shown as U+FFFD, control characters as blanks. */
void pl_canvas_text(struct pl_canvas *canvas, double x, double y, const char *text,
		    const struct pl_canvas_font *font);
double pl_canvas_text_width(struct pl_canvas *canvas, const char *text,
			    const struct pl_canvas_font *font);

/* Atomically: the old file or the whole new one. */
int pl_canvas_save(struct pl_canvas *canvas, const char *path, struct pl_err *err) PL_MUST_CHECK;

#endif
