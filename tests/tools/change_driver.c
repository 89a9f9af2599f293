/*
 * Computes statistics of changes: one JSON object per line on standard input, one per line in
 * return. Samples are lists of numbers; null is a gap.
 *   {compare: [before, after]}   {u, p, exact, delta, shift, low, high}
 *   {values: [x, …]}             {median, spread, outliers, medians, correlation}
 *   {p: [p, …]}                  {q: [q, …]}
 *   {cut: [y, …], side_min}      {at, end, q, p, drawn, reached}: the best cut, and its test
 *   {pairs: [x, …], seed}        {w, p, exact, sign_p, low, high}: differences of matched configurations
 *   {evidence: [x, …], at, alpha, beta}
 *                                {above, below, low, high}: of pairs; with `other`, of two groups
 *   {analyze: [{key, values, at?, direction, scale, effect_min}, …]}
 *                                {series: [analysis], incidents: [{from_at, to_at, count}]}
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "result/change/change.h"
#include "result/change/divide.h"
#include "result/change/rank.h"
#include "result/gate/evidence.h"
#include "result/match/paired.h"

/* A list of numbers; null: NaN. */
struct sample {
	double *x;
	size_t count;
};

static void sample_done(struct sample *sample)
{
	free(sample->x);
}
#define auto_numbers __attribute__((cleanup(sample_done))) struct sample

static struct sample read_sample(const json_t *list)
{
	size_t count = json_array_size(list);
	struct sample sample = { pl_alloc_array(count, sizeof(double)), count };

	PL_JSON_EACH(item, list)
		sample.x[item_at] = json_is_number(item) ? json_number_value(item) : NAN;
	return sample;
}

static json_t *numbers_json(const double *x, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, pl_json_number(x[i]));
	return list;
}

static json_t *compare(const json_t *sides)
{
	auto_numbers before = read_sample(json_array_get(sides, 0));
	auto_numbers after = read_sample(json_array_get(sides, 1));
	struct res_rank_test test = res_rank_compare(before.x, before.count, after.x, after.count);
	struct res_rank_shift shift = res_rank_shift(before.x, before.count, after.x, after.count);

	return json_pack("{s:o, s:o, s:b, s:o, s:o, s:o, s:o}", "u", pl_json_number(test.u), "p",
			 pl_json_number(test.p), "exact", test.exact, "delta",
			 pl_json_number(test.delta), "shift", pl_json_number(shift.shift), "low",
			 pl_json_number(shift.interval.low), "high",
			 pl_json_number(shift.interval.high));
}

static json_t *describe(const json_t *list)
{
	auto_numbers values = read_sample(list);
	auto_free double *medians = pl_alloc_array(values.count, sizeof(double));
	auto_free bool *flags = pl_alloc_array(values.count, sizeof(bool));
	json_t *outliers = json_array();

	res_clean_medians(values.x, values.count, medians);
	res_clean_outliers(values.x, values.count, flags);
	for (size_t i = 0; i < values.count; i++) {
		if (flags[i])
			json_array_append_new(outliers, json_integer((json_int_t)i));
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "median",
			 pl_json_number(res_rank_median(values.x, values.count)), "spread",
			 pl_json_number(res_rank_spread(values.x, values.count)), "outliers",
			 outliers, "medians", numbers_json(medians, values.count), "correlation",
			 pl_json_number(res_clean_correlation(values.x, values.count)));
}

static json_t *discover(const json_t *list)
{
	auto_numbers p = read_sample(list);
	auto_free double *q = pl_alloc_array(p.count, sizeof(double));

	res_rank_discoveries(p.x, p.count, q);
	return json_pack("{s:o}", "q", numbers_json(q, p.count));
}

static json_t *cut(const json_t *requested)
{
	auto_numbers y = read_sample(json_object_get(requested, "cut"));
	size_t side_min = (size_t)pl_json_get_f64(requested, "side_min");
	struct res_cut found;

	if (!res_cut_find(y.x, y.count, side_min, &found))
		return json_null();
	struct res_permutation test = res_cut_test(y.x, y.count, side_min, found.q, 1, 1999, 1,
						   y.count);
	return json_pack("{s:I, s:I, s:o, s:o, s:I, s:I}", "at", (json_int_t)found.at, "end",
			 (json_int_t)found.end, "q", pl_json_number(found.q), "p",
			 pl_json_number(test.p), "drawn", (json_int_t)test.drawn, "reached",
			 (json_int_t)test.reached);
}

#define ID_BYTES 12

static struct res_change_series read_series(const json_t *requested, char (**ret_ids)[ID_BYTES])
{
	auto_numbers values = read_sample(json_object_get(requested, "values"));
	const json_t *at = json_object_get(requested, "at");
	const char *direction = pl_json_get_text(requested, "direction");
	const char *scale = pl_json_get_text(requested, "scale");
	struct res_change_series series = {
		.key = pl_json_get_text(requested, "key"),
		.points = pl_alloc_array(values.count, sizeof(struct res_change_point)),
		.count = values.count,
		.direction = pl_text_equal(direction, "lower")    ? RES_FIELD_LOWER
			     : pl_text_equal(direction, "higher") ? RES_FIELD_HIGHER
								  : RES_FIELD_NEITHER,
		.scale = pl_text_equal(scale, "logit")    ? RES_SCALE_LOGIT
			 : pl_text_equal(scale, "linear") ? RES_SCALE_LINEAR
							  : RES_SCALE_LOG,
		.effect_min = pl_json_get_f64(requested, "effect_min"),
	};

	*ret_ids = pl_alloc_array(values.count, ID_BYTES);
	for (size_t i = 0; i < values.count; i++) {
		snprintf((*ret_ids)[i], ID_BYTES, "%zu", i % 100000000);
		series.points[i] = (struct res_change_point){
			.at = at == NULL ? (int64_t)i : json_integer_value(json_array_get(at, i)),
			.id = (*ret_ids)[i],
			.value = values.x[i],
		};
	}
	return series;
}

static json_t *analyze(const json_t *list)
{
	size_t count = json_array_size(list), incident_count;
	auto_free struct res_change_series *series = pl_alloc_array(count, sizeof(series[0]));
	auto_free struct res_change_analysis *analyses = pl_alloc_array(count, sizeof(analyses[0]));
	auto_free char(**ids)[ID_BYTES] = pl_alloc_array(count, sizeof(ids[0]));
	struct res_incident *incidents;
	json_t *answers = json_array(), *merged = json_array();

	for (size_t i = 0; i < count; i++) {
		series[i] = read_series(json_array_get(list, i), &ids[i]);
		res_change_analyze(&series[i], &res_change_defaults, &analyses[i]);
	}
	res_change_family(analyses, count, &res_change_defaults);
	res_change_incidents(analyses, count, res_change_defaults.drift, &incidents,
			     &incident_count);
	for (size_t i = 0; i < incident_count; i++)
		json_array_append_new(merged, json_pack("{s:I, s:I, s:I}", "from_at",
							(json_int_t)incidents[i].from, "to_at",
							(json_int_t)incidents[i].to, "count",
							(json_int_t)incidents[i].count));
	res_incidents_free(incidents, incident_count);
	for (size_t i = 0; i < count; i++) {
		json_array_append_new(answers, res_change_json(&analyses[i], &res_change_defaults));
		res_change_analysis_done(&analyses[i]);
		free(series[i].points);
		free(ids[i]);
	}
	return json_pack("{s:o, s:o}", "series", answers, "incidents", merged);
}

static json_t *match_pairs(const json_t *list, int64_t seed)
{
	auto_numbers sample = read_sample(list);
	struct res_signed_rank rank = res_paired_rank(sample.x, sample.count);
	struct res_interval interval = { NAN, NAN };
	size_t below = 0, above = 0;

	for (size_t i = 0; i < sample.count; i++) {
		below += sample.x[i] < 0;
		above += sample.x[i] > 0;
	}
	res_paired_interval(sample.x, sample.count, (uint64_t)seed, &interval);
	return json_pack("{s:f, s:o, s:b, s:o, s:o, s:o}", "w", rank.w, "p", pl_json_number(rank.p),
			 "exact", rank.exact, "sign_p",
			 pl_json_number(res_paired_sign(below, above)), "low",
			 pl_json_number(interval.low), "high", pl_json_number(interval.high));
}

static json_t *gather_evidence(const json_t *requested)
{
	auto_numbers a = read_sample(json_object_get(requested, "evidence"));
	auto_numbers b = read_sample(json_object_get(requested, "other"));
	struct res_evidence evidence = b.count > 0
					       ? res_evidence_of_groups(a.x, a.count, b.x, b.count)
					       : res_evidence_of_pairs(a.x, a.count);
	double at = pl_json_get_f64(requested, "at");
	struct res_interval interval = res_evidence_interval(
		&evidence, pl_json_get_f64(requested, "alpha"), pl_json_get_f64(requested, "beta"));

	return json_pack("{s:o, s:o, s:o, s:o}", "above",
			 pl_json_number(res_evidence_above(&evidence, at)), "below",
			 pl_json_number(res_evidence_below(&evidence, at)), "low",
			 pl_json_number(interval.low), "high", pl_json_number(interval.high));
}

static json_t *answer(const json_t *requested)
{
	const json_t *list;

	if ((list = json_object_get(requested, "pairs")) != NULL)
		return match_pairs(list, pl_json_get_i64(requested, "seed"));
	if (json_object_get(requested, "evidence") != NULL)
		return gather_evidence(requested);

	if ((list = json_object_get(requested, "compare")) != NULL)
		return compare(list);
	if ((list = json_object_get(requested, "values")) != NULL)
		return describe(list);
	if ((list = json_object_get(requested, "p")) != NULL)
		return discover(list);
	if ((list = json_object_get(requested, "analyze")) != NULL)
		return analyze(list);
	return cut(requested);
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;

	for (ssize_t len; (len = getline(&line, &room, stdin)) > 0;) {
		struct pl_err err = PL_ERR_INIT;
		auto_json json_t *requested = NULL;
		if (pl_json_parse_wide(line, (size_t)len, "standard input", &requested, &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			return 2;
		}
		auto_json json_t *answered = answer(requested);
		auto_free char *text = pl_json_to_text(answered, PL_JSON_COMPACT);
		puts(text);
	}
	free(line);
	return 0;
}
