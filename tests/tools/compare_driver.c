/*
 * Computes ratios: one JSON object per line on standard input, one per line in return.
 *   {id, direction, effect, sides: [{numbers: [x, …], within: [low, high] | null}, the other]}
 *                              {ratio, low, high, p, method, finding, more_runs_count, regression,
 *                               words, sides: [{value, low, high}, the other]}
 *   {p: t, df}, {t: p, df}     Student's distribution
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/student.h"
#include "base/text.h"
#include "result/compare/ratio.h"

static void read_sample(const json_t *side, struct res_sample *ret)
{
	const json_t *within = json_object_get(side, "within");

	*ret = (struct res_sample){ .has_within = json_is_array(within) };
	if (ret->has_within)
		ret->within = (struct res_interval){ json_number_value(json_array_get(within, 0)),
						     json_number_value(json_array_get(within, 1)) };
	PL_JSON_EACH(number, json_object_get(side, "numbers")) {
		struct res_value value = { .state = RES_VALUE_PRESENT,
					   .kind = RES_VALUE_NUMBER,
					   .number = json_number_value(number) };
		res_sample_add(ret, &value);
	}
	res_sample_settle(ret);
}

static json_t *sample_json(const struct res_sample *sample)
{
	struct res_interval interval = { NAN, NAN };

	if (!res_sample_interval(sample, &interval))
		interval.low = NAN;
	return json_pack("{s:o, s:o, s:o}", "value", pl_json_number(res_sample_value(sample)),
			 "low", pl_json_number(interval.low), "high",
			 pl_json_number(interval.high));
}

static json_t *ratio(const json_t *requested)
{
	const json_t *sides = json_object_get(requested, "sides");
	const char *direction = pl_json_get_text(requested, "direction");
	double effect = pl_json_get_f64(requested, "effect");
	auto_sample a = { .count = 0 }, b = { .count = 0 };

	read_sample(json_array_get(sides, 0), &a);
	read_sample(json_array_get(sides, 1), &b);
	struct res_ratio found = res_ratio_of(pl_json_get_text(requested, "id"),
					      pl_text_equal(direction, "lower") ? RES_FIELD_LOWER
					      : pl_text_equal(direction, "higher")
						      ? RES_FIELD_HIGHER
						      : RES_FIELD_NEITHER,
					      effect, &a, &b);
	auto_free char *words = res_ratio_words(&found, effect);
	return json_pack("{s:o, s:o, s:o, s:o, s:s, s:s, s:o, s:b, s:s, s:[o, o]}", "ratio",
			 pl_json_number(found.ratio), "low", pl_json_number(found.interval.low),
			 "high", pl_json_number(found.interval.high), "p", pl_json_number(found.p),
			 "method", res_ratio_how_name(found.how), "finding",
			 res_finding_name(found.finding), "more_runs_count",
			 pl_json_count(found.more_runs), "regression",
			 res_ratio_is_regression(&found, effect), "words", words, "sides",
			 sample_json(&a), sample_json(&b));
}

static json_t *answer(const json_t *requested)
{
	double df = pl_json_get_f64(requested, "df");

	if (json_object_get(requested, "p") != NULL)
		return pl_json_number(pl_student_p(pl_json_get_f64(requested, "p"), df));
	if (json_object_get(requested, "t") != NULL)
		return pl_json_number(pl_student_t(pl_json_get_f64(requested, "t"), df));
	return ratio(requested);
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
		auto_json json_t *heard = answer(requested);
		auto_free char *text = pl_json_to_text(heard, PL_JSON_COMPACT);
		puts(text);
	}
	free(line);
	return 0;
}
