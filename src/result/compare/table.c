/* Both formats use the same tables: lists of rows, each a list of cells with text. */
#include "result/compare/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/text.h"
#include "base/width.h"
#include "result/compare/ratio.h"

#define CELL_COLUMNS    44 /* of an input's value */
#define CELL_BYTES_MAX  (1u << 20)
#define DIGITS          4
#define WORD_BYTES      64
#define UNMATCHED_SHOWN 20 /* configurations of each side */
#define RED             "\033[31m"
#define GREEN           "\033[32m"
#define YELLOW          "\033[33m"
#define BOLD            "\033[1m"
#define FAINT           "\033[2m"
#define PLAIN           "\033[0m"

struct form {
	bool is_markdown;
	bool color;
	struct pl_buf *buf;
};

/* ---- tables -------------------------------------------------------------------------------- */

static void add_cell(json_t *row, const char *text)
{
	json_array_append_new(row, pl_json_text(text));
}

static size_t columns_of(const char *text)
{
	return pl_width(text, strlen(text));
}

static const char *cell_at(const json_t *row, size_t column)
{
	const char *text = json_string_value(json_array_get(row, column));

	return text != NULL ? text : "";
}

/* Returns the width of each column. free(). */
static size_t *measure(const json_t *rows)
{
	size_t count = json_array_size(json_array_get(rows, 0));
	size_t *widths = pl_alloc_array(count + 1, sizeof(*widths));

	PL_JSON_EACH(row, rows) {
		for (size_t i = 0; i < count; i++) {
			size_t columns = columns_of(cell_at(row, i));
			widths[i] = columns > widths[i] ? columns : widths[i];
		}
	}
	return widths;
}

/* Chooses a color by the first word of a cell; the color only repeats it. */
static const char *color_of(const struct form *form, const char *text)
{
	if (!form->color)
		return "";
	if (pl_text_starts(text, "better"))
		return GREEN;
	return pl_text_starts(text, "worse") ? RED : "";
}

static void add_blanks(struct pl_buf *buf, size_t count)
{
	pl_buf_addf(buf, "%*s", (int)count, "");
}

/* Right-aligns the cells from the second one on, as numbers, except the last `left` ones. */
static void add_text_row(const struct form *form, const size_t *widths, const json_t *row,
			 size_t left)
{
	size_t count = json_array_size(row);

	for (size_t i = 0; i < count; i++) {
		const char *text = cell_at(row, i), *color = color_of(form, text);
		size_t room = widths[i] - columns_of(text);
		bool is_left = i == 0 || i + left >= count;
		pl_buf_add_text(form->buf, "  ");
		if (!is_left)
			add_blanks(form->buf, room);
		pl_buf_addf(form->buf, "%s%s%s", color, text, *color != '\0' ? PLAIN : "");
		if (is_left && i + 1 < count)
			add_blanks(form->buf, room);
	}
	pl_buf_add_char(form->buf, '\n');
}

/* The first row is the head. */
static void add_table(const struct form *form, const json_t *rows, size_t left)
{
	auto_free size_t *widths = measure(rows);

	PL_JSON_EACH(row, rows) {
		size_t count = json_array_size(row);
		if (!form->is_markdown) {
			add_text_row(form, widths, row, left);
			continue;
		}
		pl_buf_add_char(form->buf, '|');
		for (size_t i = 0; i < json_array_size(row); i++) {
			auto_free char *text = pl_text_replace(cell_at(row, i), "|", "\\|");
			pl_buf_addf(form->buf, " %s |", text);
		}
		pl_buf_add_char(form->buf, '\n');
		for (size_t i = 0; row_at == 0 && i < count; i++)
			pl_buf_addf(form->buf, "|%s%s", i == 0 || i + left >= count ? "---" : "--:",
				    i + 1 < count ? "" : "|\n");
	}
	if (form->is_markdown)
		pl_buf_add_char(form->buf, '\n');
}

static void add_title(const struct form *form, const char *title)
{
	if (form->is_markdown)
		pl_buf_addf(form->buf, "### %s\n\n", title);
	else
		pl_buf_addf(form->buf, "\n%s%s%s\n", form->color ? BOLD : "", title,
			    form->color ? PLAIN : "");
}

/* ---- words --------------------------------------------------------------------------------- */

struct letter {
	char text[4];
};

static struct letter letter_of(size_t side)
{
	struct letter letter = { { (char)('A' + side), '\0' } };

	return letter;
}

static double number_at(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A value in one line of bounded width. */
static void add_value(struct pl_buf *buf, const json_t *value)
{
	auto_free char *plain = pl_json_to_plain(value);
	auto_free char *line = pl_clean_shown(plain);
	size_t len = pl_width_fit(line, CELL_COLUMNS);

	pl_buf_add(buf, line, len);
	if (line[len] != '\0')
		pl_buf_add_text(buf, "…");
}

static void add_part(struct pl_buf *buf, int64_t count, int64_t runs, const char *text)
{
	if (count == 0)
		return;
	pl_buf_addf(buf, "%s%s", buf->len > 0 ? ", " : "", text);
	if (count < runs)
		pl_buf_addf(buf, " ×%lld", (long long)count);
}

/* "256 ×7, 512 ×3" */
static void add_values(struct pl_buf *buf, const json_t *values, int64_t runs)
{
	const json_t *list = json_object_get(values, "values");
	int64_t left = pl_json_get_i64(values, "distinct") - (int64_t)json_array_size(list);

	PL_JSON_EACH(item, list) {
		auto_buf text = PL_BUF(CELL_BYTES_MAX);
		add_value(&text, json_object_get(item, "value"));
		add_part(buf, pl_json_get_i64(item, "count"), runs, pl_buf_text(&text));
	}
	if (left > 0)
		pl_buf_addf(buf, ", %lld more", (long long)left);
	add_part(buf, pl_json_get_i64(values, "null"), runs, "unset");
	add_part(buf, pl_json_get_i64(values, "not_recorded"), runs, "not recorded");
}

static const json_t *side_at(const json_t *comparison, size_t side)
{
	return json_array_get(json_object_get(comparison, "sides"), side);
}

/* A cell for each side. */
static void add_value_cells(const json_t *comparison, const json_t *sides, json_t *row)
{
	PL_JSON_EACH(values, sides) {
		auto_buf text = PL_BUF(CELL_BYTES_MAX);
		add_values(&text, values, pl_json_get_i64(side_at(comparison, values_at), "runs"));
		add_cell(row, pl_buf_text(&text));
	}
}

static json_t *head_of(const json_t *comparison, const char *first)
{
	json_t *row = json_array();

	add_cell(row, first);
	for (size_t i = 0; i < json_array_size(json_object_get(comparison, "sides")); i++)
		add_cell(row, letter_of(i).text);
	return row;
}

/* ---- parts --------------------------------------------------------------------------------- */

/* "SIMULATED", of some of them "2 SIMULATED" */
static void add_mark(const struct form *form, int64_t count, int64_t runs, const char *mark)
{
	if (count == 0)
		return;
	pl_buf_addf(form->buf, ", %s", form->color ? YELLOW : "");
	if (count < runs)
		pl_buf_addf(form->buf, "%lld ", (long long)count);
	pl_buf_addf(form->buf, "%s%s", mark, form->color ? PLAIN : "");
}

static void add_not_reported(const struct form *form, const json_t *comparison)
{
	const json_t *kinds = json_object_get(comparison, "unknown");

	if (json_array_size(kinds) == 0)
		return;
	pl_buf_add_text(form->buf, form->is_markdown ? "- **not recorded by some runs**: "
						     : "  not recorded by some runs: ");
	PL_JSON_EACH(kind, kinds)
		pl_buf_addf(form->buf, "%s%s", kind_at > 0 ? ", " : "",
			    pl_json_get_text(kind, "title"));
	pl_buf_add_char(form->buf, '\n');
}

static void add_cautions(const struct form *form, const json_t *comparison)
{
	const json_t *cautions = json_object_get(comparison, "cautions");
	auto_json json_t *rows = json_array();

	if (json_array_size(cautions) + json_array_size(json_object_get(comparison, "unknown")) ==
	    0)
		return;
	add_title(form, "Cautions");
	PL_JSON_EACH(caution, cautions) {
		pl_buf_addf(form->buf, form->is_markdown ? "- **%s**: %s\n" : "  %s: %s\n",
			    pl_json_get_text(caution, "title"), pl_json_get_text(caution, "text"));
	}
	add_not_reported(form, comparison);
	pl_buf_add_char(form->buf, '\n');
	json_array_append_new(rows, head_of(comparison, "field"));
	PL_JSON_EACH(kind, cautions) {
		PL_JSON_EACH(field, json_object_get(kind, "fields")) {
			json_t *row = json_array();
			add_cell(row, pl_json_get_text(field, "field"));
			add_value_cells(comparison, json_object_get(field, "sides"), row);
			json_array_append_new(rows, row);
		}
	}
	if (json_array_size(rows) > 1)
		add_table(form, rows, json_array_size(json_array_get(rows, 0)));
}

static void add_inputs(const struct form *form, const json_t *comparison)
{
	const json_t *inputs = json_object_get(comparison, "inputs");
	const json_t *differing = json_object_get(inputs, "differing");
	size_t count = json_array_size(differing);
	auto_json json_t *rows = json_array();
	auto_buf title = PL_BUF(256);

	pl_buf_addf(&title, "Different: %zu input%s (%lld equal, %lld not recorded by some runs)",
		    count, count == 1 ? "" : "s", (long long)pl_json_get_i64(inputs, "equal"),
		    (long long)pl_json_get_i64(inputs, "partly_recorded"));
	add_title(form, pl_buf_text(&title));
	if (count == 0)
		return;
	json_array_append_new(rows, head_of(comparison, "input"));
	PL_JSON_EACH(input, differing) {
		json_t *row = json_array();
		add_cell(row, pl_json_get_text(input, "field"));
		add_value_cells(comparison, json_object_get(input, "sides"), row);
		json_array_append_new(rows, row);
	}
	add_table(form, rows, json_array_size(json_array_get(rows, 0)));
}

static void add_equal(const struct form *form, const json_t *comparison)
{
	const json_t *equal = pl_json_get_path(comparison, "inputs.equal_fields");
	auto_json json_t *rows = json_array();

	if (json_array_size(equal) == 0)
		return;
	add_title(form, "Equal");
	json_array_append_new(rows, json_pack("[s, s]", "input", "all"));
	PL_JSON_EACH(field, equal) {
		auto_buf text = PL_BUF(CELL_BYTES_MAX);
		add_value(&text, json_object_get(field, "value"));
		json_array_append_new(rows, json_pack("[s, s]", pl_json_get_text(field, "field"),
						      pl_buf_text(&text)));
	}
	add_table(form, rows, 1);
}

/* ---- figures ------------------------------------------------------------------------------- */

static void add_figure_name(const json_t *metric, struct pl_buf *buf)
{
	const char *id = pl_json_get_text(metric, "field"),
		   *unit = pl_json_get_text(metric, "unit");
	const char *direction = pl_json_get_text(metric, "direction");
	static const char results[] = "results.";

	if (pl_text_starts(id, results))
		id += strlen(results);
	pl_buf_add_text(buf, id);
	/* most keys end with their unit */
	auto_free char *end = pl_asprintf("_%s", unit);
	if (*unit != '\0' && !pl_text_ends(id, end))
		pl_buf_addf(buf, " [%s]", unit);
	pl_buf_add_text(buf, pl_text_equal(direction, "higher")  ? " ↑"
			     : pl_text_equal(direction, "lower") ? " ↓"
								 : "");
}

static void add_figure_cell(const json_t *side, int64_t runs, json_t *row)
{
	auto_buf text = PL_BUF(256);
	int64_t n = pl_json_get_i64(side, "n");

	/* Shows four digits, without an exponent if possible. */
	double number = number_at(side, "value");
	double size = fabs(number);
	int whole = size >= 1 ? (int)floor(log10(size)) + 1 : 1;
	if (isnan(number))
		pl_buf_add_text(&text, "–");
	else if (size > 0 && (size < 1e-3 || size >= 1e12))
		pl_buf_addf(&text, "%.3e", number);
	else if (size < 1)
		pl_buf_addf(&text, "%.4g", number);
	else
		pl_buf_addf(&text, "%.*f", whole < DIGITS ? DIGITS - whole : 0, number);
	if (n > 0 && n < runs)
		pl_buf_addf(&text, " (n %lld)", (long long)n);
	add_cell(row, pl_buf_text(&text));
}

static json_t *figure_row(const json_t *comparison, const json_t *metric, size_t side,
			  bool with_more_runs)
{
	const json_t *sides = json_object_get(metric, "sides");
	const json_t *ratio = json_array_get(json_object_get(metric, "ratios"), side - 1);
	auto_buf name = PL_BUF(CELL_BYTES_MAX);
	json_t *row = json_array();

	add_figure_name(metric, &name);
	add_cell(row, pl_buf_text(&name));
	for (size_t i = 0; i <= side; i += side)
		add_figure_cell(json_array_get(sides, i),
				pl_json_get_i64(side_at(comparison, i), "runs"), row);
	if (with_more_runs) {
		/* "+53", "enough" */
		auto_buf text = PL_BUF(WORD_BYTES);
		double more = number_at(ratio, "more_runs_count");
		if (isnan(more))
			pl_buf_add_text(&text, "–");
		else if (more > 0)
			pl_buf_addf(&text, "+%.0f", more);
		else
			pl_buf_add_text(&text, "enough");
		add_cell(row, pl_buf_text(&text));
	}
	/* Adds the sentence without the number of missing runs, which has its own column. */
	const char *words = pl_json_get_text(ratio, "sentence");
	auto_free char *first = pl_strndup(words, strcspn(words, ";"));
	add_cell(row, first);
	return row;
}

/* Returns whether the variation between runs is known. */
static bool has_more_runs(const json_t *comparison, size_t side)
{
	PL_JSON_EACH(metric, json_object_get(comparison, "metrics")) {
		const json_t *ratio = json_array_get(json_object_get(metric, "ratios"), side - 1);
		if (!isnan(number_at(ratio, "more_runs_count")))
			return true;
	}
	return false;
}

/* ---- matched configurations ------------------------------------------------------------------ */

static void add_p(json_t *row, const json_t *p)
{
	char text[WORD_BYTES] = "–";

	if (json_is_number(p) && json_number_value(p) < 0.0001)
		snprintf(text, sizeof(text), "< 0.0001");
	else if (json_is_number(p))
		snprintf(text, sizeof(text), "%.4f", json_number_value(p));
	add_cell(row, text);
}

/* "better: -3.1 % (-4.0 % to -2.2 %)" */
static void add_difference(json_t *row, const json_t *metric)
{
	const char *finding = pl_json_get_text(metric, "finding");
	auto_free char *words = pl_text_replace(finding, "_", " ");
	double ratio = number_at(metric, "ratio"), low = number_at(metric, "low");
	double high = number_at(metric, "high");
	auto_buf text = PL_BUF(256);

	pl_buf_add_text(&text, words);
	if (pl_json_get_i64(metric, "count") > 0)
		pl_buf_addf(&text, ": %+.1f %%", 100 * (ratio - 1));
	if (!isnan(low) && !isnan(high))
		pl_buf_addf(&text, " (%+.1f %% to %+.1f %%)", 100 * (low - 1), 100 * (high - 1));
	add_cell(row, pl_buf_text(&text));
}

static json_t *release_row(const json_t *metric)
{
	auto_buf name = PL_BUF(CELL_BYTES_MAX);
	json_t *row = json_array();

	add_figure_name(metric, &name);
	add_cell(row, pl_buf_text(&name));
	json_array_append_new(row,
			      json_sprintf("%lld", (long long)pl_json_get_i64(metric, "count")));
	json_array_append_new(row,
			      json_sprintf("%lld", (long long)pl_json_get_i64(metric, "faster")));
	json_array_append_new(row,
			      json_sprintf("%lld", (long long)pl_json_get_i64(metric, "slower")));
	add_p(row, pl_json_get_path(metric, "signed_rank.p"));
	add_p(row, json_object_get(metric, "sign_p"));
	add_difference(row, metric);
	return row;
}

/* Adds a text from results; in Markdown as code: neither HTML nor the mention of a user. */
static void add_shown(const struct form *form, const char *text)
{
	auto_free char *clean = pl_clean_shown(text);
	auto_free char *plain = pl_text_replace(clean, "`", "'");

	if (form->is_markdown)
		pl_buf_addf(form->buf, "`%s`", plain);
	else
		pl_buf_add_text(form->buf, clean);
}

static void add_unmatched(const struct form *form, const json_t *unmatched, const char *side,
			  const char *letter)
{
	const char *start = form->is_markdown ? "- " : "  ";
	const json_t *list = json_object_get(unmatched, side);

	PL_JSON_EACH(cell, list) {
		if (cell_at >= UNMATCHED_SHOWN)
			break;
		pl_buf_addf(form->buf, "%sonly in %s: ", start, letter);
		add_shown(form, pl_json_get_text(cell, "label"));
		PL_JSON_EACH(field, json_object_get(cell, "differs")) {
			pl_buf_add_text(form->buf,
					field_at == 0 ? "; the nearest one differs in " : ", ");
			add_shown(form, json_string_value(field));
		}
		pl_buf_add_char(form->buf, '\n');
	}
	if (json_array_size(list) > UNMATCHED_SHOWN)
		pl_buf_addf(form->buf, "%sonly in %s: %zu more\n", start, letter,
			    json_array_size(list) - UNMATCHED_SHOWN);
}

/* "not compared: 3 simulated results, 1 copy of a run" */
static void add_excluded(const struct form *form, const json_t *excluded)
{
	long long simulated = (long long)pl_json_get_i64(excluded, "simulated");
	long long copies = (long long)pl_json_get_i64(excluded, "copies");

	if (simulated == 0 && copies == 0)
		return;
	pl_buf_add_text(form->buf, form->is_markdown ? "- not compared: " : "  not compared: ");
	if (simulated > 0)
		pl_buf_addf(form->buf, "%lld simulated result%s", simulated,
			    simulated == 1 ? "" : "s");
	if (copies > 0)
		pl_buf_addf(form->buf, "%s%lld %s of a run", simulated > 0 ? ", " : "", copies,
			    copies == 1 ? "copy" : "copies");
	pl_buf_add_char(form->buf, '\n');
}

/* The summary over matched configurations, if the sides have several. */
static void add_releases(const struct form *form, const json_t *releases)
{
	const json_t *unmatched = json_object_get(releases, "unmatched");
	size_t matched = json_array_size(json_object_get(releases, "cells"));
	auto_json json_t *rows = json_array();
	char title[2 * WORD_BYTES];

	if (releases == NULL)
		return;
	snprintf(title, sizeof(title),
		 "Over %zu matched configuration%s (only in A: %lld, only in B: %lld)", matched,
		 matched == 1 ? "" : "s", (long long)pl_json_get_i64(unmatched, "a_count"),
		 (long long)pl_json_get_i64(unmatched, "b_count"));
	add_title(form, title);
	json_array_append_new(rows, json_pack("[s, s, s, s, s, s, s]", "metric", "configurations",
					      "B better", "B worse", "Wilcoxon p", "sign p",
					      "B compared with A"));
	PL_JSON_EACH(metric, json_object_get(releases, "metrics"))
		json_array_append_new(rows, release_row(metric));
	if (matched > 0)
		add_table(form, rows, 1);
	if (form->is_markdown)
		pl_buf_add_char(form->buf, '\n');
	add_unmatched(form, unmatched, "a", "A");
	add_unmatched(form, unmatched, "b", "B");
	add_excluded(form, json_object_get(releases, "excluded"));
}

/* ---- what it means ------------------------------------------------------------------------- */

static bool has_how(const json_t *comparison, const char *how)
{
	PL_JSON_EACH(metric, json_object_get(comparison, "metrics")) {
		PL_JSON_EACH(ratio, json_object_get(metric, "ratios")) {
			if (pl_text_equal(pl_json_get_text(ratio, "method"), how))
				return true;
		}
	}
	return false;
}

static void add_note(const struct form *form, const char *note)
{
	pl_buf_addf(form->buf, "%s%s%s\n%s", form->color ? FAINT : "", note,
		    form->color ? PLAIN : "", form->is_markdown ? "\n" : "");
}

static void add_notes(const struct form *form, const json_t *comparison)
{
	bool has_groups = has_how(comparison, res_ratio_how_name(RES_RATIO_BOOTSTRAP)) ||
			  has_how(comparison, res_ratio_how_name(RES_RATIO_STUDENT));
	bool has_one_of_many = has_how(comparison, res_ratio_how_name(RES_RATIO_ONE_OF_MANY));

	pl_buf_add_char(form->buf, '\n');
	add_note(form,
		 "In parentheses: the 95 % confidence interval of the difference, as a share of "
		 "A. ↑ higher is better, ↓ lower is better.");
	size_t single = 0;
	PL_JSON_EACH(side, json_object_get(comparison, "sides"))
		single += pl_json_get_i64(side, "runs") == 1;
	if (single > 1)
		add_note(form, "With one run per side, the interval covers the variation within "
			       "the runs, not between runs.\nTo measure run-to-run variation, "
			       "compare directories of repeated runs.");
	if (has_one_of_many)
		add_note(form,
			 "For a single run, the variation between runs of the group is assumed.");
	if (has_groups)
		add_note(form, "For groups, the interval covers the variation between runs.");
	if (has_groups || has_one_of_many)
		add_note(form,
			 "runs for …: additional runs that each side needs to detect a difference "
			 "of that size in 4 of 5 comparisons.");
}

static void add_all(const struct form *form, const json_t *comparison)
{
	size_t count = json_array_size(json_object_get(comparison, "sides"));

	PL_JSON_EACH(side, json_object_get(comparison, "sides")) {
		size_t at = side_at;
		auto_free char *name = pl_clean_shown(pl_json_get_text(side, "name"));
		int64_t runs = pl_json_get_i64(side, "runs");
		pl_buf_addf(form->buf,
			    form->is_markdown ? "- **%s** %s, %lld run%s" : "%s  %s, %lld run%s",
			    letter_of(at).text, name, (long long)runs, runs == 1 ? "" : "s");
		add_mark(form, pl_json_get_i64(side, "simulated"), runs, "SIMULATED");
		add_mark(form, pl_json_get_i64(side, "untrusted"), runs, "not trusted");
		add_mark(form, pl_json_get_i64(side, "not_completed"), runs, "not completed");
		pl_buf_add_char(form->buf, '\n');
	}
	if (form->is_markdown)
		pl_buf_add_char(form->buf, '\n');
	add_cautions(form, comparison);
	add_inputs(form, comparison);
	add_equal(form, comparison);
	for (size_t i = 1; i < count; i++) {
		auto_json json_t *rows = json_array();
		bool with_more_runs = has_more_runs(comparison, i);
		json_t *head = json_pack("[s, s, s]", "metric", "A", letter_of(i).text);
		char title[WORD_BYTES], more[WORD_BYTES];
		snprintf(title, sizeof(title), "%s compared with A", letter_of(i).text);
		snprintf(more, sizeof(more), "runs for %.4g %%",
			 100 * number_at(comparison, "effect"));
		add_title(form, title);
		if (with_more_runs)
			add_cell(head, more);
		add_cell(head, title);
		json_array_append_new(rows, head);
		PL_JSON_EACH(metric, json_object_get(comparison, "metrics"))
			json_array_append_new(rows,
					      figure_row(comparison, metric, i, with_more_runs));
		if (json_array_size(rows) > 1)
			add_table(form, rows, 1);
		else
			pl_buf_add_text(form->buf, "  no side has a metric\n");
	}
	add_notes(form, comparison);
	add_releases(form, json_object_get(comparison, "releases"));
}

void res_compare_text(const json_t *comparison, bool color, struct pl_buf *buf)
{
	add_all(&(struct form){ .color = color, .buf = buf }, comparison);
}

void res_compare_markdown(const json_t *comparison, struct pl_buf *buf)
{
	add_all(&(struct form){ .is_markdown = true, .buf = buf }, comparison);
}
