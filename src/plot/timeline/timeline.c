/*
 * The timeline as one self-contained HTML page. The page is embedded in the program with
 * placeholders such as @META@, which are filled in while writing, the large ones directly into the
 * stream. Untrusted texts are escaped.
 */
#include "plot/timeline/timeline.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/stats.h"
#include "plot/axes.h"
#include "plot/timeline/timeline_priv.h"

#define TEXT_BYTES_MAX (1u << 20)

struct page {
	const struct plot_timeline_input *input;
	struct plot_timeline_facts facts;
	struct pl_buf text; /* of the place that is being filled */
	FILE *stream;
};

static void add_count(struct pl_buf *buf, double value)
{
	char text[PL_TICK_BYTES];

	plot_tick_text(value, 0, text);
	pl_buf_add_text(buf, text);
}

static const char *model_of(const struct page *page)
{
	return page->input->model != NULL ? page->input->model : "unknown model";
}

static void fill_title(struct page *page)
{
	auto_free char *title = pl_asprintf("Timeline: %s", model_of(page));

	pl_clean_html(&page->text, title);
}

static void fill_heading(struct page *page)
{
	auto_free char *heading = pl_asprintf("Requests over time: %s", model_of(page));

	pl_clean_html(&page->text, heading);
}

static void fill_meta(struct page *page)
{
	const struct plot_timeline_facts *facts = &page->facts;
	char text[64] = "no request was sent";

	if (facts->start_ns != RES_NO_TIME) {
		int64_t real_ns = facts->start_ns + page->input->real_offset_ns;
		time_t seconds = (time_t)(real_ns / PL_NS_PER_S);
		struct tm utc;
		gmtime_r(&seconds, &utc);
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &utc);
		size_t len = strlen(text);
		snprintf(text + len, sizeof(text) - len, ".%03d UTC is 00:00:00.000",
			 (int)(real_ns / PL_NS_PER_MS % 1000));
	}
	auto_free char *meta = pl_asprintf("backend %s · %s", page->input->backend, text);
	pl_clean_html(&page->text, meta);
	if (facts->shown == page->input->count)
		return;
	pl_buf_add_text(&page->text, " · the first ");
	add_count(&page->text, (double)facts->shown);
	pl_buf_add_text(&page->text, " of ");
	add_count(&page->text, (double)page->input->count);
	pl_buf_add_text(&page->text, " requests are drawn");
}

static void fill_banner(struct page *page)
{
	if (page->input->simulator == NULL)
		return;
	pl_buf_add_text(&page->text, "<p class=\"banner\">SIMULATED: ");
	pl_clean_html(&page->text, page->input->simulator);
	pl_buf_add_text(&page->text, " answered, no model ran and no GPU was used.</p>");
}

static void add_row(struct pl_buf *buf, const char *name)
{
	pl_buf_add_text(buf, "<tr><th scope=\"row\">");
	pl_clean_html(buf, name);
	pl_buf_add_text(buf, "</th><td>");
}

static void add_ms(struct pl_buf *buf, const char *name, double ms)
{
	char text[PL_TICK_BYTES] = "none";

	add_row(buf, name);
	if (!isnan(ms))
		plot_tick_text(ms, 2, text);
	pl_buf_addf(buf, "%s%s</td></tr>\n", text, isnan(ms) ? "" : " ms");
}

/* A text alternative to the picture. */
static void fill_summary(struct page *page)
{
	const struct plot_timeline_facts *facts = &page->facts;
	size_t count = facts->ttft_count;
	struct pl_buf *buf = &page->text;

	pl_buf_add_text(buf, "<section id=\"summary\">\n<h2>Summary</h2>\n<table>\n");
	add_row(buf, "Requests");
	add_count(buf, (double)page->input->count);
	pl_buf_add_text(buf, "</td></tr>\n");
	add_row(buf, "Failed");
	add_count(buf, (double)facts->failed);
	pl_buf_add_text(buf, "</td></tr>\n");
	add_ms(buf, "From the first start to the last end",
	       facts->start_ns != RES_NO_TIME ? (double)(facts->end_ns - facts->start_ns) / 1e6
					      : NAN);
	add_ms(buf, "TTFT, mean", pl_stats_mean(facts->ttfts_ms, count));
	add_ms(buf, "TTFT, median", pl_stats_median_sorted(facts->ttfts_ms, count));
	add_ms(buf, "TTFT, P99", pl_stats_percentile_sorted(facts->ttfts_ms, count, 99));
	const size_t *counts = page->facts.counts;
	size_t gaps = counts[PLOT_TIMELINE_FAST] + counts[PLOT_TIMELINE_SLOWER] +
		      counts[PLOT_TIMELINE_SLOW];
	for (size_t i = PLOT_TIMELINE_FAST; i <= PLOT_TIMELINE_SLOW; i++) {
		add_row(buf, page->facts.labels[i]);
		add_count(buf, (double)counts[i]);
		if (gaps > 0)
			pl_buf_addf(buf, " (%.1f %%)", 100.0 * (double)counts[i] / (double)gaps);
		pl_buf_add_text(buf, "</td></tr>\n");
	}
	pl_buf_add_text(buf, "</table>\n</section>");
}

static void fill_about(struct page *page)
{
	auto_free char *about = plot_timeline_about(page->input, &page->facts);

	fputs(about, page->stream);
}

static void fill_events(struct page *page)
{
	plot_timeline_events(page->input, &page->facts, page->stream);
}

static const struct {
	const char *name;
	void (*fill)(struct page *page); /* writes into page->text, or, if large, to page->stream */
} positions[] = {
	{ "@TITLE@", fill_title },     { "@HEADING@", fill_heading }, { "@META@", fill_meta },
	{ "@BANNER@", fill_banner },   { "@ABOUT@", fill_about },     { "@EVENTS@", fill_events },
	{ "@SUMMARY@", fill_summary },
};

/* Length of the place that begins at `at`, filled; 0: none does. */
static size_t fill_place(struct page *page, const char *at)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(positions); i++) {
		size_t len = strlen(positions[i].name);
		if (strncmp(at, positions[i].name, len) != 0)
			continue;
		pl_buf_clear(&page->text);
		positions[i].fill(page);
		fputs(pl_buf_text(&page->text), page->stream);
		return len;
	}
	return 0;
}

int plot_timeline(const struct plot_timeline_input *input, const char *path, struct pl_err *err)
{
	auto_file_new file = { 0 };
	struct page page = { .input = input };

	if (pl_file_new_open_private(&file, path, err) < 0)
		return -1;
	page.stream = file.stream;
	pl_buf_init(&page.text, TEXT_BYTES_MAX);
	plot_timeline_facts_make(input, &page.facts);
	const char *from = plot_timeline_page;
	for (const char *at = from; (at = strchr(at, '@')) != NULL;) {
		fwrite(from, 1, (size_t)(at - from), page.stream);
		size_t len = fill_place(&page, at);
		/* an @ that starts no placeholder is written unchanged */
		from = at + len;
		at += len > 0 ? len : 1;
	}
	fputs(from, page.stream);
	plot_timeline_facts_done(&page.facts);
	pl_buf_done(&page.text);
	return pl_file_new_commit(&file, err);
}
