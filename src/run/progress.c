/*
 * A thread that reads the load's counters ten times per second and draws them, or every five seconds if it only prints
 * lines. It also runs without output: it notices the server's end while the threads of the load wait for bytes that
 * will not come, and asks the run to stop.
 *
 *	[####........] 412/1000 (3 failed) 38.1/s 4870 tok/s 64 open, 0:15 remaining
 */
#include "run/progress.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/thread.h"
#include "host/proc/process.h"
#include "run/live.h"
#include "run/stop.h"

#define TICK_NS     (100 * PL_NS_PER_MS)
#define LINE_NS     (5 * PL_NS_PER_S)
#define COLUMNS     79
#define BAR_COLUMNS 12

struct run_progress {
	struct run_progress_spec spec;
	pthread_t thread;
	struct pl_pause pause;
	bool bar;
	int64_t start_ns;
};

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
	pl_buf_addf(buf, " %.1f/s %.0f tok/s %llu open, ", rate, tokens,
		    (unsigned long long)view->in_flight);
	pl_text_add_clock(buf, done < view->total ? left_s : view->elapsed_s);
	pl_buf_add_text(buf, done < view->total ? " remaining" : " elapsed");
	/* a line that wraps cannot be overwritten with \r */
	if (buf->len > COLUMNS) {
		buf->len = COLUMNS;
		buf->data[COLUMNS] = '\0';
	}
}

static void draw(const struct run_progress *progress, bool last)
{
	const struct bench_progress *counters = progress->spec.counters;
	struct run_progress_view view = {
		.issued = atomic_load(&counters->issued),
		.completed = atomic_load(&counters->completed),
		.failed = atomic_load(&counters->failed),
		.in_flight = atomic_load(&counters->in_flight),
		.tokens = atomic_load(&counters->tokens),
		.total = progress->spec.total,
		.elapsed_s = (double)(pl_clock_now_ns() - progress->start_ns) / 1e9,
	};
	auto_buf line = PL_BUF(1024);

	if (progress->bar)
		pl_buf_add_char(&line, '\r');
	auto_buf text = PL_BUF(512);
	run_progress_text(&view, progress->bar, &text);
	pl_buf_add_text(&line, pl_buf_text(&text));
	/* erases the rest of a longer line */
	if (progress->bar)
		pl_buf_addf(&line, "%*s", (int)(COLUMNS - text.len), "");
	if (!progress->bar || last)
		pl_buf_add_char(&line, '\n');
	/* a single write, so that no other thread's line comes in between */
	ssize_t ignored = write(STDERR_FILENO, line.data, line.len);
	(void)ignored;
}

/* Returns the interval: for a bar, for the starter of the run, or to notice our server's end. */
static int64_t tick_ns(const struct run_progress *progress)
{
	bool draws = progress->bar && !progress->spec.quiet;

	return draws || progress->spec.process != NULL || progress->spec.live != NULL ? TICK_NS
										      : LINE_NS;
}

static void report_live(const struct run_progress *progress)
{
	const struct bench_progress *counters = progress->spec.counters;

	if (progress->spec.live != NULL)
		run_live_set_requests(progress->spec.live,
				      atomic_load(&counters->completed) +
					      atomic_load(&counters->failed),
				      progress->spec.total);
}

static void *progress_main(void *data)
{
	struct run_progress *progress = data;
	int64_t due_ns = progress->start_ns;
	int64_t drawn_ns = progress->start_ns;

	while (pl_pause_until(&progress->pause, due_ns += tick_ns(progress))) {
		if (progress->spec.process != NULL &&
		    host_process_has_ended(progress->spec.process))
			run_stop_server_died(progress->spec.stop);
		report_live(progress);
		if (progress->spec.quiet || (!progress->bar && due_ns - drawn_ns < LINE_NS))
			continue;
		drawn_ns = due_ns;
		draw(progress, false);
	}
	if (!progress->spec.quiet)
		draw(progress, true);
	return NULL;
}

static void done(struct run_progress *progress)
{
	pl_pause_done(&progress->pause);
	free(progress);
}

int run_progress_start(const struct run_progress_spec *spec, struct run_progress **ret,
		       struct pl_err *err)
{
	struct run_progress *progress = pl_alloc(sizeof(*progress));

	progress->spec = *spec;
	progress->bar = isatty(STDERR_FILENO);
	progress->start_ns = pl_clock_now_ns();
	pl_pause_init(&progress->pause);
	if (pl_thread_start(&progress->thread, progress_main, progress, err) < 0) {
		done(progress);
		return -1;
	}
	*ret = progress;
	return 0;
}

void run_progress_stop(struct run_progress *progress)
{
	pl_pause_end(&progress->pause);
	pthread_join(progress->thread, NULL);
	done(progress);
}
