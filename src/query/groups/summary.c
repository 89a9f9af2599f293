#include "query/groups/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/stats.h"
#include "base/student.h"
#include "mirror/kernels/kernels.h"
#include "query/filter.h"
#include "query/groups/cells_priv.h"
#include "query/groups/compared_priv.h"
#include "query/groups/group_priv.h"
#include "query/groups/matching_priv.h"
#include "query/out_priv.h"
#include "query/request_priv.h"
#include "result/compare/compare.h"
#include "tbl/request_bounds.h"

#define SURE 0.05

/* The values of one metric in the rows of one group. */
struct part {
	double *numbers; /* finite, in the order of the rows */
	size_t count;
	size_t null;
	size_t not_recorded;
	size_t infinite;
	size_t words;
};

struct summary {
	struct mirror_view *view;
	struct query_pointer pointer;
	struct mirror_ids ids;
	struct query_filter *filter;
	struct request_fields by;
	struct request_fields metrics;
	bool are_headline; /* the request names no metrics */
	json_int_t limit;
	json_int_t budget_ms; /* 0: none */
	int64_t began_ns;

	bool with_simulated;
	size_t simulated;
	size_t left_out;
	bool asks_match;
	json_t *matched; /* NULL: no cells were matched */
	uint64_t *rows;
	struct groups groups;
	struct cell *cells;
	double *numbers;
	struct part *parts;   /* of each group and metric so far */
	size_t made;          /* number of metrics */
	struct pl_buf *texts; /* of each group: its metrics so far */
};

static void summary_done(struct summary *summary)
{
	for (size_t i = 0; summary->texts != NULL && i < summary->groups.count; i++)
		pl_buf_done(&summary->texts[i]);
	free(summary->texts);
	free(summary->parts);
	free(summary->numbers);
	free(summary->cells);
	query_groups_done(&summary->groups);
	json_decref(summary->matched);
	free(summary->rows);
	query_filter_free(summary->filter);
	mirror_view_free(summary->view);
	query_pointer_done(&summary->pointer);
	free(summary->ids.items);
	free(summary->by.items);
	free(summary->metrics.items);
}
#define auto_summary __attribute__((cleanup(summary_done), unused)) struct summary

/* ---- the request --------------------------------------------------------------------------------- */

static bool read_list(struct summary *summary, const json_t *request, const char *key,
		      struct request_fields *ret)
{
	bool fits = query_request_columns(&summary->pointer, summary->view, request, key, ret);

	/* A list may name a field twice. */
	size_t retained = 0;
	for (size_t i = 0; i < ret->count; i++) {
		size_t k = 0;
		while (k < retained && ret->items[k] != ret->items[i])
			k++;
		if (k == retained)
			ret->items[retained++] = ret->items[i];
	}
	ret->count = retained;
	return fits;
}

/* Selects the metrics for a request without `metrics`. */
static void take_headline(struct summary *summary)
{
	const struct res_field *fields[RES_COMPARE_HEADLINE_MAX];
	struct request_fields *metrics = &summary->metrics;
	size_t count = res_compare_headline(mirror_view_fields(summary->view), fields);

	summary->are_headline = true;
	metrics->items = pl_alloc_array(count, sizeof(*metrics->items));
	for (size_t i = 0; i < count; i++) {
		const struct mirror_column *column = mirror_view_column(summary->view,
									fields[i]->id);
		if (column != NULL)
			metrics->items[metrics->count++] = column;
	}
}

/* ---- groups ------------------------------------------------------------------------------------- */

static bool is_reported(const struct summary *summary, size_t row)
{
	for (size_t i = 0; i < summary->by.count; i++) {
		if (mirror_column_at(summary->by.items[i], row).class == MIRROR_MISSING)
			return false;
	}
	return true;
}

static int match(struct summary *summary, struct pl_err *err)
{
	struct matching matching = { 0 };
	struct groups groups = { 0 };
	uint32_t count = 0;

	query_groups_of(summary->view, summary->by.items, summary->by.count, summary->rows,
			BOUND_GROUPS_MAX, &groups);
	auto_free uint32_t *named = pl_alloc_array(groups.count + 1, sizeof(*named));
	for (size_t i = 0; i < groups.count; i++)
		named[i] = is_reported(summary, groups.row[i]) ? count++ : UINT32_MAX;
	named[groups.count] = UINT32_MAX;
	for (size_t i = 0; i < groups.row_count; i++)
		groups.of_row[i] = named[groups.of_row[i]];
	size_t before = groups.row_count, words = mirror_view_words(summary->view);
	int result = groups.more > 0
			     ? 0
			     : query_matching_keep_groups(summary->view, summary->rows,
							  groups.of_row, count, &matching, err);
	summary->matched = query_matching_json(&matching);
	if (summary->matched != NULL)
		json_object_set_new(
			summary->matched, "unmatched",
			json_integer((json_int_t)(before -
						  mirror_kernels()->count(summary->rows, words))));
	query_groups_done(&groups);
	return result;
}

static void drop_simulated(struct summary *summary)
{
	const struct mirror_kernels *kernels = mirror_kernels();
	size_t words = mirror_view_words(summary->view);
	auto_free uint64_t *simulated = pl_alloc_array(words, sizeof(*simulated));

	query_compared_simulated(summary->view, simulated);
	summary->simulated = kernels->count_and(summary->rows, simulated, words);
	if (summary->with_simulated || summary->simulated == kernels->count(summary->rows, words))
		return;
	kernels->and_not(summary->rows, summary->rows, simulated, words);
	summary->left_out = summary->simulated;
}

/* ---- numbers ------------------------------------------------------------------------------------- */

static void count_cell(struct part *part, const struct cell *cell)
{
	if (cell->class == MIRROR_MISSING)
		part->not_recorded++;
	else if (cell->class == MIRROR_NULL)
		part->null++;
	else if (cell->class != MIRROR_NUMBER)
		part->words++;
	else if (isinf(cell->number))
		part->infinite++;
	else
		part->count++;
}

static bool is_finite(const struct cell *cell)
{
	return cell->class == MIRROR_NUMBER && isfinite(cell->number);
}

/* The numbers of each group are consecutive. */
static void part_numbers(struct summary *summary, const struct mirror_column *column)
{
	struct groups *groups = &summary->groups;
	size_t at = 0;

	query_cells_read(summary->view, column, summary->rows, summary->cells);
	for (size_t i = 0; i < groups->count; i++)
		summary->parts[i] = (struct part){ 0 };
	for (size_t i = 0; i < groups->row_count; i++) {
		if (groups->of_row[i] < groups->count)
			count_cell(&summary->parts[groups->of_row[i]], &summary->cells[i]);
	}
	for (size_t i = 0; i < groups->count; i++) {
		summary->parts[i].numbers = summary->numbers + at;
		at += summary->parts[i].count;
		summary->parts[i].count = 0;
	}
	for (size_t i = 0; i < groups->row_count; i++) {
		if (groups->of_row[i] == groups->count || !is_finite(&summary->cells[i]))
			continue;
		struct part *part = &summary->parts[groups->of_row[i]];
		part->numbers[part->count++] = summary->cells[i].number;
	}
}

static void out_number(struct pl_buf *out, const char *key, double number)
{
	query_out_key(out, key);
	query_out_f64(out, number);
}

/* Sorts its numbers. */
static void write_part(const struct part *part, struct pl_buf *out)
{
	static const struct {
		const char *key;
		double percent;
	} positions[] = { { "min", 0 },  { "p5", 5 },   { "p25", 25 }, { "p50", 50 },
			  { "p75", 75 }, { "p95", 95 }, { "max", 100 } };
	double n = (double)part->count, mean = pl_stats_mean(part->numbers, part->count);
	double std = NAN, half = NAN;

	if (part->count > 1) {
		std = pl_stats_std(part->numbers, part->count) * sqrt(n / (n - 1));
		half = pl_student_t(SURE, n - 1) * std / sqrt(n);
	}
	pl_stats_sort(part->numbers, part->count);
	pl_buf_add_text(out, "{\"n\":");
	query_out_i64(out, (int64_t)part->count);
	out_number(out, "mean", mean);
	out_number(out, "std", std);
	for (size_t i = 0; i < PL_ARRAY_SIZE(positions); i++)
		out_number(out, positions[i].key,
			   pl_stats_percentile_sorted(part->numbers, part->count,
						      positions[i].percent));
	out_number(out, "low", mean - half);
	out_number(out, "high", mean + half);
	out_count(out, "null", part->null);
	out_count(out, "not_recorded", part->not_recorded);
	out_count(out, "infinite", part->infinite);
	out_count(out, "words", part->words);
	pl_buf_add_char(out, '}');
}

/* ---- the response -------------------------------------------------------------------------------- */

static bool is_in_time(const struct summary *summary)
{
	int64_t used_ns = pl_clock_now_ns() - summary->began_ns;

	return summary->made == 0 ||
	       (mirror_view_has_time(summary->view) &&
		(summary->budget_ms == 0 || used_ns < summary->budget_ms * PL_NS_PER_MS));
}

static bool has_number(const struct summary *summary)
{
	for (size_t i = 0; i < summary->groups.count; i++) {
		if (summary->parts[i].count > 0)
			return true;
	}
	return false;
}

/* Computes metric by metric into the texts of the groups, while there is time. */
static int make_metrics(struct summary *summary, size_t max, struct pl_err *err)
{
	struct groups *groups = &summary->groups;

	summary->cells = pl_alloc_array(groups->row_count, sizeof(*summary->cells));
	summary->numbers = pl_alloc_array(groups->row_count, sizeof(*summary->numbers));
	summary->parts = pl_alloc_array(groups->count, sizeof(*summary->parts));
	summary->texts = pl_alloc_array(groups->count, sizeof(*summary->texts));
	for (size_t i = 0; i < groups->count; i++)
		pl_buf_init(&summary->texts[i], max);
	for (; summary->made < summary->metrics.count && is_in_time(summary); summary->made++) {
		const struct mirror_column *column = summary->metrics.items[summary->made];
		if (mirror_view_goes_on(summary->view, err) < 0)
			return -1;
		part_numbers(summary, column);
		if (summary->are_headline && !has_number(summary))
			continue;
		for (size_t i = 0; i < groups->count; i++) {
			query_out_key(&summary->texts[i], column->field->id);
			write_part(&summary->parts[i], &summary->texts[i]);
		}
	}
	return 0;
}

static void write_key(const struct summary *summary, size_t group, struct pl_buf *out)
{
	query_out_key(out, "key");
	pl_buf_add_char(out, '{');
	for (size_t i = 0; i < summary->by.count; i++) {
		const struct mirror_column *column = summary->by.items[i];
		struct mirror_value value = mirror_column_at(column, summary->groups.row[group]);
		if (value.class == MIRROR_MISSING)
			continue;
		query_out_key(out, column->field->id);
		query_out_value(out, &value);
	}
	pl_buf_add_char(out, '}');
}

static int write_answer(const struct summary *summary, const struct mirror_snapshot *snapshot,
			struct pl_buf *out, struct pl_err *err)
{
	pl_buf_add_char(out, '{');
	out_count(out, "count", summary->groups.row_count);
	out_count(out, "total", mirror_view_count(summary->view));
	out_count(out, "simulated", summary->simulated);
	out_count(out, "excluded", summary->left_out);
	query_out_key(out, "matched");
	if (summary->matched == NULL)
		pl_buf_add_text(out, "null");
	else
		pl_json_write(summary->matched, PL_JSON_COMPACT, out);
	query_out_key(out, "groups");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < summary->groups.count; i++) {
		query_out_next(out);
		pl_buf_add_char(out, '{');
		write_key(summary, i, out);
		out_count(out, "count", summary->groups.rows[i]);
		query_out_key(out, "metrics");
		pl_buf_add_char(out, '{');
		pl_buf_add_text(out, pl_buf_text(&summary->texts[i]));
		pl_buf_add_text(out, "}}");
		out->full = out->full || summary->texts[i].full;
	}
	pl_buf_add_char(out, ']');
	out_count(out, "more_count", summary->groups.more);
	query_out_key(out, "incomplete");
	pl_buf_add_char(out, '[');
	for (size_t i = summary->made; i < summary->metrics.count; i++) {
		query_out_next(out);
		query_out_text(out, summary->metrics.items[i]->field->id);
	}
	pl_buf_add_char(out, ']');
	return query_out_end(out, mirror_snapshot_version(snapshot), "; request fewer metrics",
			     err);
}

int query_summary(const struct mirror_snapshot *snapshot, const json_t *request,
		  struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err)
{
	auto_summary summary = { .pointer = { .pointer = PL_BUF(POINTER_BYTES_MAX),
					      .faults = faults },
				 .began_ns = pl_clock_now_ns() };

	query_filter_fields(query_request_member(request, "filter"), &summary.ids);
	query_request_ids(query_request_member(request, "group_by"), &summary.ids);
	query_request_ids(query_request_member(request, "metrics"), &summary.ids);
	if (mirror_view_new(snapshot, &summary.ids, &summary.view, err) < 0)
		return -1;
	bool fits = query_filter_new(summary.view, query_request_member(request, "filter"),
				     "/filter", &summary.filter, summary.pointer.faults) == 0;
	fits = read_list(&summary, request, "group_by", &summary.by) && fits;
	if (query_request_member(request, "metrics") == NULL)
		take_headline(&summary);
	else
		fits = read_list(&summary, request, "metrics", &summary.metrics) && fits;
	summary.limit = query_request_number(request, "limit", BOUND_GROUPS_DEFAULT);
	summary.with_simulated = json_is_true(json_object_get(request, "simulated"));
	summary.asks_match = json_is_true(json_object_get(request, "match"));
	summary.budget_ms = query_request_number(request, "budget_ms", 0);
	if (!fits)
		return query_request_refuse(&summary.pointer, err);
	size_t bytes = mirror_view_words(summary.view) * sizeof(*summary.rows);
	summary.rows = pl_alloc(bytes);
	memcpy(summary.rows, query_filter_rows(summary.filter), bytes);
	if (mirror_view_goes_on(summary.view, err) < 0)
		return -1;
	drop_simulated(&summary);
	if (summary.asks_match && summary.by.count > 0 && match(&summary, err) < 0)
		return -1;
	query_groups_of(summary.view, summary.by.items, summary.by.count, summary.rows,
			(size_t)summary.limit, &summary.groups);
	if (mirror_view_settle(summary.view, err) < 0 ||
	    make_metrics(&summary, ret_json->max, err) < 0)
		return -1;
	return write_answer(&summary, snapshot, ret_json, err);
}
