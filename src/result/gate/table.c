/* The report as text and as Markdown: both use the same table, a list of rows of texts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/json.h"
#include "base/text.h"
#include "base/width.h"
#include "result/gate/gate.h"

#define COLUMNS    7
#define WORD_BYTES 64
#define DIGITS     4
#define RED        "\033[31m"
#define GREEN      "\033[32m"
#define YELLOW     "\033[33m"
#define PLAIN      "\033[0m"

static const char *const heads[COLUMNS] = { "configuration", "metric",   "baseline", "candidate",
					    "change",        "interval", "result" };

static void add_number(json_t *row, const json_t *number)
{
	char text[PL_F64_TEXT_BYTES];

	if (!json_is_number(number)) {
		json_array_append_new(row, json_string("–"));
		return;
	}
	pl_text_put_f64_rounded(text, json_number_value(number), DIGITS);
	size_t len = strlen(text);
	if (pl_text_ends(text, ".0"))
		text[len - 2] = '\0';
	json_array_append_new(row, json_string(text));
}

static void percent(const json_t *ratio, char text[WORD_BYTES])
{
	if (json_is_number(ratio))
		snprintf(text, WORD_BYTES, "%+.1f %%", 100 * (json_number_value(ratio) - 1));
	else
		snprintf(text, WORD_BYTES, "?");
}

static void add_interval(json_t *row, const json_t *test)
{
	char low[WORD_BYTES], high[WORD_BYTES];

	percent(json_object_get(test, "low"), low);
	percent(json_object_get(test, "high"), high);
	json_array_append_new(row, json_sprintf("%s to %s", low, high));
}

static const char *state_words(const char *state)
{
	if (strcmp(state, "not_judged") == 0)
		return "not judged";
	return state;
}

/*
 * Returns a text from results, such as the label of a configuration. In Markdown it is code: neither HTML nor
 * the mention of a user. free().
 */
static char *shown(const char *text, bool is_markdown)
{
	char *clean = pl_clean_shown(text);

	if (!is_markdown)
		return clean;
	auto_free char *plain = pl_text_replace(clean, "`", "'");
	free(clean);
	return pl_asprintf("`%s`", plain);
}

static void add_label(json_t *row, const json_t *cell, bool is_markdown)
{
	auto_free char *label = shown(pl_json_get_text(cell, "label"), is_markdown);

	json_array_append_new(row, json_string(label));
}

static json_t *make_rows(const json_t *report, bool is_markdown)
{
	json_t *rows = json_array(), *head = json_array();

	for (size_t i = 0; i < COLUMNS; i++)
		json_array_append_new(head, json_string(heads[i]));
	json_array_append_new(rows, head);
	PL_JSON_EACH(cell, json_object_get(report, "cells")) {
		PL_JSON_EACH(test, json_object_get(cell, "metrics")) {
			json_t *row = json_array();
			char change[WORD_BYTES];
			const char *unit = pl_json_get_text(test, "unit");
			add_label(row, cell, is_markdown);
			json_array_append_new(row, json_sprintf("%s%s%s",
								pl_json_get_text(test, "label"),
								*unit != '\0' ? ", " : "", unit));
			add_number(row, json_object_get(test, "base"));
			add_number(row, json_object_get(test, "candidate"));
			percent(json_object_get(test, "ratio"), change);
			json_array_append_new(row, json_string(change));
			add_interval(row, test);
			json_array_append_new(
				row,
				json_sprintf("%s: %s", state_words(pl_json_get_text(test, "state")),
					     pl_json_get_text(test, "sentence")));
			json_array_append_new(rows, row);
		}
	}
	return rows;
}

static const char *text_at(const json_t *row, size_t i)
{
	return json_string_value(json_array_get(row, i));
}

static void measure(const json_t *rows, size_t widths[COLUMNS])
{
	for (size_t i = 0; i < COLUMNS; i++) {
		widths[i] = 0;
		PL_JSON_EACH(row, rows) {
			size_t columns = pl_width(text_at(row, i), strlen(text_at(row, i)));
			widths[i] = columns > widths[i] ? columns : widths[i];
		}
	}
}

static const char *color_of(const char *state)
{
	if (pl_text_starts(state, "regression"))
		return RED;
	return pl_text_starts(state, "pass") ? GREEN : YELLOW;
}

/* Numbers are aligned to the right. */
static void add_text_row(const size_t widths[COLUMNS], const json_t *row, bool color,
			 struct pl_buf *buf)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		const char *text = text_at(row, i);
		size_t room = widths[i] - pl_width(text, strlen(text));
		bool is_left = i < 2 || i + 1 == COLUMNS, is_last = i + 1 == COLUMNS;
		pl_buf_add_text(buf, "  ");
		if (!is_left)
			pl_buf_addf(buf, "%*s", (int)room, "");
		pl_buf_addf(buf, "%s%s%s", color && is_last ? color_of(text) : "", text,
			    color && is_last ? PLAIN : "");
		if (is_left && !is_last)
			pl_buf_addf(buf, "%*s", (int)room, "");
	}
	pl_buf_add_char(buf, '\n');
}

static void add_markdown_row(const json_t *row, bool is_head, struct pl_buf *buf)
{
	pl_buf_add_char(buf, '|');
	for (size_t i = 0; i < COLUMNS; i++) {
		auto_free char *text = pl_text_replace(text_at(row, i), "|", "\\|");
		pl_buf_addf(buf, " %s |", text);
	}
	pl_buf_add_char(buf, '\n');
	if (!is_head)
		return;
	for (size_t i = 0; i < COLUMNS; i++)
		pl_buf_addf(buf, "|%s", i < 2 || i + 1 == COLUMNS ? "---" : "--:");
	pl_buf_add_text(buf, "|\n");
}

static const char *plural(int64_t count)
{
	return count == 1 ? "" : "s";
}

static size_t count_tests(const json_t *report, const char *state)
{
	size_t count = 0;

	PL_JSON_EACH(cell, json_object_get(report, "cells")) {
		PL_JSON_EACH(test, json_object_get(cell, "metrics"))
			count += state == NULL ||
				 pl_text_equal(pl_json_get_text(test, "state"), state);
	}
	return count;
}

/* "regression: 1 of 3 tests; 8 runs of 'base.yaml', 8 of 'candidate.yaml'" */
static void add_summary(const json_t *report, struct pl_buf *buf)
{
	const char *state = pl_json_get_text(report, "state");
	const json_t *base = json_object_get(report, "base");
	const json_t *candidate = json_object_get(report, "candidate");
	const char *failures = pl_json_get_text(json_object_get(report, "failed_runs"), "sentence");
	size_t tests = count_tests(report, NULL), of_state = count_tests(report, state);

	pl_buf_addf(buf, "%s: ", state_words(state));
	if (failures != NULL)
		pl_buf_addf(buf, "%s; ", failures);
	pl_buf_addf(buf, "%zu of %zu test%s; %lld run%s of '%s', %lld of '%s'", of_state, tests,
		    plural((int64_t)tests), (long long)pl_json_get_i64(base, "runs"),
		    plural(pl_json_get_i64(base, "runs")), pl_json_get_text(base, "name"),
		    (long long)pl_json_get_i64(candidate, "runs"),
		    pl_json_get_text(candidate, "name"));
}

static void add_alone(const json_t *list, const char *text, bool is_markdown, struct pl_buf *buf)
{
	PL_JSON_EACH(cell, list) {
		auto_free char *label = shown(pl_json_get_text(cell, "label"), is_markdown);
		pl_buf_addf(buf, "%s%s: %s", "- ", text, label);
		PL_JSON_EACH(field, json_object_get(cell, "differs")) {
			auto_free char *id = shown(json_string_value(field), is_markdown);
			pl_buf_addf(buf, "%s%s",
				    field_at == 0 ? "; the nearest one differs in " : ", ", id);
		}
		pl_buf_add_char(buf, '\n');
	}
}

static void add_notes(const json_t *report, bool is_markdown, struct pl_buf *buf)
{
	static const char *const sides[] = { "base", "candidate" };

	/* all are skipped, as with pooling requests, which have no tokens */
	if (json_array_size(json_object_get(report, "cells")) > 0 && count_tests(report, NULL) == 0)
		pl_buf_add_text(
			buf,
			"- the baseline has no default metric; select others with --metrics\n");
	add_alone(json_object_get(report, "missing"), "missing in the candidate", is_markdown, buf);
	add_alone(json_object_get(report, "added"), "missing in the baseline", is_markdown, buf);
	for (size_t i = 0; i < PL_ARRAY_SIZE(sides); i++) {
		const json_t *side = json_object_get(report, sides[i]);
		int64_t failed = pl_json_get_i64(side, "failed");
		if (failed > 0)
			pl_buf_addf(buf, "- '%s': %lld run%s did not complete\n",
				    pl_json_get_text(side, "name"), (long long)failed,
				    plural(failed));
		int64_t interrupted = pl_json_get_i64(side, "interrupted");
		if (interrupted > 0)
			pl_buf_addf(buf, "- '%s': %lld interrupted run%s not counted\n",
				    pl_json_get_text(side, "name"), (long long)interrupted,
				    plural(interrupted));
		int64_t copies = pl_json_get_i64(side, "copies");
		if (copies > 0)
			pl_buf_addf(buf, "- '%s': %lld file%s not counted: copies of other runs\n",
				    pl_json_get_text(side, "name"), (long long)copies,
				    plural(copies));
	}
	pl_buf_addf(
		buf,
		"- an unchanged candidate fails with a probability of at most %g %%; one that is "
		"worse by the minimum effect passes a test with at most %g %%\n",
		100 * pl_json_get_f64(report, "alpha"), 100 * pl_json_get_f64(report, "beta"));
}

void res_gate_text(const json_t *report, bool color, struct pl_buf *buf)
{
	auto_json json_t *rows = make_rows(report, false);
	const char *state = pl_json_get_text(report, "state");

	pl_buf_add_text(buf, color ? color_of(state) : "");
	add_summary(report, buf);
	pl_buf_addf(buf, "%s\n\n", color ? PLAIN : "");
	if (json_array_size(rows) > 1) {
		size_t widths[COLUMNS];
		measure(rows, widths);
		PL_JSON_EACH(row, rows)
			add_text_row(widths, row, color && row_at > 0, buf);
		pl_buf_add_char(buf, '\n');
	}
	add_notes(report, false, buf);
}

void res_gate_markdown(const json_t *report, struct pl_buf *buf)
{
	auto_json json_t *rows = make_rows(report, true);

	pl_buf_add_text(buf, RES_GATE_MARKDOWN_HEAD);
	add_summary(report, buf);
	pl_buf_add_text(buf, "\n\n");
	if (json_array_size(rows) > 1) {
		PL_JSON_EACH(row, rows)
			add_markdown_row(row, row_at == 0, buf);
		pl_buf_add_char(buf, '\n');
	}
	add_notes(report, true, buf);
}
