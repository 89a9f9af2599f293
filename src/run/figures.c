#include "run/figures.h"

#include <stdlib.h>

#include "base/stats.h"
#include "result/metrics/metrics.h"
#include "run/steps/plan.h"

int run_figures_percentiles(const struct vllm_bench *bench, double **ret, size_t *ret_count,
			    struct pl_err *err)
{
	double *asked = NULL;
	size_t count = 0, used = 0;

	if (res_percentiles_parse(bench->metric_percentiles, &asked, &count, err) < 0)
		return -1;
	pl_stats_sort(asked, count);
	for (size_t i = 0; i < count; i++) {
		if (used == 0 || asked[i] > asked[used - 1])
			asked[used++] = asked[i];
	}
	*ret = asked;
	*ret_count = used;
	return 0;
}

json_t *run_figures_how(const struct exp_config *experiment)
{
	const struct vllm_bench *bench = &experiment->bench;
	auto_free double *percentiles = NULL;
	struct pl_err ignored = PL_ERR_INIT;
	size_t count = 0;
	json_t *list = json_array();

	/* checked before the start */
	if (run_figures_percentiles(bench, &percentiles, &count, &ignored) < 0)
		count = 0;
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_real(percentiles[i]));
	return json_pack(
		"{s:o, s:O?, s:o, s:b, s:b}", "percentiles", list, "goodput", bench->goodput,
		"max_concurrency",
		bench->max_concurrency == OPTION_NO_I64 ? json_null()
							: json_integer(bench->max_concurrency),
		"finite_rate", run_plan_has_rate(bench), "requests", experiment->output.requests);
}
