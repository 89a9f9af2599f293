/*
 * The lengths of a dataset, four panels on one sheet: prompts, requested outputs, both, and each
 * request in order. Only requested lengths are drawn, not received ones: the picture describes the
 * dataset and not the server.
 *
 *  ┌ prompt ┐ ┌ output ┐
 *  └────────┘ └────────┘
 *  ┌ both ──┐ ┌ each ──┐
 *  └────────┘ └────────┘
 */
#include "plot/dataset.h"

#include <math.h>
#include <stdlib.h>

#include "base/histogram.h"
#include "base/stats.h"
#include "base/text.h"
#include "plot/axes.h"
#include "plot/canvas.h"

#define BINS PLOT_DATASET_BINS

#define PAPER        0xFFFFFFFF
#define INK          0x222222FF
#define PALE_INK     0x666666FF
#define PROMPT_COLOR 0x4C78A8FF
#define OUTPUT_COLOR 0xF58518FF
#define TOTAL_COLOR  0x54A24BFF
#define VEIL         0xFFFFFFD8

#define TITLE_SIZE   32
#define TEXT_SIZE    20
#define TICKS_X      8
#define TICKS_Y      7
#define PANEL_WIDTH  840
#define PANEL_HEIGHT 535
/* Room above the highest bar, as part of it. */
#define HEADROOM 0.2

static const struct {
	double left, top;
} positions[] = { { 165, 180 }, { 1210, 180 }, { 165, 875 }, { 1210, 875 } };

struct lengths {
	double *prompt, *output, *total; /* of the requests that have both */
	size_t count;
	size_t reported; /* prompts with the length that the server reported */
};

/* Returns the client's count, otherwise the server's, which the sheet then states. */
static int64_t prompt_of(const struct res_record *record)
{
	return record->prompt_tokens_requested != RES_NO_COUNT ? record->prompt_tokens_requested
							       : record->prompt_tokens;
}

static void lengths_read(const struct plot_dataset_input *input, struct lengths *ret)
{
	*ret = (struct lengths){
		.prompt = pl_alloc_array(input->count, sizeof(double)),
		.output = pl_alloc_array(input->count, sizeof(double)),
		.total = pl_alloc_array(input->count, sizeof(double)),
	};
	for (size_t i = 0; i < input->count; i++) {
		const struct res_record *record = &input->records[i];
		int64_t prompt = prompt_of(record);
		/* a pooling request has no output */
		int64_t output = record->input_sequences > 0 ? 0 : record->output_tokens_requested;
		if (prompt == RES_NO_COUNT || output == RES_NO_COUNT)
			continue;
		ret->prompt[ret->count] = (double)prompt;
		ret->output[ret->count] = (double)output;
		ret->total[ret->count] = (double)(prompt + output);
		ret->reported += record->prompt_tokens_requested == RES_NO_COUNT;
		ret->count++;
	}
}

static struct plot_axes panel(size_t position, const char *title, const char *x, const char *y)
{
	return (struct plot_axes){
		.left = positions[position].left,
		.top = positions[position].top,
		.width = PANEL_WIDTH,
		.height = PANEL_HEIGHT,
		.title = title,
		.x = { .low = 0, .high = 1, .label = x },
		.y = { .low = 0, .high = 1, .label = y },
	};
}

static void make_ticks(struct plot_axes *axes)
{
	axes->x.ticks = plot_ticks_make(axes->x.low, axes->x.high, TICKS_X, true);
	axes->y.ticks = plot_ticks_make(axes->y.low, axes->y.high, TICKS_Y, true);
}

static void draw_nothing(struct plot_axes *axes, struct plot_canvas *canvas)
{
	const struct plot_canvas_font font = { .size = TEXT_SIZE,
					       .color = PALE_INK,
					       .align = PLOT_CANVAS_CENTRE };

	plot_axes_draw_frame(axes, canvas);
	plot_canvas_text(canvas, axes->left + axes->width / 2, axes->top + axes->height / 2,
			 "no length is known", &font);
}

/* Draws a line of the panel's legend, right-aligned; `dash` as in the diagram. */
static void draw_mark(const struct plot_axes *axes, struct plot_canvas *canvas, size_t row,
		      const char *name, double value, double dash)
{
	const struct plot_canvas_font font = { .size = TEXT_SIZE,
					       .color = INK,
					       .align = PLOT_CANVAS_RIGHT };
	const struct plot_canvas_pen pen = { .width = 3, .color = INK, .dash = dash };
	double right = axes->left + axes->width - 14;
	double y = axes->top + 30 + (double)row * 1.5 * TEXT_SIZE;
	double x = plot_axes_x(axes, value);
	char number[PL_TICK_BYTES];

	plot_canvas_line(canvas, x, axes->top, x, axes->top + axes->height, &pen);
	plot_tick_text(value, 1, number);
	auto_free char *text = pl_asprintf("%s %s", name, number);
	double wide = plot_canvas_text_width(canvas, text, &font);
	plot_canvas_rectangle(canvas, right - wide - 66, y - TEXT_SIZE, wide + 74, 1.4 * TEXT_SIZE,
			      VEIL);
	plot_canvas_line(canvas, right - wide - 58, y - 7, right - wide - 12, y - 7, &pen);
	plot_canvas_text(canvas, right, y, text, &font);
}

static void draw_bars(const struct plot_axes *axes, struct plot_canvas *canvas,
		      const size_t *counts, const double *edges, uint32_t color)
{
	double ground = axes->top + axes->height;

	for (size_t i = 0; i < BINS; i++) {
		/* whole pixels, and one between two bars: edges stay sharp */
		double left = round(plot_axes_x(axes, edges[i]));
		double right = round(plot_axes_x(axes, edges[i + 1]));
		double top = round(plot_axes_y(axes, (double)counts[i]));
		/* one among thousands is seen, too */
		if (counts[i] > 0)
			top = fmin(top, ground - 2);
		plot_canvas_rectangle(canvas, left, top, right - left - 1, ground - top, color);
	}
}

static void draw_histogram(struct plot_axes *axes, struct plot_canvas *canvas, const double *x,
			   size_t count, uint32_t color)
{
	double edges[BINS + 1];
	size_t counts[BINS];
	size_t most = 0;

	if (count == 0) {
		draw_nothing(axes, canvas);
		return;
	}
	pl_histogram(x, count, BINS, counts, edges);
	for (size_t i = 0; i < BINS; i++)
		most = counts[i] > most ? counts[i] : most;
	/* the outer bars do not touch the frame */
	double margin = (edges[BINS] - edges[0]) * 0.03;
	axes->x.low = edges[0] - margin;
	axes->x.high = edges[BINS] + margin;
	axes->y.high = (double)most * (1 + HEADROOM);
	make_ticks(axes);
	plot_axes_draw_grid(axes, canvas);
	draw_bars(axes, canvas, counts, edges, color);
	auto_free double *sorted = (double *)pl_memdup(x, count * sizeof(*x));
	pl_stats_sort(sorted, count);
	draw_mark(axes, canvas, 0, "mean", pl_stats_mean(x, count), 14);
	draw_mark(axes, canvas, 1, "median", pl_stats_median_sorted(sorted, count), 4);
	plot_axes_draw_frame(axes, canvas);
}

/* Bars of `group` requests each, as high as their mean. */
static void draw_stacks(const struct plot_axes *axes, struct plot_canvas *canvas,
			const struct lengths *lengths, size_t group)
{
	double ground = axes->top + axes->height;

	for (size_t i = 0; i < lengths->count; i += group) {
		size_t count = lengths->count - i < group ? lengths->count - i : group;
		double prompt = pl_stats_mean(lengths->prompt + i, count);
		double total = pl_stats_mean(lengths->total + i, count);
		double left = round(plot_axes_x(axes, (double)i - 0.5));
		double right = round(plot_axes_x(axes, (double)(i + count) - 0.5));
		double between = round(plot_axes_y(axes, prompt)),
		       top = round(plot_axes_y(axes, total));
		/* a gap between bars only where there is room for one */
		double width = right - left > 3 ? right - left - 1 : right - left;
		plot_canvas_rectangle(canvas, left, between, width, ground - between, PROMPT_COLOR);
		plot_canvas_rectangle(canvas, left, top, width, between - top, OUTPUT_COLOR);
	}
}

static void draw_requests(struct plot_axes *axes, struct plot_canvas *canvas,
			  const struct lengths *lengths)
{
	/* a bar is at least one pixel wide */
	size_t group = (lengths->count + PANEL_WIDTH - 1) / PANEL_WIDTH;
	auto_free char *label = group > 1 ? pl_asprintf("Request (each bar is the mean of %zu)",
							group)
					  : pl_strdup("Request");
	double most = 0;

	axes->x.label = label;
	if (lengths->count == 0) {
		draw_nothing(axes, canvas);
		return;
	}
	for (size_t i = 0; i < lengths->count; i++)
		most = fmax(most, lengths->total[i]);
	axes->x.low = -0.5;
	axes->x.high = (double)lengths->count - 0.5;
	axes->y.high = fmax(most, 1) * (1 + HEADROOM);
	make_ticks(axes);
	plot_axes_draw_grid(axes, canvas);
	draw_stacks(axes, canvas, lengths, group);
	static const struct {
		const char *name;
		uint32_t color;
	} parts[] = { { "output", OUTPUT_COLOR }, { "prompt", PROMPT_COLOR } };
	const struct plot_canvas_font font = { .size = TEXT_SIZE, .color = INK };
	double left = axes->left + axes->width - 110;
	for (size_t i = 0; i < PL_ARRAY_SIZE(parts); i++) {
		double y = axes->top + 30 + (double)i * 1.5 * TEXT_SIZE;
		plot_canvas_rectangle(canvas, left, y - 16, 18, 18, parts[i].color);
		plot_canvas_text(canvas, left + 28, y, parts[i].name, &font);
	}
	plot_axes_draw_frame(axes, canvas);
}

static void draw_title(const struct plot_dataset_input *input, struct plot_canvas *canvas,
		       const struct lengths *lengths)
{
	struct plot_canvas_font font = {
		.size = TITLE_SIZE, .color = INK, .align = PLOT_CANVAS_CENTRE, .bold = true
	};
	double middle = PLOT_DATASET_WIDTH / 2.0;
	char count[PL_TICK_BYTES], unknown[PL_TICK_BYTES];

	auto_free char *title = pl_asprintf("Dataset %s: tokens per request", input->dataset);
	plot_canvas_text(canvas, middle, 60, title, &font);
	plot_tick_text((double)input->count, 0, count);
	plot_tick_text((double)(input->count - lengths->count), 0, unknown);
	auto_free char *missing = lengths->count < input->count
					  ? pl_asprintf(", %s with unknown length", unknown)
					  : pl_strdup("");
	auto_free char *below = pl_asprintf(
		"%s request%s%s for %s%s", count, input->count == 1 ? "" : "s", missing,
		input->model != NULL ? input->model : "an unknown model",
		lengths->reported > 0 ? "; prompts counted by the server" : "");
	font.size = TEXT_SIZE + 2;
	font.bold = false;
	font.color = PALE_INK;
	plot_canvas_text(canvas, middle, 100, below, &font);
}

int plot_dataset(const struct plot_dataset_input *input, const char *path, struct pl_err *err)
{
	auto_canvas struct plot_canvas *canvas = NULL;
	struct plot_axes prompt = panel(0, "Prompt", "Tokens", "Requests");
	struct plot_axes output = panel(1, "Output (requested)", "Tokens", "Requests");
	struct plot_axes total = panel(2, "Prompt and output", "Tokens", "Requests");
	struct plot_axes requests = panel(3, "Each request", "Request", "Tokens");
	struct lengths lengths;

	if (plot_canvas_new(PLOT_DATASET_WIDTH, PLOT_DATASET_HEIGHT, PAPER, &canvas, err) < 0)
		return -1;
	lengths_read(input, &lengths);
	draw_title(input, canvas, &lengths);
	draw_histogram(&prompt, canvas, lengths.prompt, lengths.count, PROMPT_COLOR);
	draw_histogram(&output, canvas, lengths.output, lengths.count, OUTPUT_COLOR);
	draw_histogram(&total, canvas, lengths.total, lengths.count, TOTAL_COLOR);
	draw_requests(&requests, canvas, &lengths);
	free(lengths.prompt);
	free(lengths.output);
	free(lengths.total);
	return plot_canvas_save(canvas, path, err);
}
