/* Metrics of offline benchmarks in a run's result. */
#include "run/document/offline.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "experiment/offline.h"
#include "result/flat/offline.h"
#include "result/metrics/metrics.h"
#include "run/run_priv.h"

json_t *run_offline_unknown(const struct res_how *how)
{
	const struct res_outcome nothing = {
		.start_ns = RES_NO_TIME,
		.end_ns = RES_NO_TIME,
		.last_send_ns = RES_NO_TIME,
		.worker_cpu_share_max = NAN,
		.inflight_peak = OPTION_NO_I64,
	};
	/* these counts are correct as they are, because we sent no requests */
	static const char *const counts[] = { "completed", "failed", "completed_requests",
					      "failed_requests" };
	json_t *results = res_metrics_compute(&nothing, how);

	PL_JSON_EACH_MEMBER(key, value, results) {
		if (json_is_number(value) && !PL_TEXT_IS_ONE_OF(key, counts))
			json_object_set_new(results, key, json_null());
	}
	return results;
}

/* Adds vLLM's names for a load that was sent to a server. */
static void add_throughput(json_t *results)
{
	const json_t *in = json_object_get(results, "total_input_tokens");
	const json_t *out = json_object_get(results, "total_output_tokens");
	double elapsed_s = pl_json_get_f64(results, "duration");
	double tokens = json_is_number(in) && json_is_number(out)
				? json_number_value(in) + json_number_value(out)
				: NAN;

	json_object_set(results, "elapsed_time", json_object_get(results, "duration"));
	json_object_set(results, "num_requests", json_object_get(results, "completed"));
	json_object_set_new(results, "total_num_tokens", pl_json_count(tokens));
	json_object_set(results, "requests_per_second",
			json_object_get(results, "request_throughput"));
	json_object_set_new(results, "tokens_per_second",
			    pl_json_number(elapsed_s > 0 ? tokens / elapsed_s : NAN));
}

/* The reverse: adds the metrics of all loads to those of vLLM's own benchmark. */
static void add_load(json_t *results)
{
	static const struct {
		const char *key, *from;
	} same[] = { { "duration", "elapsed_time" },
		     { "request_throughput", "requests_per_second" },
		     { "total_token_throughput", "tokens_per_second" } };
	double elapsed_s = pl_json_get_f64(results, "elapsed_time");
	const json_t *in = json_object_get(results, "total_input_tokens");
	const json_t *out = json_object_get(results, "total_output_tokens");

	for (size_t i = 0; i < PL_ARRAY_SIZE(same); i++)
		json_object_set(results, same[i].key, json_object_get(results, same[i].from));
	if (json_is_integer(in) && elapsed_s > 0)
		json_object_set_new(results, "input_throughput",
				    pl_json_number(json_number_value(in) / elapsed_s));
	if (json_is_integer(out) && elapsed_s > 0)
		json_object_set_new(results, "output_throughput",
				    pl_json_number(json_number_value(out) / elapsed_s));
}

/* Adds counts of requests from the benchmark's own metrics: a batch counts as its number of requests. */
static void add_counts(const struct run_state *run, json_t *results)
{
	const struct vllm_bench *bench = &run->context.experiment->bench;
	const json_t *figures = run->measured.figures;
	size_t batches = json_array_size(json_object_get(figures, "latencies"));
	json_t *count = json_object_get(figures, "num_requests");

	if (run->measured.outcome != NULL)
		return;
	if (batches > 0)
		json_object_set_new(results, "completed",
				    json_integer((json_int_t)batches * bench->batch_size));
	else if (count != NULL)
		json_object_set(results, "completed", count);
	json_object_set(results, "completed_requests", json_object_get(results, "completed"));
	json_object_set(results, "failed_requests", json_object_get(results, "failed"));
}

void run_offline_results(const struct run_state *run, json_t *results)
{
	const struct vllm_bench_kind *kind = exp_offline_kind(run->context.experiment);

	if (kind == NULL)
		return;
	bool throughput = strcmp(kind->name, "throughput") == 0;
	if (run->measured.figures == NULL) {
		if (throughput)
			add_throughput(results);
		return;
	}
	json_object_update(results, run->measured.figures);
	add_counts(run, results);
	if (throughput)
		add_load(results);
}

int run_offline_write(const struct run_state *run, const json_t *document, struct pl_err *err)
{
	const struct exp_config *experiment = run->context.experiment;
	const char *path = experiment->bench.output_json;
	const json_t *results = json_object_get(document, "results");

	if (path == NULL || exp_offline_kind(experiment) == NULL || !json_is_object(results) ||
	    exp_is_in_process(experiment))
		return 0;
	auto_json json_t *flat = res_offline_flat(experiment->bench.kind, run->identity.model,
						  results);
	if (res_offline_write(flat, experiment->bench.kind, path, err) < 0)
		return pl_err_wrap(err, "{benchmark.output_json}");
	return 0;
}
