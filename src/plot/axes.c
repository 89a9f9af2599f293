/*
 * Axes of a diagram: ticks at round values, their texts, grid and frame. x grows to the right and y
 * upwards; the canvas counts from its upper left corner.
 */
#include "plot/axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INK         0x222222FF
#define GRID        0xE4E4E4FF
#define LABEL_SIZE  20
#define TITLE_SIZE  26
#define TICK_LENGTH 7

/* Below this part of a step a value counts as on the tick. */
#define SLACK 1e-9

/* Chooses the smallest of 1, 2, 5 times a power of ten that gives at most `most` ticks. */
struct pl_ticks plot_ticks_make(double low, double high, size_t most, bool whole)
{
	static const double round_steps[] = { 1, 2, 5, 10 };
	double least = (high - low) / (double)(most - 1);
	double power = pow(10, floor(log10(least)));
	struct pl_ticks ticks = { 0 };
	size_t i = 0;

	while (i + 1 < PL_ARRAY_SIZE(round_steps) && round_steps[i] * power < least * (1 - SLACK))
		i++;
	ticks.step = round_steps[i] * power;
	if (whole && ticks.step < 1)
		ticks.step = 1;
	double from = ceil(low / ticks.step - SLACK), to = floor(high / ticks.step + SLACK);
	ticks.first = from * ticks.step;
	/* rounding makes one more at most; a range without a step has none */
	ticks.count = to >= from && to - from <= (double)most ? (size_t)(to - from) + 1 : 0;
	/* as many as the step needs: 0.2 has one, 50 none */
	double decimals = -floor(log10(ticks.step) + SLACK);
	ticks.decimals = decimals > 0 ? (int)decimals : 0;
	return ticks;
}

double plot_ticks_at(const struct pl_ticks *ticks, size_t i)
{
	/* no sum of steps, whose errors would add up; and no -0 */
	return (round(ticks->first / ticks->step) + (double)i) * ticks->step + 0.0;
}

void plot_tick_text(double value, int decimals, char text[PL_TICK_BYTES])
{
	char plain[PL_TICK_BYTES];
	size_t used = 0;

	/* numbers with more digits are shown as a power of ten */
	if (fabs(value) >= 1e15)
		snprintf(plain, sizeof(plain), "%.3g", value);
	else
		snprintf(plain, sizeof(plain), "%.*f", decimals > 15 ? 15 : decimals, value);
	const char *digits = plain + (plain[0] == '-');
	size_t whole = strspn(digits, "0123456789");
	if (digits != plain)
		text[used++] = '-';
	for (size_t i = 0; digits[i] != '\0'; i++) {
		if (i > 0 && i < whole && (whole - i) % 3 == 0)
			text[used++] = ',';
		text[used++] = digits[i];
	}
	text[used] = '\0';
}

void plot_ticks_label(const struct pl_ticks *ticks, size_t i, char text[PL_TICK_BYTES])
{
	plot_tick_text(plot_ticks_at(ticks, i), ticks->decimals, text);
}

double plot_axes_x(const struct plot_axes *axes, double value)
{
	return axes->left + (value - axes->x.low) / (axes->x.high - axes->x.low) * axes->width;
}

double plot_axes_y(const struct plot_axes *axes, double value)
{
	return axes->top + axes->height -
	       (value - axes->y.low) / (axes->y.high - axes->y.low) * axes->height;
}

/* Lines of one pixel are sharp only on the middle of a pixel. */
static double sharp(double at)
{
	return floor(at) + 0.5;
}

void plot_axes_draw_grid(const struct plot_axes *axes, struct plot_canvas *canvas)
{
	const struct plot_canvas_pen pen = { .width = 1, .color = GRID };

	for (size_t i = 0; i < axes->x.ticks.count; i++) {
		double x = sharp(plot_axes_x(axes, plot_ticks_at(&axes->x.ticks, i)));
		plot_canvas_line(canvas, x, axes->top, x, axes->top + axes->height, &pen);
	}
	for (size_t i = 0; i < axes->y.ticks.count; i++) {
		double y = sharp(plot_axes_y(axes, plot_ticks_at(&axes->y.ticks, i)));
		plot_canvas_line(canvas, axes->left, y, axes->left + axes->width, y, &pen);
	}
}

static void draw_x_ticks(const struct plot_axes *axes, struct plot_canvas *canvas)
{
	const struct plot_canvas_pen pen = { .width = 1, .color = INK };
	const struct plot_canvas_font font = { .size = LABEL_SIZE,
					       .color = INK,
					       .align = PLOT_CANVAS_CENTRE };
	double bottom = axes->top + axes->height;
	char text[PL_TICK_BYTES];

	for (size_t i = 0; i < axes->x.ticks.count; i++) {
		double x = sharp(plot_axes_x(axes, plot_ticks_at(&axes->x.ticks, i)));
		plot_canvas_line(canvas, x, bottom, x, bottom + TICK_LENGTH, &pen);
		plot_ticks_label(&axes->x.ticks, i, text);
		plot_canvas_text(canvas, x, bottom + TICK_LENGTH + LABEL_SIZE, text, &font);
	}
}

/* Gives the width of the widest label. */
static double draw_y_ticks(const struct plot_axes *axes, struct plot_canvas *canvas)
{
	double widest = 0;
	const struct plot_canvas_pen pen = { .width = 1, .color = INK };
	const struct plot_canvas_font font = { .size = LABEL_SIZE,
					       .color = INK,
					       .align = PLOT_CANVAS_RIGHT };
	char text[PL_TICK_BYTES];

	for (size_t i = 0; i < axes->y.ticks.count; i++) {
		double y = sharp(plot_axes_y(axes, plot_ticks_at(&axes->y.ticks, i)));
		plot_canvas_line(canvas, axes->left - TICK_LENGTH, y, axes->left, y, &pen);
		plot_ticks_label(&axes->y.ticks, i, text);
		plot_canvas_text(canvas, axes->left - TICK_LENGTH - 4, y + LABEL_SIZE * 0.36, text,
				 &font);
		widest = fmax(widest, plot_canvas_text_width(canvas, text, &font));
	}
	return widest;
}

void plot_axes_draw_frame(const struct plot_axes *axes, struct plot_canvas *canvas)
{
	const struct plot_canvas_pen pen = { .width = 1, .color = INK };
	double left = sharp(axes->left), right = sharp(axes->left + axes->width);
	double top = sharp(axes->top), bottom = sharp(axes->top + axes->height);

	plot_canvas_line(canvas, left, bottom, right, bottom, &pen);
	plot_canvas_line(canvas, left, top, left, bottom, &pen);
	draw_x_ticks(axes, canvas);
	/* labels_width: width of the labels of the y axis. */
	double labels_width = draw_y_ticks(axes, canvas);
	struct plot_canvas_font font = {
		.size = TITLE_SIZE, .color = INK, .align = PLOT_CANVAS_CENTRE, .bold = true
	};
	double middle_x = axes->left + axes->width / 2, middle_y = axes->top + axes->height / 2;
	plot_canvas_text(canvas, middle_x, axes->top - TITLE_SIZE * 0.6, axes->title, &font);
	font.size = LABEL_SIZE;
	font.bold = false;
	plot_canvas_text(canvas, middle_x,
			 axes->top + axes->height + TICK_LENGTH + 2.6 * LABEL_SIZE, axes->x.label,
			 &font);
	font.upright = true;
	plot_canvas_text(canvas, axes->left - TICK_LENGTH - labels_width - LABEL_SIZE, middle_y,
			 axes->y.label, &font);
}
