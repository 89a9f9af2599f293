/*
 * How figures are made: percentiles, limits, cap, kind of rate. Taken from the options once and
 * kept in the journal, so that `recover` makes them as the run would have.
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

int res_how_make(const struct vllm_bench *bench, bool finite_rate, struct res_how *ret,
		 struct pl_err *err)
{
	auto_how how = {
		.max_concurrency = bench->max_concurrency,
		.finite_rate = finite_rate,
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

json_t *res_how_to_json(const struct res_how *how)
{
	json_t *percentiles = json_array();

	for (size_t i = 0; i < how->percentile_count; i++)
		json_array_append_new(percentiles, json_real(how->percentiles[i]));
	return json_pack("{s:o, s:{s:o, s:o, s:o}, s:o, s:b}", "percentiles", percentiles, "slo",
			 "ttft_ms", pl_json_number(how->slo.ttft_ms), "tpot_ms",
			 pl_json_number(how->slo.tpot_ms), "e2el_ms",
			 pl_json_number(how->slo.e2el_ms), "max_concurrency",
			 how->max_concurrency == OPTION_NO_I64 ? json_null()
							       : json_integer(how->max_concurrency),
			 "finite_rate", how->finite_rate);
}

static double limit_of(const json_t *json, const char *path)
{
	const json_t *value = pl_json_get_path(json, path);

	return json_is_number(value) ? json_number_value(value) : NAN;
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
	};
	if (json_is_integer(cap) && json_integer_value(cap) > 0)
		ret->max_concurrency = json_integer_value(cap);
	for (size_t i = 0; i < json_array_size(list); i++) {
		double value = json_number_value(json_array_get(list, i));
		/* a journal is a file like others: what it says is checked */
		if (value >= 0 && value <= 100)
			ret->percentiles[ret->percentile_count++] = value;
	}
	sort_percentiles(ret);
}
