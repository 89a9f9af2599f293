/*
 *	[####........] 412/1000 (3 failed) 38.1/s 4870 tok/s 64 open, 0:15 remaining
 */
#include "run/progress.h"

#include <math.h>

#include "base/text.h"

#define COLUMNS     79
#define BAR_COLUMNS 12

void run_progress_text(const struct run_progress_view *view, bool bar, struct pl_buf *buf)
{
	uint64_t done = view->completed + view->failed;
	double rate = view->elapsed_s > 0 ? (double)done / view->elapsed_s : 0;
	double tokens = view->elapsed_s > 0 ? (double)view->tokens / view->elapsed_s : 0;
	double left_s = rate > 0 ? (double)(view->total - done) / rate : NAN;

	if (bar && view->total > 0) {
		size_t full = BAR_COLUMNS * done / view->total;
		pl_buf_add_char(buf, '[');
		for (size_t i = 0; i < BAR_COLUMNS; i++)
			pl_buf_add_char(buf, i < full ? '#' : '.');
		pl_buf_add_text(buf, "] ");
	}
	pl_buf_addf(buf, "%llu/%zu", (unsigned long long)done, view->total);
	if (view->failed > 0)
		pl_buf_addf(buf, " (%llu failed)", (unsigned long long)view->failed);
	pl_buf_addf(buf, " %.1f/s ", rate);
	if (!view->pools)
		pl_buf_addf(buf, "%.0f tok/s ", tokens);
	pl_buf_addf(buf, "%llu open, ", (unsigned long long)view->in_flight);
	pl_text_add_clock(buf, done < view->total ? left_s : view->elapsed_s);
	pl_buf_add_text(buf, done < view->total ? " remaining" : " elapsed");
	/* a line that wraps cannot be overwritten with \r */
	if (buf->len > COLUMNS) {
		buf->len = COLUMNS;
		buf->data[COLUMNS] = '\0';
	}
}
