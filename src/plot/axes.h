/*
 * The axes of a diagram: round ticks, their labels, and frame, grid and titles on a canvas.
 */
#pragma once

#include "plot/canvas.h"

#include <stdbool.h>
#include <stddef.h>

/* first, first + step, …: `count` values within the requested range. */
struct pl_ticks {
	double first;
	double step; /* 1, 2 or 5 times a power of ten */
	size_t count;
	int decimals; /* for labels */
};

/* Makes at most `most` (2 or more) ticks in low..high; whole: the step is at least 1. */
struct pl_ticks plot_ticks_make(double low, double high, size_t most, bool whole);
double plot_ticks_at(const struct pl_ticks *ticks, size_t i);
#define PL_TICK_BYTES 48
/* "12,000", "0.25", "-3" */
void plot_ticks_label(const struct pl_ticks *ticks, size_t i, char text[PL_TICK_BYTES]);
/* Formats any number in that style. */
void plot_tick_text(double value, int decimals, char text[PL_TICK_BYTES]);

struct plot_axis {
	double low, high; /* of the data; low < high */
	const char *label;
	struct pl_ticks ticks;
};

struct plot_axes {
	double left, top, width, height; /* of the frame, on the canvas */
	const char *title;
	struct plot_axis x, y; /* y grows upwards */
};

double plot_axes_x(const struct plot_axes *axes, double value);
double plot_axes_y(const struct plot_axes *axes, double value);
/* Draw the grid lines before the data is drawn, and frame, ticks and texts after it. */
void plot_axes_draw_grid(const struct plot_axes *axes, struct plot_canvas *canvas);
void plot_axes_draw_frame(const struct plot_axes *axes, struct plot_canvas *canvas);
