/*
 * Each change is one write: the cursor moves up over the old block, each line is rewritten and its rest cleared, and
 * remaining lines below are cleared. So nothing flickers, and no other line comes in between.
 */
#include "sweep/table.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "base/width.h"

#define BLOCK_BYTES_MAX (1u << 20)
#define COLUMNS         80 /* of a terminal of unknown size */
#define ROWS            24
#define RED             "\033[31m"
#define FAINT           "\033[2m"
#define PLAIN           "\033[0m"
/* a wide character must not make a line wrap, because the block could not be redrawn */
#define WRAPS_NOT "\033[?7l"
#define WRAPS     "\033[?7h"

/* ---- the text ---- */

/* Adds at most `columns` columns, ending with an ellipsis if it is cut. */
static void add_cut(const char *text, size_t columns, struct pl_buf *buf)
{
	size_t len = strlen(text);
	bool is_cut = pl_width(text, len) > columns;

	pl_buf_add(buf, text, pl_width_fit(text, is_cut && columns > 0 ? columns - 1 : columns));
	if (is_cut && columns > 0)
		pl_buf_add_text(buf, "…");
}

static void add_faint(const struct sweep_table_view *view, const char *text, size_t columns,
		      struct pl_buf *buf)
{
	pl_buf_add_text(buf, view->color ? FAINT : "");
	add_cut(text, columns, buf);
	pl_buf_add_text(buf, view->color ? PLAIN : "");
}

/* The label is cut first, because the progress is more useful than the end of a long label. */
static void add_line(const struct sweep_table_view *view, const struct sweep_table_line *line,
		     struct pl_buf *buf)
{
	auto_buf label = PL_BUF(BLOCK_BYTES_MAX);
	auto_buf state = PL_BUF(256);
	auto_free char *clean = pl_clean_shown(line->label);

	pl_buf_addf(&label, "  %s", clean);
	pl_buf_add_text(&state, "  ");
	pl_text_add_clock(&state, (double)line->since_s);
	if (line->ends)
		pl_buf_add_text(&state, "  ends");
	else if (line->requests > 0)
		pl_buf_addf(&state, "  %u/%u requests", line->over, line->requests);
	size_t room = view->columns > state.len ? view->columns - state.len : 0;
	add_cut(pl_buf_text(&label), room, buf);
	add_faint(view, pl_buf_text(&state), view->columns, buf);
	pl_buf_add_char(buf, '\n');
}

void sweep_table_text(const struct sweep_table_view *view, struct pl_buf *buf)
{
	/* one line for the sum, one for the cursor */
	size_t room = view->rows > 2 ? view->rows - 2 : 0;
	size_t shown = view->count;

	if (shown > room)
		shown = room > 0 ? room - 1 : 0;
	for (size_t i = 0; i < shown; i++)
		add_line(view, &view->lines[i], buf);
	if (shown < view->count && room > 0) {
		auto_buf more = PL_BUF(64);
		pl_buf_addf(&more, "  and %zu more", view->count - shown);
		add_faint(view, pl_buf_text(&more), view->columns, buf);
		pl_buf_add_char(buf, '\n');
	}
	auto_buf text = PL_BUF(256);
	bool warns = view->color && view->failed > 0;
	pl_buf_addf(&text, "%zu finished, %zu failed, %zu remaining", view->over, view->failed,
		    view->left);
	if (view->left_s > 0) {
		pl_buf_add_text(&text, ", about ");
		pl_text_add_clock(&text, view->left_s);
	}
	pl_buf_add_text(buf, warns ? RED : "");
	add_cut(pl_buf_text(&text), view->columns, buf);
	pl_buf_add_text(buf, warns ? PLAIN : "");
	pl_buf_add_char(buf, '\n');
}

/* ---- the terminal ---- */

static void put(const struct pl_buf *text)
{
	/* the terminal has gone; the sweep continues */
	int ignored = pl_fd_write(STDERR_FILENO, text->data, text->len);

	(void)ignored;
}

/* Moves to the block's first line. */
static void add_up(const struct sweep_table *table, struct pl_buf *out)
{
	if (table->drawn > 0)
		pl_buf_addf(out, "\033[%zuA", table->drawn);
	if (table->draws)
		pl_buf_add_char(out, '\r');
}

/* Overwrites the old text and clears the rest of each line. */
static void add_over(const char *text, size_t len, struct pl_buf *out)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n')
			pl_buf_add_text(out, "\033[K");
		pl_buf_add_char(out, text[i]);
	}
}

static void add_block(struct sweep_table *table, struct pl_buf *out)
{
	const struct pl_buf *block = &table->block;

	pl_buf_add_text(out, WRAPS_NOT);
	add_over(block->data, block->len, out);
	pl_buf_add_text(out, WRAPS "\033[J");
	table->drawn = 0;
	for (size_t i = 0; i < block->len; i++)
		table->drawn += block->data[i] == '\n';
}

void sweep_table_open(bool quiet, struct sweep_table *ret)
{
	*ret = (struct sweep_table){
		.draws = !quiet && pl_log_redraws(STDERR_FILENO),
		.color = pl_log_has_color(STDERR_FILENO),
	};
	pl_buf_init(&ret->block, BLOCK_BYTES_MAX);
}

void sweep_table_draw(struct sweep_table *table, struct sweep_table_view *view)
{
	struct winsize size = { 0 };
	auto_buf out = PL_BUF(4 * BLOCK_BYTES_MAX);

	if (!table->draws)
		return;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0)
		size = (struct winsize){ 0 };
	view->columns = size.ws_col > 0 ? size.ws_col : COLUMNS;
	view->rows = size.ws_row > 0 ? size.ws_row : ROWS;
	view->color = table->color;
	table->block.len = 0;
	sweep_table_text(view, &table->block);
	add_up(table, &out);
	add_block(table, &out);
	put(&out);
}

void sweep_table_print(struct sweep_table *table, const char *text, size_t len)
{
	auto_buf out = PL_BUF(4 * BLOCK_BYTES_MAX);

	if (table->drawn == 0) {
		pl_buf_add(&out, text, len);
	} else {
		add_up(table, &out);
		add_over(text, len, &out);
		add_block(table, &out);
	}
	put(&out);
}

void sweep_table_hide(struct sweep_table *table)
{
	auto_buf out = PL_BUF(64);

	if (table->drawn == 0)
		return;
	add_up(table, &out);
	pl_buf_add_text(&out, "\033[J");
	table->drawn = 0;
	put(&out);
}

void sweep_table_done(struct sweep_table *table)
{
	sweep_table_hide(table);
	pl_buf_done(&table->block);
}
