#include "result/change/change_priv.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const struct res_change_options res_change_defaults = {
	.side_min = 5,
	.alpha = 0.01,
	.permutations = 999,
	.later_permutations = 299,
	.block = 5,
	.related_min = 30,
	.rank_alpha = 0.01,
	.noise = 0.5,
	.noisier = 2,
	.persist = 3,
	.drift = 2,
	.tail = 5,
	.tail_before = 20,
	.tail_alpha = 0.005,
	.q = 0.05,
};

void res_change_analysis_done(struct res_change_analysis *analysis)
{
	free(analysis->outliers);
	free(analysis->markers);
	free(analysis->changes);
	free(analysis->y);
	free(analysis->index);
	json_decref(analysis->reasons);
	*analysis = (struct res_change_analysis){ 0 };
}

void res_change_say(struct res_change_analysis *analysis, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	auto_free char *line = pl_vasprintf(format, args);
	va_end(args);
	json_array_append_new(analysis->reasons, json_string(line));
}

static int compare_points(const void *a, const void *b)
{
	const struct res_change_point *one = a, *other = b;

	if (one->at != other->at)
		return one->at < other->at ? -1 : 1;
	return strcmp(one->id, other->id);
}

/* Fills y, index and gaps. Returns the number of values that the scale does not contain. */
static size_t read_values(struct res_change_analysis *analysis)
{
	const struct res_change_series *series = analysis->series;
	size_t outside = 0;

	analysis->gaps = analysis->value_count = 0;
	analysis->y = pl_alloc_array(series->count, sizeof(double));
	analysis->index = pl_alloc_array(series->count, sizeof(size_t));
	for (size_t i = 0; i < series->count; i++) {
		double y = res_scale_apply(series->scale, series->points[i].value);

		if (!isfinite(series->points[i].value)) {
			analysis->gaps++;
		} else if (isnan(y)) {
			outside++;
		} else {
			analysis->y[analysis->value_count] = y;
			analysis->index[analysis->value_count++] = i;
		}
	}
	return outside;
}

static void flag_outliers(struct res_change_analysis *analysis)
{
	size_t n = analysis->value_count;
	auto_free bool *flags = pl_alloc_array(n, sizeof(flags[0]));

	analysis->outliers = pl_alloc_array(n, sizeof(size_t));
	res_clean_outliers(analysis->y, n, flags);
	for (size_t i = 0; i < n; i++) {
		if (flags[i])
			analysis->outliers[analysis->outlier_count++] = analysis->index[i];
	}
}

static const struct res_change_point *point_of(const struct res_change_analysis *analysis,
					       size_t value)
{
	return &analysis->series->points[analysis->index[value]];
}

/*
 * Sets markers to the values that are the first on other hardware. Returns false if hardware
 * alternates, so that segments would be shorter than what they compare.
 */
static bool mark_hardware(struct res_change_analysis *analysis)
{
	uint32_t last = 0;
	size_t distinct = 1;

	analysis->markers = pl_alloc_array(analysis->value_count, sizeof(size_t));
	for (size_t i = 0; i < analysis->value_count; i++) {
		uint32_t hardware = point_of(analysis, i)->hardware;
		bool is_known = last == 0 || hardware == 0 || hardware == last;

		if (!is_known) {
			bool is_new = point_of(analysis, 0)->hardware != hardware;
			for (size_t j = 0; j < analysis->marker_count; j++)
				is_new &= point_of(analysis, analysis->markers[j])->hardware !=
					  hardware;
			distinct += is_new;
			analysis->markers[analysis->marker_count++] = i;
		}
		last = hardware != 0 ? hardware : last;
	}
	return analysis->marker_count + 1 <= 2 * distinct;
}

/* Returns the value from which a decision of this position counts. */
static size_t value_at(const struct res_change_analysis *analysis, int64_t at)
{
	size_t i = 0;

	while (i < analysis->value_count && point_of(analysis, i)->at < at)
		i++;
	return i;
}

static size_t first_value(const struct res_change_analysis *analysis)
{
	const struct res_change_series *series = analysis->series;
	size_t from = 0;

	for (size_t i = 0; i < series->decision_count; i++) {
		size_t at = value_at(analysis, series->decisions[i].at);

		if (series->decisions[i].kind == RES_DECISION_EXPECTED && at > from)
			from = at;
	}
	return from;
}

/* Returns whether some host measured in both ranges of values, or one of them is not recorded. */
static bool has_common_host(const struct res_change_analysis *analysis, size_t from, size_t at,
			    size_t end)
{
	for (size_t i = from; i < at; i++) {
		uint32_t host = point_of(analysis, i)->host;

		for (size_t j = at; j < end; j++) {
			uint32_t other = point_of(analysis, j)->host;
			if (host == 0 || other == 0 || host == other)
				return true;
		}
	}
	return false;
}

static enum res_change_state state_of(const struct res_change_series *series,
				      const struct res_change_options *options,
				      const struct res_change *change)
{
	if (change->decision == RES_DECISION_WRONG)
		return RES_CHANGE_STABLE;
	if (change->seen < options->persist || change->end - change->from < options->related_min)
		return RES_CHANGE_SUSPECT;
	if (change->state == RES_CHANGE_NOISIER)
		return RES_CHANGE_NOISIER;
	if (change->is_other_host)
		return RES_CHANGE_NOT_COMPARABLE;
	if (series->direction == RES_FIELD_NEITHER)
		return RES_CHANGE_SHIFTED;
	bool is_higher = series->scale == RES_SCALE_LINEAR ? change->ratio > 0 : change->ratio > 1;
	return is_higher == (series->direction == RES_FIELD_HIGHER) ? RES_CHANGE_IMPROVEMENT
								    : RES_CHANGE_REGRESSION;
}

static void apply_decision(const struct res_change_analysis *analysis, size_t drift,
			   struct res_change *change)
{
	const struct res_change_series *series = analysis->series;

	for (size_t i = 0; i < series->decision_count; i++) {
		size_t at = value_at(analysis, series->decisions[i].at);
		size_t low = change->index > drift ? change->index - drift : 0;
		size_t high = change->index + drift;

		low = change->low < low ? change->low : low;
		high = change->high > high ? change->high : high;
		if (series->decisions[i].kind != RES_DECISION_EXPECTED && at >= low && at <= high)
			change->decision = series->decisions[i].kind;
	}
}

/* Finds the changes of one part and appends them to the analysis, with positions as indexes. */
static double analyze_part(const struct res_change_part *part, struct res_change_analysis *ret,
			   size_t *ret_since)
{
	struct res_change_list list = { .count = 0 };
	double p;

	res_change_find(part, &list, &p);
	res_change_place(part, &list);
	res_change_persist(part, &list);
	*ret_since = part->from;
	for (size_t i = 0; i < list.count; i++) {
		struct res_change *change = &list.items[i];
		size_t from = i > 0 ? list.items[i - 1].index : part->from;
		size_t end = i + 1 < list.count ? list.items[i + 1].index : part->end;

		change->is_other_host = !has_common_host(ret, from, change->index, end);
		apply_decision(ret, part->options->drift, change);
		change->state = state_of(part->series, part->options, change);
		*ret_since = change->index;
	}
	for (size_t i = 0; i < list.count; i++) {
		struct res_change *change = &list.items[i];

		change->index = ret->index[change->index];
		change->low = ret->index[change->low];
		change->high = ret->index[change->high];
		*PL_PUSH(ret->changes, ret->change_count, ret->change_room) = *change;
	}
	bool is_quiet = list.count == 0;
	free(list.items);
	return is_quiet ? p : NAN;
}

static bool is_constant(const double *y, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (y[i] != y[0])
			return false;
	}
	return true;
}

/* Sets the state and returns false if the values from `from` cannot be analyzed. */
static bool has_enough(struct res_change_analysis *analysis, size_t from,
		       const struct res_change_options *options)
{
	size_t n = analysis->value_count - from, least = 2 * options->side_min;

	if (n >= least && !is_constant(analysis->y + from, n))
		return true;
	analysis->state = RES_CHANGE_INSUFFICIENT;
	analysis->missing = n < least ? least - n : 0;
	return false;
}

static void analyze_parts(struct res_change_analysis *analysis,
			  const struct res_change_options *options)
{
	size_t first = first_value(analysis), n = analysis->value_count, from = first;
	auto_free uint32_t *versions = pl_alloc_array(n, sizeof(versions[0]));
	struct res_change_part part = { analysis->series, options, analysis->y, first, n };

	for (size_t i = 0; i < n; i++)
		versions[i] = point_of(analysis, i)->version;
	for (size_t i = 0; i <= analysis->marker_count; i++) {
		part.from = from;
		part.end = i < analysis->marker_count ? analysis->markers[i] : n;
		if (part.end <= from && i < analysis->marker_count)
			continue; /* before an expected change */
		analysis->p = analyze_part(&part, analysis, &analysis->since);
		from = part.end;
	}
	bool is_enough = has_enough(analysis, part.from, options);
	part.from = analysis->since;
	if (is_enough)
		res_change_check_tail(&part, versions, &analysis->tail);
	analysis->current = res_change_side_of(analysis->series->scale, analysis->y + part.from,
					       n - part.from);
	analysis->since = part.from < n ? analysis->index[part.from] : analysis->series->count;
	if (analysis->tail.is_tested)
		analysis->tail.index = analysis->index[analysis->tail.index];
}

void res_change_analyze(struct res_change_series *series, const struct res_change_options *options,
			struct res_change_analysis *ret)
{
	*ret = (struct res_change_analysis){
		.series = series, .p = NAN, .q = NAN, .reasons = json_array()
	};
	qsort(series->points, series->count, sizeof(series->points[0]), compare_points);
	size_t outside = read_values(ret);
	if (outside > 0) {
		ret->state = RES_CHANGE_NOT_COMPARABLE;
		res_change_say(ret, "%zu of %zu values are %s", outside, series->count - ret->gaps,
			       series->scale == RES_SCALE_LOG
				       ? "not above 0, and have no ratio"
				       : "not between 0 and 1, and have no odds");
		return;
	}
	flag_outliers(ret);
	if (!mark_hardware(ret)) {
		ret->state = RES_CHANGE_NOT_COMPARABLE;
		res_change_say(ret, "the hardware changes %zu times; make it part of the key",
			       ret->marker_count);
	} else {
		analyze_parts(ret, options);
	}
	for (size_t i = 0; i < ret->marker_count; i++)
		ret->markers[i] = ret->index[ret->markers[i]];
}

void res_change_attach(struct res_change_analysis *analysis, const struct res_change_series *series)
{
	analysis->series = series;
	read_values(analysis);
}
