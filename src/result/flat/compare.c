/*
 * Whether the summary in a file of vLLM's client follows from its lists. Every metric is computed
 * again from the lists; the result is the largest relative difference. It reveals errors in reading
 * the file, and releases with other formulas.
 */
#include "result/flat/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"

struct sample {
	const char *ending; /* of the summary's keys */
	double *ms;
	size_t count;
};

enum { TTFT, TPOT, ITL, E2EL, SAMPLES };

struct worst {
	double share;
	const char *key;
};

/*
 * Compares a metric with its expected value. Two zeros are equal; an unknown metric is not
 * compared.
 */
static void compare(const struct res_flat *flat, const char *key, double expected,
		    struct worst *worst)
{
	double reported = res_flat_number(flat, key);
	double off = fabs(reported - expected);

	if (isnan(reported) || isnan(expected))
		return;
	double share = off > 0 ? off / fmax(fabs(reported), fabs(expected)) : 0;
	if (isnan(worst->share) || share > worst->share)
		*worst = (struct worst){ share, key };
}

/* Returns vLLM's e2el: the latency, or, in releases without latencies, the sum of its parts. */
static double latency_of(const struct res_flat_request *request)
{
	return isnan(request->latency_s)
		       ? request->ttft_s + pl_stats_sum(request->gaps, request->gap_count)
		       : request->latency_s;
}

static void collect(const struct res_flat *flat, struct sample samples[SAMPLES])
{
	size_t gaps = 0;

	for (size_t i = 0; i < flat->count; i++)
		gaps += flat->requests[i].gap_count;
	for (size_t k = 0; k < SAMPLES; k++)
		samples[k].ms = pl_alloc_array(k == ITL ? gaps : flat->count, sizeof(double));
	for (size_t i = 0; i < flat->count; i++) {
		const struct res_flat_request *request = &flat->requests[i];
		double latency_s = latency_of(request);
		if (!request->ok)
			continue;
		samples[TTFT].ms[samples[TTFT].count++] = request->ttft_s * 1e3;
		samples[E2EL].ms[samples[E2EL].count++] = latency_s * 1e3;
		/* one token has no time per token */
		if (request->output_tokens > 1)
			samples[TPOT].ms[samples[TPOT].count++] =
				(latency_s - request->ttft_s) /
				(double)(request->output_tokens - 1) * 1e3;
		for (size_t k = 0; k < request->gap_count; k++)
			samples[ITL].ms[samples[ITL].count++] = request->gaps[k] * 1e3;
	}
}

/* Which statistic of the sample the key names; NaN: none. The sample is sorted. */
static double expected_of(const char *key, const struct sample *sample, double mean, double std)
{
	size_t len = strlen(key) - strlen(sample->ending);
	auto_free char *name = pl_strndup(key, len);
	double percentile;

	/* vLLM writes 0 for an empty sample */
	if (sample->count == 0)
		return 0;
	if (strcmp(name, "mean") == 0)
		return mean;
	if (strcmp(name, "std") == 0)
		return std;
	if (strcmp(name, "median") == 0)
		return pl_stats_median_sorted(sample->ms, sample->count);
	if (name[0] != 'p' || !pl_text_to_f64(name + 1, &percentile) ||
	    !(percentile >= 0 && percentile <= 100))
		return NAN;
	return pl_stats_percentile_sorted(sample->ms, sample->count, percentile);
}

static void compare_sample(const struct res_flat *flat, struct sample *sample, struct worst *worst)
{
	double mean = pl_stats_mean(sample->ms, sample->count);
	double std = pl_stats_std(sample->ms, sample->count);

	pl_stats_sort(sample->ms, sample->count);
	PL_JSON_EACH_MEMBER(key, value, flat->json) {
		if (json_is_number(value) && pl_text_ends(key, sample->ending))
			compare(flat, key, expected_of(key, sample, mean, std), worst);
	}
}

/* A duration of 0 makes no rate. */
static double rate(double count, const struct res_flat *flat)
{
	return flat->duration_s > 0 ? count / flat->duration_s : NAN;
}

double res_flat_difference(const struct res_flat *flat, const char **ret_key)
{
	struct sample samples[SAMPLES] = { [TTFT] = { .ending = "_ttft_ms" },
					   [TPOT] = { .ending = "_tpot_ms" },
					   [ITL] = { .ending = "_itl_ms" },
					   [E2EL] = { .ending = "_e2el_ms" } };
	struct worst worst = { .share = NAN };

	*ret_key = NULL;
	if (flat->requests == NULL)
		return NAN;
	double in = 0, out = 0;
	for (size_t i = 0; i < flat->count; i++) {
		if (!flat->requests[i].ok)
			continue;
		in += (double)flat->requests[i].input_tokens;
		out += (double)flat->requests[i].output_tokens;
	}
	compare(flat, "total_input_tokens", in, &worst);
	compare(flat, "total_output_tokens", out, &worst);
	compare(flat, "request_throughput", rate((double)flat->completed, flat), &worst);
	compare(flat, "output_throughput", rate(out, flat), &worst);
	compare(flat, "total_token_throughput", rate(in + out, flat), &worst);
	collect(flat, samples);
	for (size_t k = 0; k < SAMPLES; k++) {
		compare_sample(flat, &samples[k], &worst);
		free(samples[k].ms);
	}
	*ret_key = worst.key;
	return worst.share;
}

double res_flat_identity_us(const struct res_flat *flat)
{
	double worst = NAN;

	for (size_t i = 0; flat->has_latencies && i < flat->count; i++) {
		const struct res_flat_request *request = &flat->requests[i];
		if (!request->ok)
			continue;
		double off_s = fabs(request->ttft_s +
				    pl_stats_sum(request->gaps, request->gap_count) -
				    request->latency_s);
		worst = fmax(isnan(worst) ? 0 : worst, off_s * 1e6);
	}
	return worst;
}
