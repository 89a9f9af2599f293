#include "plot/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/text.h"

#define COORDINATE_MAX 1e6
#define NUMBER_BYTES   32

void plot_svg_add_number(struct pl_buf *buf, double value)
{
	char text[NUMBER_BYTES];

	value = isfinite(value) ? fmin(fmax(value, -COORDINATE_MAX), COORDINATE_MAX) : 0;
	size_t len = (size_t)snprintf(text, sizeof(text), "%.2f", value);
	while (text[len - 1] == '0')
		len--;
	len -= text[len - 1] == '.';
	/* "-0" */
	if (len == 2 && text[0] == '-' && text[1] == '0')
		pl_buf_add_char(buf, '0');
	else
		pl_buf_add(buf, text, len);
}

void plot_svg_add_text(struct pl_buf *buf, const char *text)
{
	/* the characters of Unicode that XML excludes, after control characters: U+FFFE and U+FFFF */
	auto_free char *first = pl_text_replace(text, "\xef\xbf\xbe", "\xef\xbf\xbd");
	auto_free char *both = pl_text_replace(first, "\xef\xbf\xbf", "\xef\xbf\xbd");

	(void)pl_clean_html(buf, both);
}

void plot_svg_begin(struct pl_buf *buf, const struct plot_svg_head *head)
{
	pl_buf_add_text(buf, "<svg viewBox=\"0 0 ");
	plot_svg_add_number(buf, head->width);
	pl_buf_add_char(buf, ' ');
	plot_svg_add_number(buf, head->height);
	pl_buf_addf(buf, "\" role=\"img\" aria-labelledby=\"%s-t %s-d\">\n<title id=\"%s-t\">",
		    head->id, head->id, head->id);
	plot_svg_add_text(buf, head->title);
	pl_buf_addf(buf, "</title>\n<desc id=\"%s-d\">", head->id);
	plot_svg_add_text(buf, head->text);
	pl_buf_add_text(buf, "</desc>\n");
}

void plot_svg_end(struct pl_buf *buf)
{
	pl_buf_add_text(buf, "</svg>\n");
}

static void add_attribute(struct pl_buf *buf, const char *name, double value)
{
	pl_buf_addf(buf, " %s=\"", name);
	plot_svg_add_number(buf, value);
	pl_buf_add_char(buf, '"');
}

void plot_svg_line(struct pl_buf *buf, const char *class, double x0, double y0, double x1,
		   double y1)
{
	pl_buf_addf(buf, "<line class=\"%s\"", class);
	add_attribute(buf, "x1", x0);
	add_attribute(buf, "y1", y0);
	add_attribute(buf, "x2", x1);
	add_attribute(buf, "y2", y1);
	pl_buf_add_text(buf, "/>\n");
}

void plot_svg_rectangle(struct pl_buf *buf, const char *class, double x, double y, double width,
			double height)
{
	pl_buf_addf(buf, "<rect class=\"%s\"", class);
	add_attribute(buf, "x", x);
	add_attribute(buf, "y", y);
	add_attribute(buf, "width", width);
	add_attribute(buf, "height", height);
	pl_buf_add_text(buf, "/>\n");
}

void plot_svg_text(struct pl_buf *buf, const char *class, double x, double y, const char *anchor,
		   const char *text)
{
	pl_buf_addf(buf, "<text class=\"%s\"", class);
	add_attribute(buf, "x", x);
	add_attribute(buf, "y", y);
	if (strcmp(anchor, "start") != 0)
		pl_buf_addf(buf, " text-anchor=\"%s\"", anchor);
	pl_buf_add_char(buf, '>');
	plot_svg_add_text(buf, text);
	pl_buf_add_text(buf, "</text>\n");
}

void plot_svg_path_begin(struct pl_buf *buf, const char *class)
{
	pl_buf_addf(buf, "<path class=\"%s\" d=\"", class);
}

static void add_point(struct pl_buf *buf, char command, double x, double y)
{
	pl_buf_add_char(buf, command);
	plot_svg_add_number(buf, x);
	pl_buf_add_char(buf, ' ');
	plot_svg_add_number(buf, y);
}

void plot_svg_path_move(struct pl_buf *buf, double x, double y)
{
	add_point(buf, 'M', x, y);
}

void plot_svg_path_line(struct pl_buf *buf, double x, double y)
{
	add_point(buf, 'L', x, y);
}

void plot_svg_path_dot(struct pl_buf *buf, double x, double y)
{
	add_point(buf, 'M', x, y);
	pl_buf_add_text(buf, "h0");
}

void plot_svg_path_rectangle(struct pl_buf *buf, double x, double y, double width, double height)
{
	add_point(buf, 'M', x, y);
	pl_buf_add_char(buf, 'h');
	plot_svg_add_number(buf, width);
	pl_buf_add_char(buf, 'v');
	plot_svg_add_number(buf, height);
	pl_buf_add_char(buf, 'h');
	plot_svg_add_number(buf, -width);
	pl_buf_add_char(buf, 'z');
}

void plot_svg_path_end(struct pl_buf *buf)
{
	pl_buf_add_text(buf, "\"/>\n");
}
