/* The metrics of each side, and their differences from the first side's. */
#include "result/compare/compare_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

#define ID_BYTES 128

struct figure {
	size_t count;
	struct res_sample sides[RES_COMPARE_SIDES_MAX];
};

static void figure_done(struct figure *figure)
{
	for (size_t i = 0; i < figure->count; i++)
		res_sample_done(&figure->sides[i]);
}
#define auto_figure __attribute__((cleanup(figure_done), unused)) struct figure

static void fill_figure(const struct res_compare_source *source, const struct res_field *field,
			struct figure *ret)
{
	*ret = (struct figure){ .count = source->side_count };
	for (size_t i = 0; i < source->side_count; i++)
		source->sample(source->context, i, field, &ret->sides[i]);
}

static bool has_number(const struct figure *figure)
{
	for (size_t i = 0; i < figure->count; i++) {
		if (figure->sides[i].count > 0)
			return true;
	}
	return false;
}

static struct res_interval interval_of(const struct res_sample *sample)
{
	struct res_interval interval;

	return res_sample_interval(sample, &interval) ? interval
						      : (struct res_interval){ NAN, NAN };
}

static json_t *side_json(const struct res_sample *sample)
{
	struct res_interval interval = interval_of(sample);

	return json_pack(
		"{s:I, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "n", (json_int_t)sample->count,
		"value", pl_json_number(res_sample_value(sample)), "low",
		pl_json_number(interval.low), "high", pl_json_number(interval.high), "std",
		pl_json_number(res_sample_deviation(sample)), "null", (json_int_t)sample->null,
		"not_recorded", (json_int_t)sample->not_recorded, "infinite",
		(json_int_t)sample->infinite, "words", (json_int_t)sample->words);
}

static json_t *ratio_json(const struct res_ratio *ratio, double effect)
{
	auto_free char *words = res_ratio_words(ratio, effect);

	return json_pack("{s:o, s:o, s:o, s:o, s:s, s:s, s:o, s:b, s:s}", "ratio",
			 pl_json_number(ratio->ratio), "low", pl_json_number(ratio->interval.low),
			 "high", pl_json_number(ratio->interval.high), "p",
			 pl_json_number(ratio->p), "method", res_ratio_how_name(ratio->how),
			 "finding", res_finding_name(ratio->finding), "more_runs_count",
			 pl_json_count(ratio->more_runs), "regression",
			 res_ratio_is_regression(ratio, effect), "sentence", words);
}

static const char *direction_name(enum res_field_direction direction)
{
	return direction == RES_FIELD_LOWER    ? "lower"
	       : direction == RES_FIELD_HIGHER ? "higher"
					       : "neither";
}

/* Figures being made one after the other, for as long as there is time. */
struct figures {
	const struct res_compare_source *source;
	double effect;
	bool only_reported; /* leave out those of which no side has a number */
	json_t *list;
	json_t *not_ready;
};

static json_t *metric_json(const struct figures *figures, const struct res_field *field,
			   const struct figure *figure)
{
	double effect = figures->effect;
	json_t *sides = json_array(), *against = json_array();

	for (size_t i = 0; i < figure->count; i++) {
		json_array_append_new(sides, side_json(&figure->sides[i]));
		if (i == 0)
			continue;
		struct res_ratio ratio = res_ratio_of(field->id, field->direction, effect,
						      &figure->sides[0], &figure->sides[i]);
		size_t first = figures->source->sides[0].runs,
		       runs = figures->source->sides[i].runs;
		size_t fewest = first < runs ? first : runs;
		if (fewest > 0 && figures->source->shared[0][i] == fewest)
			res_ratio_forget_chance(&ratio);
		json_array_append_new(against, ratio_json(&ratio, effect));
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "field", field->id, "label",
			 field->label, "unit", field->unit, "direction",
			 direction_name(field->direction), "sides", sides, "ratios", against);
}

static bool is_in_time(const struct figures *figures)
{
	const struct res_compare_source *source = figures->source;

	return source->is_in_time == NULL || source->is_in_time(source->context);
}

static void add_metric(struct figures *figures, const struct res_field *field)
{
	auto_figure figure = { 0 };

	if (json_array_size(figures->list) > 0 && !is_in_time(figures)) {
		json_array_append_new(figures->not_ready, json_string(field->id));
		return;
	}
	fill_figure(figures->source, field, &figure);
	if (!figures->only_reported || has_number(&figure))
		json_array_append_new(figures->list, metric_json(figures, field, &figure));
}

/* ---- headline figures ---------------------------------------------------------------------- */

static const char *const figure_keys[] = {
#define FIGURE(key, unit, type, direction, origin, formula, text) #key,
#include "tbl/metrics.h"
};

static const struct family {
	const char *key;
	const char *title;
	const char *label;
	bool headline;
} families[] = {
#define FAMILY(id, key, title, label, direction, origin, headline, formula, text) \
	{ key, title, label, headline },
#include "tbl/metrics.h"
};

static const char *const statistics[] = {
#define STATISTIC(name, percentile) #name,
#include "tbl/metrics.h"
};

/* Counts follow from how much was sent: they are nothing to be better by. */
static bool is_rate(const struct res_field *field)
{
	return field->type == RES_FIELD_NUMBER && field->direction != RES_FIELD_NEITHER;
}

static size_t take_rate(const struct res_fields *fields, const char *id,
			const struct res_field **ret, size_t count)
{
	const struct res_field *field = res_fields_find(fields, id);

	if (field != NULL && is_rate(field) && count < RES_COMPARE_HEADLINE_MAX)
		ret[count++] = field;
	return count;
}

size_t res_compare_headline(const struct res_fields *fields,
			    const struct res_field *ret[RES_COMPARE_HEADLINE_MAX])
{
	char id[ID_BYTES];
	size_t column_count, count = 0;
	const struct res_field *const *columns = res_fields_columns(fields, &column_count);

	for (size_t i = 0; i < PL_ARRAY_SIZE(figure_keys); i++) {
		snprintf(id, sizeof(id), "results.%s", figure_keys[i]);
		if (!pl_text_starts(figure_keys[i], "probe_"))
			count = take_rate(fields, id, ret, count);
	}
	for (size_t i = 0; i < column_count; i++) {
		if (pl_text_starts(columns[i]->id, "derived."))
			count = take_rate(fields, columns[i]->id, ret, count);
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++) {
		for (size_t k = 0; families[i].headline && k < PL_ARRAY_SIZE(statistics); k++) {
			snprintf(id, sizeof(id), "results.%s_%s", statistics[k], families[i].key);
			count = take_rate(fields, id, ret, count);
		}
	}
	return count;
}

json_t *res_compare_metrics(const struct res_compare_source *source,
			    const struct res_compare_options *options, json_t *not_ready)
{
	struct figures figures = { .source = source,
				   .effect = options->effect,
				   .only_reported = options->metrics == NULL,
				   .list = json_array(),
				   .not_ready = not_ready };

	for (size_t i = 0; i < options->metric_count; i++)
		add_metric(&figures, &options->metrics[i]);
	if (options->metrics == NULL) {
		const struct res_field *headline[RES_COMPARE_HEADLINE_MAX];
		size_t count = res_compare_headline(figures.source->fields, headline);
		for (size_t i = 0; i < count; i++)
			add_metric(&figures, headline[i]);
	}
	return figures.list;
}

/* ---- percentile families ------------------------------------------------------------------- */

static const char *const percentiles[] = { "1",  "5",  "10", "25", "50",
					   "75", "90", "95", "99", "99.9" };

/* A list for each of them, a percentile after the other. */
struct curve {
	json_t *n;
	json_t *value;
	json_t *low;
	json_t *high;
};

static void add_to_curve(struct curve *curve, const struct res_sample *sample)
{
	struct res_interval interval = interval_of(sample);

	json_array_append_new(curve->n, json_integer((json_int_t)sample->count));
	json_array_append_new(curve->value, pl_json_number(res_sample_value(sample)));
	json_array_append_new(curve->low, pl_json_number(interval.low));
	json_array_append_new(curve->high, pl_json_number(interval.high));
}

static void add_family(struct figures *figures, const struct family *family)
{
	const struct res_compare_source *source = figures->source;
	struct curve curves[RES_COMPARE_SIDES_MAX];
	auto_json json_t *sides = json_array(), *positions = json_array();
	const char *unit = "";
	bool is_reported = false;

	for (size_t i = 0; i < source->side_count; i++) {
		curves[i] = (struct curve){ json_array(), json_array(), json_array(),
					    json_array() };
		json_array_append_new(sides, json_pack("{s:o, s:o, s:o, s:o}", "n", curves[i].n,
						       "value", curves[i].value, "low",
						       curves[i].low, "high", curves[i].high));
	}
	for (size_t k = 0; k < PL_ARRAY_SIZE(percentiles); k++) {
		auto_figure figure = { 0 };
		char id[ID_BYTES];
		snprintf(id, sizeof(id), "results.p%s_%s", percentiles[k], family->key);
		const struct res_field *field = res_fields_find(source->fields, id);
		/* a dashboard has the others in documents alone */
		if (field == NULL || !field->column)
			continue;
		unit = field->unit;
		fill_figure(source, field, &figure);
		is_reported = is_reported || has_number(&figure);
		json_array_append_new(positions, json_real(strtod(percentiles[k], NULL)));
		for (size_t i = 0; i < source->side_count; i++)
			add_to_curve(&curves[i], &figure.sides[i]);
	}
	if (is_reported)
		json_array_append_new(figures->list,
				      json_pack("{s:s, s:s, s:s, s:s, s:O, s:O}", "key",
						family->key, "title", family->title, "label",
						family->label, "unit", unit, "percentiles",
						positions, "sides", sides));
}

json_t *res_compare_families(const struct res_compare_source *source, json_t *not_ready)
{
	struct figures figures = { .source = source, .list = json_array(), .not_ready = not_ready };

	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++) {
		if (is_in_time(&figures))
			add_family(&figures, &families[i]);
		else
			json_array_append_new(not_ready, json_string(families[i].key));
	}
	return figures.list;
}
