/* A facet of a field, from a tally of its column. Only the values shown are sorted. */
#include "query/facets/facet_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "query/facets/histogram.h"
#include "query/facets/tally_priv.h"
#include "query/option.h"
#include "query/out_priv.h"
#include "query/query.h"
#include "tbl/request_bounds.h"

#define ALL_SHOWN_MAX   30 /* up to this number, all values are shown */
#define HISTOGRAM_ABOVE 12 /* distinct numbers */

struct facet_scratch {
	struct tally tally;
};

struct facet_scratch *query_facet_scratch_new(void)
{
	return pl_alloc(sizeof(struct facet_scratch));
}

void query_facet_scratch_free(struct facet_scratch *scratch)
{
	if (scratch == NULL)
		return;
	query_tally_done(&scratch->tally);
	free(scratch);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void keep_found(struct tally *tally, const struct query_needle *needle)
{
	size_t count = 0;

	for (size_t i = 0; needle != NULL && i < tally->value_count; i++) {
		const struct mirror_value *value = &tally->values[i].value;
		char number[PL_F64_TEXT_BYTES];
		const char *text = value->class == MIRROR_NO ? "false" : "true";
		if (value->class >= MIRROR_TEXT) {
			text = value->text;
		} else if (value->class == MIRROR_NUMBER) {
			pl_text_from_f64(value->number, number);
			if (pl_text_ends(number, ".0"))
				number[strlen(number) - 2] = '\0';
			text = number;
		}
		if (query_needle_is_in(needle, text))
			tally->values[count++] = tally->values[i];
	}
	if (needle != NULL)
		tally->value_count = count;
}

static void write_values(const struct tally *tally, size_t from, size_t to, struct pl_buf *out)
{
	out_literal(out, "[");
	for (size_t i = from; i < to; i++) {
		if (i == from)
			out_literal(out, "{\"value\":");
		else
			out_literal(out, "},{\"value\":");
		query_out_value(out, &tally->values[i].value);
		out_literal(out, ",\"count\":");
		query_out_i64(out, (int64_t)tally->values[i].count);
	}
	if (from < to)
		out_literal(out, "}");
	out_literal(out, "]");
}

/* Shows some of `distinct` values; the list contains all that could be shown. Returns the number of omitted ones. */
static size_t show_values(struct tally *tally, const struct mirror_column *column, size_t distinct,
			  size_t limit, const struct query_needle *needle, struct pl_buf *out)
{
	bool all = distinct <= ALL_SHOWN_MAX;

	keep_found(tally, needle);
	size_t count = needle != NULL ? tally->value_count : distinct;
	size_t first = all || count < limit ? count : limit;
	query_tally_put_first(tally, column, first, all ? TALLY_BY_VALUE : TALLY_BY_COUNT);
	write_values(tally, 0, first, out);
	return count - first;
}

/* ---- numbers and times ----------------------------------------------------------------------- */

struct spread {
	double least, most;
	struct query_histogram histogram; /* no bins: there are few numbers */
};

static size_t infinite_count(const struct query_rising *rising)
{
	if (rising->count == 0)
		return 0;
	return (isinf(rising->numbers[0]) != 0) +
	       (rising->count > 1 && isinf(rising->numbers[rising->count - 1]));
}

/* Covers all numbers. Moves the infinite ones of the list, at most two, to its end. */
static void find_spread(struct tally *tally, struct spread *ret)
{
	struct query_counted *counted = tally->counted;
	const struct query_rising *all = &tally->rising;
	/* Removes the infinite numbers at both ends; both ends of the rest have counts above 0. */
	struct query_rising rising = *all;
	while (rising.count > 0 && (rising.counts[0] == 0 || isinf(rising.numbers[0]))) {
		rising.numbers++;
		rising.counts++;
		rising.count--;
	}
	while (rising.count > 0 &&
	       (rising.counts[rising.count - 1] == 0 || isinf(rising.numbers[rising.count - 1])))
		rising.count--;
	double least = all->count > 0 ? all->numbers[0] : INFINITY;
	double most = all->count > 0 ? all->numbers[all->count - 1] : -INFINITY;
	size_t finite = tally->counted_count;

	for (size_t i = 0; i < tally->counted_count; i++) {
		least = counted[i].number < least ? counted[i].number : least;
		most = counted[i].number > most ? counted[i].number : most;
	}
	for (size_t i = finite; (isinf(least) || isinf(most)) && i-- > 0;) {
		struct query_counted retained = counted[i];
		if (isfinite(retained.number))
			continue;
		counted[i] = counted[--finite];
		counted[finite] = retained;
	}
	ret->least = least;
	ret->most = most;
	ret->histogram.bins = 0;
	if (finite + tally->rising_distinct - infinite_count(all) > HISTOGRAM_ABOVE)
		query_histogram(counted, finite, &rising, &ret->histogram);
}

static void write_spread(const struct spread *spread, struct pl_buf *out)
{
	query_out_key(out, "min");
	query_out_f64(out, spread->least);
	query_out_key(out, "max");
	query_out_f64(out, spread->most);
	if (spread->histogram.bins > 0) {
		query_out_key(out, "histogram");
		pl_buf_add_text(out, "{\"edges\":[");
		for (size_t i = 0; i <= spread->histogram.bins; i++) {
			query_out_next(out);
			query_out_f64(out, spread->histogram.edges[i]);
		}
		pl_buf_add_text(out, "],\"counts\":[");
		for (size_t i = 0; i < spread->histogram.bins; i++) {
			query_out_next(out);
			query_out_i64(out, (int64_t)spread->histogram.counts[i]);
		}
		pl_buf_add_text(out, "]}");
	}
}

/* Returns false if there is none. */
static bool write_times(const struct tally *tally, const struct mirror_column *column,
			struct pl_buf *out)
{
	const struct mirror_value *first = NULL, *last = NULL;

	for (size_t i = 0; i < tally->code_count; i++) {
		const struct mirror_value *value = mirror_column_value(column, tally->codes[i]);
		if (!value->is_time)
			continue;
		if (first == NULL || value->time_us < first->time_us)
			first = value;
		if (last == NULL || value->time_us > last->time_us)
			last = value;
	}
	if (first == NULL)
		return false;
	query_out_key(out, "min");
	query_out_text(out, first->text);
	query_out_key(out, "max");
	query_out_text(out, last->text);
	return true;
}

/* ---- form controls ----------------------------------------------------------------------------- */

static void write_control(const struct mirror_column *column,
			  const struct query_option_facts *facts, struct pl_buf *out)
{
	static const char *const types[] = {
		[RES_FIELD_NUMBER] = "number", [RES_FIELD_COUNT] = "count",
		[RES_FIELD_YES] = "yes",       [RES_FIELD_TEXT] = "text",
		[RES_FIELD_TIME] = "time",     [RES_FIELD_JSON] = "json",
	};
	static const char *const directions[] = { [RES_FIELD_NEITHER] = "neither",
						  [RES_FIELD_LOWER] = "lower",
						  [RES_FIELD_HIGHER] = "higher" };
	const struct res_field *field = column->field;
	const struct {
		const char *key, *text;
	} texts[] = {
		{ "label", field->label },
		{ "group", field->group },
		{ "unit", field->unit },
		{ "type", types[field->type] },
		{ "direction", directions[field->direction] },
		{ "widget", query_option_widget(field, facts) },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		query_out_key(out, texts[i].key);
		query_out_text(out, texts[i].text);
	}
}

/* ---- the facet ------------------------------------------------------------------------------- */

/* *ret_facts: about the list, which has all values except words of a numeric field. */
static void write_listed(struct tally *tally, const struct mirror_column *column,
			 const struct facet_rows *rows, const struct facet_options *options,
			 bool numeric, struct query_option_facts *ret_facts, struct pl_buf *out)
{
	if (options->counts_only && tally->elsewhere > 0) {
		pl_buf_add_text(out, ",\"distinct\":null,\"values\":[],\"more_count\":0");
		ret_facts->distinct = ret_facts->numbers = SIZE_MAX;
		return;
	}
	query_tally_list_others(tally, column);
	if (!numeric)
		query_tally_list_words(tally, column);
	query_tally_find_numbers(tally, column, rows);
	size_t numbers = tally_distinct_numbers(tally);
	bool has_spread = numeric && numbers > 0;
	struct spread spread;
	if (has_spread)
		find_spread(tally, &spread);
	size_t distinct = tally->value_count + numbers;
	bool all = distinct <= ALL_SHOWN_MAX || options->needle != NULL;
	ret_facts->numbers = numeric ? numbers : 0;
	query_tally_list_numbers(tally, all ? SIZE_MAX : options->limit);
	ret_facts->distinct = distinct;
	out_count(out, "distinct", distinct);
	query_out_key(out, "values");
	size_t more = show_values(tally, column, distinct, options->limit, options->needle, out);
	out_count(out, "more_count", more);
	if (has_spread)
		write_spread(&spread, out);
}

/* Words are listed separately from numbers. */
static void write_words(struct tally *tally, const struct mirror_column *column,
			const struct query_needle *needle, struct query_option_facts *facts,
			struct pl_buf *out)
{
	tally->value_count = 0;
	query_tally_list_words(tally, column);
	if (facts->distinct < SIZE_MAX)
		facts->distinct += tally->value_count;
	query_out_key(out, "words");
	(void)show_values(tally, column, tally->value_count, BOUND_VALUES_MAX, needle, out);
}

bool query_facet_of(struct facet_scratch *scratch, const struct mirror_column *column,
		    const struct facet_rows *rows, const struct facet_options *options,
		    struct pl_buf *out)
{
	struct tally *tally = &scratch->tally;
	struct query_option_facts facts = { 0 };

	if (options->only_varying && !mirror_column_is_recorded(column))
		return false;
	query_tally_column(tally, column, rows);
	if (options->only_varying && !query_tally_varies(tally, column, rows))
		return false;
	enum res_field_type type = column->field->type;
	bool numeric = type == RES_FIELD_NUMBER || type == RES_FIELD_COUNT ||
		       (type == RES_FIELD_JSON && tally->class_counts[MIRROR_NUMBER] > 0);
	query_out_key(out, column->field->id);
	pl_buf_add_char(out, '{');
	size_t count = query_facet_rows_count(rows);
	out_count(out, "count", count);
	out_count(out, "recorded", count - tally->class_counts[MIRROR_MISSING]);
	out_count(out, "null", tally->class_counts[MIRROR_NULL]);
	out_count(out, "missing", tally->class_counts[MIRROR_MISSING]);
	out_count(out, "explicit", tally->explicit_count);
	write_listed(tally, column, rows, options, numeric, &facts, out);
	if (numeric)
		write_words(tally, column, options->needle, &facts, out);
	else if (column->field->type == RES_FIELD_TIME)
		facts.has_times = write_times(tally, column, out);
	if (options->with_control)
		write_control(column, &facts, out);
	pl_buf_add_char(out, '}');
	return true;
}

void query_facet_values(struct facet_scratch *scratch, const struct mirror_column *column,
			const struct facet_rows *rows, const struct facet_options *options,
			struct pl_buf *out)
{
	struct tally *tally = &scratch->tally;

	query_tally_column(tally, column, rows);
	query_tally_list_others(tally, column);
	query_tally_list_words(tally, column);
	query_tally_find_numbers(tally, column, rows);
	size_t distinct = tally->value_count + tally_distinct_numbers(tally);
	query_tally_list_numbers(tally, options->needle != NULL ? SIZE_MAX
								: options->offset + options->limit);
	out_count(out, "count", query_facet_rows_count(rows));
	out_count(out, "distinct", distinct);
	keep_found(tally, options->needle);
	size_t count = options->needle != NULL ? tally->value_count : distinct;
	size_t from = options->offset < count ? options->offset : count;
	size_t to = options->limit < count - from ? from + options->limit : count;
	query_tally_put_first(tally, column, to, TALLY_BY_COUNT);
	out_count(out, "matching_count", count);
	query_out_key(out, "values");
	write_values(tally, from, to, out);
	out_count(out, "more_count", count - to);
}
