/*
 * What a person sees of a sweep at a terminal while it runs: a few lines that are drawn over again and
 * again below those that stay. Elsewhere only lines that stay.
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

/* A server that is up, or starts, with the run at hand. */
struct sweep_table_line {
	const char *label;       /* borrowed */
	int64_t since_s;         /* the run goes on */
	unsigned over, requests; /* of the run; 0 requests: none was sent yet */
	bool ends;               /* the run was its last */
};

struct sweep_table_view {
	const struct sweep_table_line *lines;
	size_t count;
	size_t over, failed, left; /* runs; `failed` are among `over` */
	double left_s;             /* 0: not known */
	size_t columns, rows;      /* of the terminal; at least 1 */
	bool colour;
};

/* The block, each line with its end: none is wider than the terminal, all together stand in it. */
void sweep_table_text(const struct sweep_table_view *view, struct pl_buf *buf);

struct sweep_table {
	bool draws;
	bool colour;
	size_t drawn; /* lines that stand on the terminal now, the cursor below them */
	struct pl_buf block;
};

/* On standard error. quiet: no block. */
void sweep_table_open(bool quiet, struct sweep_table *ret);
/* Sets the terminal's size, and the colour, and draws. Without a terminal: nothing. */
void sweep_table_draw(struct sweep_table *table, struct sweep_table_view *view);
/* A text that stays, with its end, above the block. */
void sweep_table_say(struct sweep_table *table, const char *text, size_t len);
/* Takes the block away until it is drawn again: for what others write. */
void sweep_table_hide(struct sweep_table *table);
void sweep_table_done(struct sweep_table *table);
