/*
 * The display of a running sweep on a terminal: a few lines that are redrawn below the permanent ones. Without a
 * terminal, only the permanent lines.
 *
 *	[3/8] max_num_seqs=2 max_concurrency=4: completed, 38.1 requests/s; 5 left, about 40 s
 *	  max_num_seqs=3 max_concurrency=1  0:12  412/1000 requests
 *	  max_num_seqs=4 max_concurrency=1  0:07
 *	3 over, 0 failed, 5 left, about 0:38
 */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* A running or starting server, with its current run. */
struct sweep_table_line {
	const char *label;       /* borrowed */
	int64_t since_s;         /* since the start of the run */
	unsigned over, requests; /* of the run; 0 requests: none was sent yet */
	bool ends;               /* the run was the server's last */
};

struct sweep_table_view {
	const struct sweep_table_line *lines;
	size_t count;
	size_t over, failed, left; /* runs; `over` includes `failed` */
	double left_s;             /* 0: unknown */
	size_t columns, rows;      /* of the terminal; at least 1 */
	bool color;
};

/* Formats the block, each line with its end: it fits the terminal's width and height. */
void sweep_table_text(const struct sweep_table_view *view, struct pl_buf *buf);

struct sweep_table {
	bool draws;
	bool color;
	size_t drawn; /* lines of the block on the terminal, with the cursor below them */
	struct pl_buf block;
};

/* For standard error. quiet: no block. */
void sweep_table_open(bool quiet, struct sweep_table *ret);
/* Sets the terminal's size and color in the view, and draws. Does nothing without a terminal. */
void sweep_table_draw(struct sweep_table *table, struct sweep_table_view *view);
/* Prints a permanent text, with its line end, above the block. */
void sweep_table_print(struct sweep_table *table, const char *text, size_t len);
/* Removes the block until it is drawn again, so that others can write. */
void sweep_table_hide(struct sweep_table *table);
void sweep_table_done(struct sweep_table *table);
