#include "sweep/vllm/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS_PER_S 1000.0

static int figure(const json_t *run, const char *key, double *ret, struct pl_err *err)
{
	const json_t *value = json_object_get(run, key);

	if (!json_is_number(value))
		return pl_err_set(err, PL_ERR_FAILED,
				  "the result: found %s for '%s', expected a number",
				  value == NULL ? "nothing" : "no number", key);
	*ret = json_number_value(value);
	return 0;
}

int sweep_vllm_mean(const json_t *runs, const char *key, double *ret, struct pl_err *err)
{
	double sum = 0, value = 0;

	PL_JSON_EACH(run, runs) {
		if (figure(run, key, &value, err) < 0)
			return -1;
		sum += value;
	}
	*ret = sum / (double)json_array_size(runs);
	return 0;
}

static int estimate_one(const json_t *run, bool is_rate, double *ret, struct pl_err *err)
{
	double rate, latency_ms;

	if (figure(run, "request_throughput", &rate, err) < 0 ||
	    (!is_rate && figure(run, "mean_e2el_ms", &latency_ms, err) < 0))
		return -1;
	*ret = is_rate ? rate : rate * latency_ms / MS_PER_S;
	return 0;
}

int sweep_vllm_estimate(const json_t *runs, const char *variable, double *ret, struct pl_err *err)
{
	bool is_rate = strcmp(variable, "request_rate") == 0;
	double sum = 0, value = 0;

	PL_JSON_EACH(run, runs) {
		if (estimate_one(run, is_rate, &value, err) < 0)
			return -1;
		sum += value;
	}
	*ret = sum / (double)json_array_size(runs);
	return 0;
}

static int compare(const void *a, const void *b)
{
	const double *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

json_t *sweep_vllm_between(double lo, double hi, int64_t count)
{
	json_t *values = json_array();
	size_t inner = count > 2 ? (size_t)count - 2 : 0;
	auto_free double *all = pl_alloc_array(inner + 1, sizeof(*all));
	double step = (hi - lo) / (double)(count - 1);

	/* as numpy.linspace() and round(); rint() rounds half to even in the default mode */
	for (size_t i = 0; i < inner; i++)
		all[i] = rint((double)(i + 1) * step + lo);
	qsort(all, inner, sizeof(*all), compare);
	for (size_t i = 0; i < inner; i++) {
		if (all[i] >= 1 && (i == 0 || all[i] > all[i - 1]))
			json_array_append_new(values, json_integer((json_int_t)all[i]));
	}
	return values;
}
