/*
 * A report as Markdown with GitHub's tables. Texts of a result cannot become markup, an autolink, a mention or a formula:
 * characters with a meaning are escaped, and text with lines is in a fence longer than any in it.
 */
#include <string.h>

#include "base/clean.h"
#include "base/text.h"
#include "report/report_priv.h"

#define FENCE_MIN 3
/* ends a word, so that it is neither a mention nor a link */
#define NOTHING "<!-- -->"

static void add_escaped(struct pl_buf *buf, const char *text)
{
	static const char special[] = "\\`*_{}[]()#+-.!|~$@";
	auto_free char *clean = pl_clean_shown(text != NULL ? text : "");

	for (const char *at = clean; *at != '\0'; at++) {
		/* a point or a hyphen has a meaning only at the start of a line */
		bool is_inner = at > clean && (*at == '.' || *at == '-' || *at == '+' ||
					       *at == '(' || *at == ')' || *at == '!');
		if (*at == '&')
			pl_buf_add_text(buf, "&amp;");
		else if (*at == '<')
			pl_buf_add_text(buf, "&lt;");
		else if (*at == '>')
			pl_buf_add_text(buf, "&gt;");
		else if (*at == ':' && at[1] == '/' && at[2] == '/')
			pl_buf_add_text(buf, "&#58;");
		else if (*at == '@')
			pl_buf_add_text(buf, "@" NOTHING);
		else if (pl_text_starts(at, "www."))
			pl_buf_add_text(buf, NOTHING "w");
		else if (strchr(special, *at) != NULL && !is_inner)
			pl_buf_addf(buf, "\\%c", *at);
		else
			pl_buf_add_char(buf, *at);
	}
}

static void add_table(struct pl_buf *buf, const json_t *table)
{
	const json_t *columns = json_object_get(table, "columns");
	size_t count = json_array_size(columns);

	pl_buf_add_char(buf, '|');
	PL_JSON_EACH(column, columns) {
		pl_buf_add_char(buf, ' ');
		add_escaped(buf, pl_json_get_text(column, "title"));
		pl_buf_add_text(buf, " |");
	}
	pl_buf_add_text(buf, "\n|");
	PL_JSON_EACH(head, columns)
		pl_buf_add_text(buf, pl_text_equal(pl_json_get_text(head, "align"), "right")
					     ? " --: |"
					     : " --- |");
	pl_buf_add_char(buf, '\n');
	PL_JSON_EACH(row, json_object_get(table, "rows")) {
		pl_buf_add_char(buf, '|');
		if (json_is_object(row)) {
			pl_buf_add_text(buf, " **");
			add_escaped(buf, pl_json_get_text(row, "group"));
			pl_buf_add_text(buf, "** |");
			for (size_t i = 1; i < count; i++) {
				pl_buf_add_char(buf, ' ');
				if (i + 1 == count)
					add_escaped(buf, pl_json_get_text(row, "text"));
				pl_buf_add_text(buf, " |");
			}
		}
		for (size_t i = 0; json_is_array(row) && i < count; i++) {
			pl_buf_add_char(buf, ' ');
			add_escaped(buf, report_cell_text(json_array_get(row, i)));
			pl_buf_add_text(buf, " |");
		}
		pl_buf_add_char(buf, '\n');
	}
	pl_buf_add_char(buf, '\n');
}

/* title: of this program */
static void fold(struct pl_buf *buf, const char *title)
{
	pl_buf_add_text(buf, "<details><summary>");
	(void)pl_clean_html(buf, title);
	pl_buf_add_text(buf, "</summary>\n\n");
}

/* Returns the longest run of backticks. */
static size_t ticks_in(const char *text)
{
	size_t longest = 0;

	for (; *text != '\0'; text++) {
		size_t count = strspn(text, "`");
		longest = count > longest ? count : longest;
	}
	return longest;
}

static void add_fence(struct pl_buf *buf, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pl_buf_add_char(buf, '`');
	pl_buf_add_char(buf, '\n');
}

static void add_code(struct pl_buf *buf, const json_t *block)
{
	const char *text = pl_json_get_text(block, "text");
	size_t ticks = ticks_in(text);
	size_t fence = ticks >= FENCE_MIN ? ticks + 1 : FENCE_MIN;
	auto_free char *copy = pl_strdup(text);

	pl_buf_add_text(buf, "**");
	add_escaped(buf, pl_json_get_text(block, "title"));
	pl_buf_add_text(buf, "**\n\n");
	add_fence(buf, fence);
	for (char *rest = copy, *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (rest == NULL && *line == '\0')
			break;
		auto_free char *clean = pl_clean_shown(line);
		pl_buf_addf(buf, "%s\n", clean);
	}
	add_fence(buf, fence);
	pl_buf_add_char(buf, '\n');
}

static void add_chart(struct pl_buf *buf, const json_t *chart)
{
	auto_free char *title = pl_asprintf("%s: table", pl_json_get_text(chart, "title"));

	pl_buf_add_text(buf, "**");
	add_escaped(buf, pl_json_get_text(chart, "title"));
	pl_buf_add_text(buf, "**: ");
	add_escaped(buf, pl_json_get_text(chart, "text"));
	pl_buf_add_text(buf, "\n\n");
	if (json_object_get(chart, "table") == NULL)
		return;
	fold(buf, title);
	add_table(buf, json_object_get(chart, "table"));
	pl_buf_add_text(buf, "</details>\n\n");
}

static void add_verdict(struct pl_buf *buf, const json_t *block)
{
	const char *verdict = pl_json_get_text(block, "verdict");
	const char *status = pl_json_get_text(block, "status");

	pl_buf_add_text(buf, "**");
	add_escaped(buf, verdict != NULL ? verdict : status != NULL ? status : "no verdict");
	pl_buf_add_text(buf, "**\n\n");
	PL_JSON_EACH(sentence, json_object_get(block, "text")) {
		pl_buf_add_text(buf, "- ");
		add_escaped(buf, json_string_value(sentence));
		pl_buf_add_char(buf, '\n');
	}
	pl_buf_add_char(buf, '\n');
}

static void add_tiles(struct pl_buf *buf, const json_t *block)
{
	pl_buf_add_text(buf,
			"| Key metric | Value | Unit | 95 % CI |\n| --- | --: | --- | --: |\n");
	PL_JSON_EACH(item, json_object_get(block, "items")) {
		const char *const cells[] = { pl_json_get_text(item, "label"),
					      pl_json_get_text(item, "text"),
					      pl_json_get_text(item, "unit"),
					      pl_json_get_text(item, "note") };
		pl_buf_add_char(buf, '|');
		for (size_t i = 0; i < PL_ARRAY_SIZE(cells); i++) {
			pl_buf_add_char(buf, ' ');
			add_escaped(buf, cells[i] != NULL ? cells[i] : "–");
			pl_buf_add_text(buf, " |");
		}
		pl_buf_add_char(buf, '\n');
	}
	pl_buf_add_char(buf, '\n');
}

static void add_block(struct pl_buf *buf, const json_t *block)
{
	const char *kind = pl_json_get_text(block, "kind");
	bool is_folded = pl_json_get_true(block, "folded");

	if (is_folded)
		fold(buf, pl_json_get_text(block, "title"));
	if (pl_text_equal(kind, "verdict")) {
		add_verdict(buf, block);
	} else if (pl_text_equal(kind, "tiles")) {
		add_tiles(buf, block);
	} else if (pl_text_equal(kind, "table")) {
		if (!is_folded) {
			pl_buf_add_text(buf, "**");
			add_escaped(buf, pl_json_get_text(block, "title"));
			pl_buf_add_text(buf, "**\n\n");
		}
		add_table(buf, block);
	} else if (pl_text_equal(kind, "code")) {
		add_code(buf, block);
	} else if (pl_text_equal(kind, "charts")) {
		PL_JSON_EACH(chart, json_object_get(block, "items"))
			add_chart(buf, chart);
	} else {
		add_escaped(buf, pl_json_get_text(block, "text"));
		pl_buf_add_text(buf, "\n\n");
	}
	if (is_folded)
		pl_buf_add_text(buf, "</details>\n\n");
}

void report_markdown(const json_t *report, struct pl_buf *buf)
{
	pl_buf_add_text(buf, "# ");
	add_escaped(buf, pl_json_get_text(report, "title"));
	pl_buf_add_text(buf, "\n\n");
	add_escaped(buf, pl_json_get_text(report, "lead"));
	pl_buf_add_text(buf, "\n\n");
	if (pl_json_get_true(report, "simulated"))
		pl_buf_add_text(buf, "**SIMULATED**: a simulator sent the responses; no model ran, "
				     "and no GPU was used.\n\n");
	PL_JSON_EACH(section, json_object_get(report, "sections")) {
		pl_buf_add_text(buf, "## ");
		add_escaped(buf, pl_json_get_text(section, "title"));
		pl_buf_add_text(buf, "\n\n");
		PL_JSON_EACH(block, json_object_get(section, "blocks"))
			add_block(buf, block);
	}
}
