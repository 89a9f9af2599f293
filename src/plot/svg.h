/*
 * Elements of SVG pictures inside an HTML page, appended to a buffer. They name no namespace (HTML knows it), and contain
 * classes instead of colors: the style sheet of the page has these for light and dark. Every element is also well-formed
 * XML, whatever its texts contain.
 */
#pragma once

#include "base/buf.h"

struct plot_svg_head {
	double width, height; /* of the viewBox */
	const char *id; /* prefix of the ids of title and description; unique within the page */
	const char *title;
	const char *text; /* description for readers that cannot see the picture */
};
void plot_svg_begin(struct pl_buf *buf, const struct plot_svg_head *head);
void plot_svg_end(struct pl_buf *buf);

void plot_svg_line(struct pl_buf *buf, const char *class, double x0, double y0, double x1,
		   double y1);
void plot_svg_rectangle(struct pl_buf *buf, const char *class, double x, double y, double width,
			double height);
/* anchor: "start", "middle" or "end", the position of x in the text; y is the baseline. */
void plot_svg_text(struct pl_buf *buf, const char *class, double x, double y, const char *anchor,
		   const char *text);

/* A path: begin, then any number of moves, lines and rectangles, then end. */
void plot_svg_path_begin(struct pl_buf *buf, const char *class);
void plot_svg_path_move(struct pl_buf *buf, double x, double y);
void plot_svg_path_line(struct pl_buf *buf, double x, double y);
/* A line without length: a disk, if the class has round caps. */
void plot_svg_path_dot(struct pl_buf *buf, double x, double y);
void plot_svg_path_rectangle(struct pl_buf *buf, double x, double y, double width, double height);
void plot_svg_path_end(struct pl_buf *buf);

/* Appends a coordinate: at most two decimals, no exponent; 0 if it is not finite. */
void plot_svg_add_number(struct pl_buf *buf, double value);
/* Appends text for an element or attribute of HTML and XML. */
void plot_svg_add_text(struct pl_buf *buf, const char *text);
