/*
 * How metrics are computed: percentiles, limits, concurrency limit, kind of rate. Taken from the
 * options once and stored in the journal, so that `recover` computes them as the run would have.
 */
#include "result/how.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stats.h"

static void sort_percentiles(struct res_how *how)
{
	double *all = how->percentiles;
	size_t count = how->percentile_count;

	how->percentile_count = 0;
	pl_stats_sort(all, count);
	for (size_t i = 0; i < count; i++) {
		if (how->percentile_count == 0 || all[i] > all[how->percentile_count - 1])
			all[how->percentile_count++] = all[i];
	}
}

static int64_t count_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) && json_integer_value(value) >= 0 ? json_integer_value(value)
									: OPTION_NO_I64;
}

/* Reads it by the name in each protocol. */
static int64_t max_tokens_of(const json_t *extra_body)
{
	static const char *const names[] = { "max_tokens", "max_completion_tokens",
					     "max_output_tokens" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		int64_t count = count_of(extra_body, names[i]);
		if (count != OPTION_NO_I64)
			return count;
	}
	return OPTION_NO_I64;
}

int res_how_make(const struct vllm_bench *bench, bool finite_rate, bool ignores_eos,
		 struct res_how *ret, struct pl_err *err)
{
	const json_t *extra = json_object_get(bench->extra_body, "ignore_eos");
	auto_how how = {
		.max_concurrency = bench->max_concurrency,
		.finite_rate = finite_rate,
		.ignores_eos = extra != NULL ? json_is_true(extra) : ignores_eos,
		.min_tokens = count_of(bench->extra_body, "min_tokens"),
		.max_tokens = max_tokens_of(bench->extra_body),
		.steady_share = bench->steady_state_threshold,
		.steady_window_s = bench->steady_state_min_window,
	};

	if (exp_slo_parse(bench->goodput, &how.slo, err) < 0 ||
	    exp_percentiles_parse(bench->metric_percentiles, &how.percentiles,
				  &how.percentile_count, err) < 0)
		return -1;
	sort_percentiles(&how);
	*ret = how;
	how.percentiles = NULL;
	return 0;
}

void res_how_done(struct res_how *how)
{
	free(how->percentiles);
	how->percentiles = NULL;
	how->percentile_count = 0;
}

static json_t *count_json(int64_t count)
{
	return pl_json_i64(count, count != OPTION_NO_I64);
}

json_t *res_how_to_json(const struct res_how *how)
{
	json_t *percentiles = json_array();

	for (size_t i = 0; i < how->percentile_count; i++)
		json_array_append_new(percentiles, json_real(how->percentiles[i]));
	return json_pack(
		"{s:o, s:{s:o, s:o, s:o}, s:o, s:b, s:b, s:o, s:o, s:f, s:f}", "percentiles",
		percentiles, "slo", "ttft_ms", pl_json_number(how->slo.ttft_ms), "tpot_ms",
		pl_json_number(how->slo.tpot_ms), "e2el_ms", pl_json_number(how->slo.e2el_ms),
		"max_concurrency", count_json(how->max_concurrency), "finite_rate",
		how->finite_rate, "ignores_eos", how->ignores_eos, "min_tokens",
		count_json(how->min_tokens), "max_tokens", count_json(how->max_tokens),
		"steady_share", how->steady_share, "steady_window_s", how->steady_window_s);
}

static double limit_of(const json_t *json, const char *path)
{
	const json_t *value = pl_json_get_path(json, path);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* `otherwise`: for journals of earlier versions. */
static double in_range(const json_t *json, const char *key, double min, double max,
		       double otherwise)
{
	double value = limit_of(json, key);

	return value >= min && value <= max ? value : otherwise;
}

void res_how_from_json(const json_t *json, struct res_how *ret)
{
	const json_t *list = json_object_get(json, "percentiles");
	const json_t *cap = json_object_get(json, "max_concurrency");

	*ret = (struct res_how){
		.percentiles = pl_alloc_array(json_array_size(list), sizeof(double)),
		.slo = { .ttft_ms = limit_of(json, "slo.ttft_ms"),
			 .tpot_ms = limit_of(json, "slo.tpot_ms"),
			 .e2el_ms = limit_of(json, "slo.e2el_ms") },
		.max_concurrency = OPTION_NO_I64,
		.finite_rate = pl_json_get_true(json, "finite_rate"),
		.ignores_eos = pl_json_get_true(json, "ignores_eos"),
		.min_tokens = count_of(json, "min_tokens"),
		.max_tokens = count_of(json, "max_tokens"),
		.steady_share = in_range(json, "steady_share", 0.01, 1, 0.95),
		.steady_window_s = in_range(json, "steady_window_s", 0, 1e6, 10),
	};
	if (json_is_integer(cap) && json_integer_value(cap) > 0)
		ret->max_concurrency = json_integer_value(cap);
	for (size_t i = 0; i < json_array_size(list); i++) {
		double value = json_number_value(json_array_get(list, i));
		/* a journal is an untrusted file: validate its values */
		if (value >= 0 && value <= 100)
			ret->percentiles[ret->percentile_count++] = value;
	}
	sort_percentiles(ret);
}
