/* The rules of agreement.c for vLLM's offline benchmarks: throughput's rates, and latency's list of batches. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "base/text.h"
#include "result/flat/agreement.h"
#include "result/quality.h"

/* For values that a script has rounded. */
#define SLACK_SHARE 1e-3

/* The worst share by which a figure is off, and which. */
static void expect(double *worst, char *text, const char *key, double found, double expected)
{
	double share = fabs(found - expected) / fmax(fabs(found), fabs(expected));

	if (!(share > SLACK_SHARE) || share <= *worst)
		return;
	*worst = share;
	snprintf(text, RES_QUALITY_DETAIL_BYTES, "%s: found %.6g, expected %.6g", key, found,
		 expected);
}

static void check_throughput(const json_t *json, struct res_quality_facts *ret)
{
	static const struct {
		const char *key, *count;
	} rates[] = { { "requests_per_second", "num_requests" },
		      { "tokens_per_second", "total_num_tokens" } };
	double elapsed = pl_json_get_f64(json, "elapsed_time");

	/* the console has neither */
	if (json_object_get(json, "elapsed_time") == NULL)
		return;
	ret->completed = (double)pl_json_get_i64(json, "num_requests");
	ret->totals_off_share = 0;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rates) && elapsed > 0; i++)
		expect(&ret->totals_off_share, ret->totals_detail, rates[i].key,
		       pl_json_get_f64(json, rates[i].key),
		       (double)pl_json_get_i64(json, rates[i].count) / elapsed);
	if (ret->completed > 0 && !(elapsed > 0)) {
		ret->totals_off_share = 1;
		snprintf(ret->totals_detail, sizeof(ret->totals_detail),
			 "elapsed_time: found 0, expected the time of %.0f requests",
			 ret->completed);
	}
}

static void check_latency(const json_t *json, struct res_quality_facts *ret)
{
	const json_t *list = json_object_get(json, "latencies");
	size_t count = json_array_size(list);
	auto_free double *sorted = pl_alloc_array(count, sizeof(*sorted));

	ret->completed = (double)count;
	if (count == 0)
		return;
	PL_JSON_EACH(item, list)
		sorted[item_at] = json_number_value(item);
	pl_stats_sort(sorted, count);
	ret->lists_off_share = 0;
	ret->impossible_zeros = 0;
	if (!(sorted[count - 1] > 0)) {
		ret->impossible_zeros = 1;
		snprintf(ret->zeros_detail, sizeof(ret->zeros_detail), "latencies");
	}
	expect(&ret->lists_off_share, ret->lists_detail, "avg_latency",
	       pl_json_get_f64(json, "avg_latency"), pl_stats_mean(sorted, count));
	PL_JSON_EACH_MEMBER(name, value, json_object_get(json, "percentiles")) {
		double percent;
		if (pl_text_to_f64(name, &percent) && percent >= 0 && percent <= 100)
			expect(&ret->lists_off_share, ret->lists_detail, name,
			       json_number_value(value),
			       pl_stats_percentile_sorted(sorted, count, percent));
	}
}

void res_offline_facts(const char *kind, const json_t *json, struct res_quality_facts *ret)
{
	if (strcmp(kind, "throughput") == 0)
		check_throughput(json, ret);
	else if (strcmp(kind, "latency") == 0)
		check_latency(json, ret);
}
