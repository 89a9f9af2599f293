/* A report as one HTML file. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "plot/svg.h"
#include "report/report_priv.h"

#define ID_BYTES 48

struct page {
	struct pl_buf *buf;
	size_t charts; /* number so far, for ids */
};

static void add(const struct page *page, const char *markup)
{
	pl_buf_add_text(page->buf, markup);
}

static void add_escaped(const struct page *page, const char *text)
{
	plot_svg_add_text(page->buf, text != NULL ? text : "");
}

/* Text with its lines. */
static void add_lines(const struct page *page, const char *text)
{
	auto_free char *copy = pl_strdup(text != NULL ? text : "");
	bool is_first = true;

	for (char *rest = copy, *line; (line = strsep(&rest, "\n")) != NULL; is_first = false) {
		if (!is_first && (rest != NULL || *line != '\0'))
			pl_buf_add_char(page->buf, '\n');
		add_escaped(page, line);
	}
}

static void add_number(const struct page *page, const json_t *cell)
{
	char number[PL_F64_TEXT_BYTES];

	pl_text_from_f64(json_number_value(json_object_get(cell, "number")), number);
	pl_buf_addf(page->buf, "<data value=\"%s\">", number);
	add_escaped(page, report_cell_text(cell));
	add(page, "</data>");
}

static void add_cell(const struct page *page, const json_t *cell, const char *align, bool is_head)
{
	const char *tone = pl_json_get_text(cell, "tone");
	const char *tag = is_head ? "th scope=\"row\"" : "td";
	bool is_right = pl_text_equal(align, "right"), is_code = pl_text_equal(align, "code");

	pl_buf_addf(page->buf, "<%s%s>", tag,
		    is_right  ? " class=\"n\""
		    : is_code ? " class=\"c\""
			      : "");
	if (tone != NULL && *tone != '\0')
		pl_buf_addf(page->buf, "<span class=\"tone %s\">", tone);
	if (json_is_number(json_object_get(cell, "number")))
		add_number(page, cell);
	else
		add_escaped(page, report_cell_text(cell));
	if (tone != NULL && *tone != '\0')
		add(page, "</span>");
	pl_buf_addf(page->buf, "</%s>", is_head ? "th" : "td");
}

static void add_rows(const struct page *page, const json_t *table)
{
	const json_t *columns = json_object_get(table, "columns");
	size_t count = json_array_size(columns);

	add(page, "<thead><tr>");
	PL_JSON_EACH(column, columns) {
		bool is_right = pl_text_equal(pl_json_get_text(column, "align"), "right");
		add(page, is_right ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
		add_escaped(page, pl_json_get_text(column, "title"));
		add(page, "</th>");
	}
	add(page, "</tr></thead>\n<tbody>\n");
	PL_JSON_EACH(row, json_object_get(table, "rows")) {
		const char *group = pl_json_get_text(row, "group");
		if (group != NULL) {
			pl_buf_addf(page->buf,
				    "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"%zu\">",
				    count);
			add_escaped(page, group);
			add(page, " <span>");
			add_escaped(page, pl_json_get_text(row, "text"));
			add(page, "</span></th></tr>\n");
			continue;
		}
		add(page, "<tr>");
		PL_JSON_EACH(cell, row)
			add_cell(page, cell,
				 pl_json_get_text(json_array_get(columns, cell_at), "align"),
				 cell_at == 0);
		add(page, "</tr>\n");
	}
	add(page, "</tbody>\n");
}

/* A table that scrolls sideways by itself; by keyboard, too. */
static void add_scrolled(const struct page *page, const json_t *table, const char *title)
{
	add(page, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table: ");
	add_escaped(page, title);
	add(page, "\"><table>\n<caption>");
	add_escaped(page, title);
	add(page, "</caption>\n");
	add_rows(page, table);
	add(page, "</table></div>\n");
}

static void add_table(const struct page *page, const json_t *block)
{
	const char *title = pl_json_get_text(block, "title");
	bool is_folded = pl_json_get_true(block, "folded");

	if (is_folded) {
		size_t count = json_array_size(json_object_get(block, "rows"));
		add(page, "<details><summary>");
		add_escaped(page, title);
		pl_buf_addf(page->buf, " (%zu rows)</summary>\n", count);
	}
	add_scrolled(page, block, title);
	if (is_folded)
		add(page, "</details>\n");
}

static void add_code(const struct page *page, const json_t *block)
{
	bool is_folded = pl_json_get_true(block, "folded");
	const char *title = pl_json_get_text(block, "title");

	add(page, is_folded ? "<details><summary>" : "<h3>");
	add_escaped(page, title);
	add(page, is_folded ? "</summary>\n" : "</h3>\n");
	add(page, "<pre tabindex=\"0\" role=\"region\" aria-label=\"");
	add_escaped(page, title);
	add(page, "\"><code>");
	add_lines(page, pl_json_get_text(block, "text"));
	add(page, is_folded ? "</code></pre></details>\n" : "</code></pre>\n");
}

static const struct {
	const char *verdict;
	const char *word;
} verdict_words[] = {
	{ "trusted", "Trusted" },
	{ "degraded", "Degraded" },
	{ "client_limited", "Client limited" },
};

static void add_verdict(const struct page *page, const json_t *block)
{
	const char *verdict = pl_json_get_text(block, "verdict");
	const char *status = pl_json_get_text(block, "status");
	const char *class = status != NULL ? "client_limited" : "none", *word = "No verdict";

	for (size_t i = 0; i < PL_ARRAY_SIZE(verdict_words); i++) {
		if (pl_text_equal(verdict, verdict_words[i].verdict)) {
			class = verdict;
			word = verdict_words[i].word;
		}
	}
	pl_buf_addf(page->buf, "<div class=\"verdict %s\"><p class=\"word\">", class);
	if (verdict != NULL && pl_text_equal(class, "none")) {
		add_escaped(page, verdict);
	} else if (status != NULL) {
		auto_free char *words = pl_text_replace(status, "_", " ");
		words[0] = (char)toupper((unsigned char)words[0]);
		add_escaped(page, words);
	} else {
		add(page, word);
	}
	add(page, "</p>\n");
	PL_JSON_EACH(sentence, json_object_get(block, "text")) {
		add(page, sentence_at == 0 ? "<p class=\"first\">" : "<p>");
		add_escaped(page, json_string_value(sentence));
		add(page, "</p>\n");
	}
	add(page, "</div>\n");
}

static void add_tiles(const struct page *page, const json_t *block)
{
	add(page, "<dl class=\"tiles\">\n");
	PL_JSON_EACH(item, json_object_get(block, "items")) {
		add(page, "<div><dt>");
		add_escaped(page, pl_json_get_text(item, "label"));
		add(page, "</dt><dd>");
		add(page, "<span class=\"v\">");
		add_number(page, item);
		add(page, "</span> <span class=\"u\">");
		add_escaped(page, pl_json_get_text(item, "unit"));
		add(page, "</span>");
		if (pl_json_get_text(item, "note") != NULL) {
			add(page, "<span class=\"ci\">");
			add_escaped(page, pl_json_get_text(item, "note"));
			add(page, "</span>");
		}
		add(page, "</dd></div>\n");
	}
	add(page, "</dl>\n");
}

/* ---- charts -------------------------------------------------------------------------------- */

static void add_legend(const struct page *page, const json_t *series)
{
	if (json_array_size(series) < 2)
		return;
	add(page, "<ul class=\"legend\">");
	PL_JSON_EACH(one, series) {
		const char *mark = pl_json_get_text(one, "mark");
		bool is_dots = pl_text_equal(mark, "dots");
		pl_buf_addf(page->buf,
			    "<li><svg viewBox=\"0 0 22 10\" aria-hidden=\"true\"><path class=\"%s "
			    "s%zu\" d=\"%s\"/></svg>",
			    is_dots ? "dots" : "line", one_at % PLOT_CHART_SERIES_MAX + 1,
			    is_dots ? "M11 5h0" : "M1 5L21 5");
		add_escaped(page, pl_json_get_text(one, "name"));
		add(page, "</li>");
	}
	add(page, "</ul>\n");
}

static void add_chart(struct page *page, const json_t *chart)
{
	const char *title = pl_json_get_text(chart, "title");
	const json_t *table = json_object_get(chart, "table");
	char id[ID_BYTES];

	snprintf(id, sizeof(id), "chart%zu", ++page->charts);
	add(page, "<figure>\n<figcaption><h3>");
	add_escaped(page, title);
	add(page, "</h3>\n<p>");
	add_escaped(page, pl_json_get_text(chart, "text"));
	add(page, "</p></figcaption>\n");
	add_legend(page, json_object_get(chart, "series"));
	report_svg(chart, id, page->buf);
	if (table != NULL) {
		auto_free char *name = pl_asprintf("%s as a table", title);
		add(page, "<details><summary>Table<span class=\"hidden\"> of ");
		add_escaped(page, title);
		add(page, "</span></summary>\n");
		add_scrolled(page, table, name);
		add(page, "</details>\n");
	}
	add(page, "</figure>\n");
}

static void add_block(struct page *page, const json_t *block)
{
	const char *kind = pl_json_get_text(block, "kind");

	if (pl_text_equal(kind, "verdict")) {
		add_verdict(page, block);
	} else if (pl_text_equal(kind, "tiles")) {
		add_tiles(page, block);
	} else if (pl_text_equal(kind, "table")) {
		add_table(page, block);
	} else if (pl_text_equal(kind, "code")) {
		add_code(page, block);
	} else if (pl_text_equal(kind, "charts")) {
		add(page, "<div class=\"charts\">\n");
		PL_JSON_EACH(chart, json_object_get(block, "items"))
			add_chart(page, chart);
		add(page, "</div>\n");
	} else {
		const char *tone = pl_json_get_text(block, "tone");
		pl_buf_addf(page->buf, "<p class=\"%s\">",
			    tone != NULL && *tone != '\0' ? tone : "text");
		add_escaped(page, pl_json_get_text(block, "text"));
		add(page, "</p>\n");
	}
}

static void add_head(const struct page *page, const json_t *report)
{
	add(page, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		  "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action "
		  "'none'\">\n"
		  "<meta name=\"color-scheme\" content=\"light dark\">\n"
		  "<link rel=\"icon\" href=\"data:,\">\n<title>");
	add_escaped(page, pl_json_get_text(report, "title"));
	add(page, " · ProfLLM report</title>\n<style>\n");
	add(page, report_style);
	add(page, "</style>\n</head>\n<body>\n");
}

void report_html(const json_t *report, struct pl_buf *buf)
{
	struct page page = { .buf = buf };
	const json_t *sections = json_object_get(report, "sections");

	add_head(&page, report);
	add(&page, "<header>\n<p class=\"product\">ProfLLM report</p>\n<h1>");
	add_escaped(&page, pl_json_get_text(report, "title"));
	add(&page, "</h1>\n<p class=\"facts\">");
	add_escaped(&page, pl_json_get_text(report, "lead"));
	add(&page, "</p>\n");
	if (pl_json_get_true(report, "simulated"))
		add(&page, "<p class=\"simulated\"><b>Simulated.</b> A simulator sent the "
			   "responses: no model ran, and no GPU was used.</p>\n");
	add(&page, "<nav aria-label=\"Sections\"><ul>");
	PL_JSON_EACH(section, sections) {
		pl_buf_addf(buf, "<li><a href=\"#%s\">", pl_json_get_text(section, "id"));
		add_escaped(&page, pl_json_get_text(section, "title"));
		add(&page, "</a></li>");
	}
	add(&page, "</ul></nav>\n</header>\n<main>\n");
	PL_JSON_EACH(part, sections) {
		pl_buf_addf(buf, "<section id=\"%s\" aria-labelledby=\"%s-h\">\n<h2 id=\"%s-h\">",
			    pl_json_get_text(part, "id"), pl_json_get_text(part, "id"),
			    pl_json_get_text(part, "id"));
		add_escaped(&page, pl_json_get_text(part, "title"));
		add(&page, "</h2>\n");
		PL_JSON_EACH(block, json_object_get(part, "blocks"))
			add_block(&page, block);
		add(&page, "</section>\n");
	}
	add(&page, "</main>\n</body>\n</html>\n");
}
