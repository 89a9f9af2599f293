#include "dash/backup/view.h"

#include <stdio.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

#define FIRST_NS (2 * PL_NS_PER_S) /* short work shows no progress */
#define DRAW_NS  (200 * PL_NS_PER_MS)
#define LINE_NS  (10 * PL_NS_PER_S)

void dash_backup_view_init(struct dash_backup_view *view, bool is_quiet)
{
	*view = (struct dash_backup_view){ .is_quiet = is_quiet,
					   .began_ns = pl_clock_now_ns(),
					   .problems = json_array() };
}

void dash_backup_view_done(struct dash_backup_view *view)
{
	json_decref(view->problems);
	view->problems = NULL;
}

void dash_backup_view_wipe(struct dash_backup_view *view)
{
	if (view->is_drawn)
		fputs("\r\033[K", stderr);
	view->is_drawn = false;
}

static void show(void *context, const char *stage, int64_t done, int64_t total)
{
	struct dash_backup_view *view = context;
	bool draws = pl_log_redraws(fileno(stderr));
	int64_t now_ns = pl_clock_now_ns();

	if (view->is_quiet || total <= 0 || now_ns - view->began_ns < FIRST_NS ||
	    now_ns - view->shown_ns < (draws ? DRAW_NS : LINE_NS))
		return;
	view->shown_ns = now_ns;
	dash_backup_view_wipe(view);
	double percent = 100.0 * (double)done / (double)total;
	if (draws)
		fprintf(stderr, "%s: %.0f%%", stage, percent);
	else
		pl_log(PL_LOG_INFO, "%s: %.0f%%", stage, percent);
	view->is_drawn = draws;
}

static void report(void *context, const char *text)
{
	struct dash_backup_view *view = context;
	auto_free char *line = pl_clean_line(text);

	dash_backup_view_wipe(view);
	if (view->problem_count++ >= DASH_BACKUP_REPORTED_MAX)
		return;
	pl_log(PL_LOG_WARNING, "%s", line);
	json_array_append_new(view->problems, pl_json_text(line));
}

struct store_backup_watch dash_backup_view_watch(struct dash_backup_view *view)
{
	return (struct store_backup_watch){ .progress = show, .report = report, .context = view };
}
