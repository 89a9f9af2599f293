/*
 * Sampling over the course of a run:
 *
 *	start ── idle power ── counting: server up, load, server down ── idle power ── stop
 *	           before                 windows are marked in it          after
 *
 * Energy above idle is the energy within the windows minus the mean idle power times their length. If idle power
 * exceeds that of the load, it was not idle: then nothing is reported.
 */
#include "run/telemetry.h"

#include <arpa/inet.h>
#include <math.h>

#include "base/clock.h"
#include "base/zst.h"
#include "result/quality.h"
#include "run/context.h"
#include "run/launch.h"
#include "run/stop.h"

/* How long idle power is measured. */
#define IDLE_NS (500 * PL_NS_PER_MS)
/* Maximum time for the first sample of the GPUs, and for idle power after the end. */
#define FIRST_WAIT_NS (3 * PL_NS_PER_S)
#define REST_WAIT_NS  (5 * PL_NS_PER_S)
/* Interval in which a signal is noticed meanwhile. */
#define REST_SLICE_NS (100 * PL_NS_PER_MS)

/* Returns uuids and indexes of the run's GPUs; NULL: all GPUs of the host. New reference. */
static json_t *gpus_of(const struct exp_launch *requested, const struct run_launch *launch,
		       const struct run_target *target)
{
	const json_t *gpus = launch->gpus;
	json_t *names = json_array();

	if (launch->url != NULL && json_is_array(requested->gpus))
		gpus = requested->gpus;
	else if (launch->url != NULL && run_target_is_here(target, requested)) {
		/* another server on this host may use any of them */
		json_decref(names);
		return NULL;
	}
	PL_JSON_EACH(item, gpus) {
		json_t *uuid = json_object_get(item, "uuid");
		if (json_is_object(item))
			item = json_is_string(uuid) ? uuid : json_object_get(item, "index");
		if (item != NULL)
			json_array_append(names, item);
	}
	return names;
}

int run_telemetry_start(const struct run_context *run, const struct run_launch *launch,
			const struct run_target *target, const char *series_path,
			struct run_telemetry *ret, struct pl_err *err)
{
	const struct exp_config *experiment = run->experiment;
	auto_json json_t *gpus = gpus_of(&experiment->launch, launch, target);

	if (experiment->output.series && pl_zst_open(series_path, &ret->series, err) < 0)
		return -1;
	struct host_telemetry_spec spec = {
		.interval_ns = experiment->telemetry.interval_ns,
		.gpu = experiment->telemetry.gpu,
		.host = experiment->telemetry.host,
		.gpus = gpus,
		.run_id = launch->url == NULL ? run->mark : NULL,
		.series = ret->series,
	};
	if (host_telemetry_start(&spec, &ret->host, err) < 0)
		return pl_err_wrap(err, "telemetry");
	if (host_telemetry_gpu_count(ret->host) > 0 && launch->url == NULL && !run->joins) {
		int64_t until_ns = pl_clock_now_ns() + IDLE_NS;
		host_telemetry_await(ret->host, 1, FIRST_WAIT_NS);
		pl_clock_sleep_until(until_ns);
	}
	host_telemetry_idle(ret->host, HOST_IDLE_COUNT);
	return 0;
}

struct host_metrics_source run_telemetry_source(const struct run_target *target)
{
	struct run_patience patience = run_target_patience(target, HOST_METRICS_TIMEOUT_NS);

	return (struct host_metrics_source){
		.addr = &target->addr,
		.host = target->host,
		.headers = target->headers,
		.prefix = target->prefix,
		.timeout_ns = patience.timeout_ns,
		.stop_signal = patience.stop_signal,
	};
}

void run_telemetry_metrics(const struct run_context *run, const struct run_telemetry *telemetry,
			   const struct run_target *target)
{
	struct host_metrics_source source = run_telemetry_source(target);
	int64_t interval_ns = run->experiment->telemetry.server_metrics_ns;

	if (telemetry->host != NULL && interval_ns != OPTION_NO_I64)
		host_telemetry_metrics(telemetry->host, &source, interval_ns);
}

void run_telemetry_metrics_over(const struct run_telemetry *telemetry)
{
	if (telemetry->host != NULL)
		host_telemetry_metrics_over(telemetry->host);
}

/* Returns false if the run was asked to stop. */
static bool sleep_on(const struct run_context *run, int64_t until_ns)
{
	for (;;) {
		int64_t now_ns = pl_clock_now_ns();
		if (run_stop_signal(run->stop) != 0 || now_ns >= until_ns)
			return now_ns >= until_ns;
		pl_clock_sleep_until(until_ns - now_ns > REST_SLICE_NS ? now_ns + REST_SLICE_NS
								       : until_ns);
	}
}

void run_telemetry_rest(const struct run_context *run, const struct run_telemetry *telemetry)
{
	struct host_telemetry *host = telemetry->host;
	int64_t due_ns = pl_clock_now_ns() + REST_WAIT_NS;

	if (host == NULL || host_telemetry_gpu_count(host) == 0 || run_stop_signal(run->stop) != 0)
		return;
	/* plus one interval, because a sample may be late */
	int64_t looks_ns = (HOST_IDLE_LOOKS + 1) * host_telemetry_gpu_interval_ns(host);
	int64_t each_ns = looks_ns > IDLE_NS ? looks_ns : IDLE_NS;
	/* samples are too rare to show anything in that time */
	if (each_ns > REST_WAIT_NS)
		return;
	do
		host_telemetry_idle(host, HOST_IDLE_AFTER);
	while (sleep_on(run, pl_clock_now_ns() + each_ns) && !host_telemetry_is_at_rest(host) &&
	       pl_clock_now_ns() + each_ns <= due_ns);
	host_telemetry_idle(host, HOST_IDLE_COUNT);
}

void run_telemetry_stop(struct run_telemetry *telemetry)
{
	host_telemetry_stop(telemetry->host);
	telemetry->over = telemetry->host != NULL;
}

void run_telemetry_done(struct run_telemetry *telemetry)
{
	host_telemetry_free(telemetry->host);
	pl_zst_free(telemetry->series);
	*telemetry = (struct run_telemetry){ 0 };
}

static double mean_of_known(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? b : a;
	return (a + b) / 2;
}

void run_telemetry_gpu_energy(const struct host_telemetry *host, size_t i,
			      struct run_gpu_energy *ret)
{
	const struct host_windows *windows = host_telemetry_windows(host);
	const struct host_sum *power = host_sums_get(&host_telemetry_gpu(host, i)->sums,
						     HOST_Q_gpu_power_w);

	ret->idle_before_w = host_telemetry_idle_w(host, i, HOST_IDLE_BEFORE);
	ret->idle_after_w = host_telemetry_idle_w(host, i, HOST_IDLE_AFTER);
	ret->idle_w = mean_of_known(ret->idle_before_w, ret->idle_after_w);
	ret->energy.total_j = host_sum_total(power, windows);
	ret->energy.above_idle_j = ret->energy.total_j -
				   ret->idle_w * host_windows_length_s(windows);
}

double run_energy_known(double above_idle_j)
{
	return above_idle_j >= 0 ? above_idle_j : NAN;
}

struct run_energy run_telemetry_energy(const struct run_telemetry *telemetry)
{
	const struct host_telemetry *host = telemetry->over ? telemetry->host : NULL;
	size_t count = host != NULL ? host_telemetry_gpu_count(host) : 0;
	double none = count > 0 ? 0 : NAN;
	struct run_energy all = { .total_j = none, .above_idle_j = none };

	for (size_t i = 0; i < count; i++) {
		struct run_gpu_energy gpu;
		run_telemetry_gpu_energy(host, i, &gpu);
		all.total_j += gpu.energy.total_j;
		all.above_idle_j += gpu.energy.above_idle_j;
	}
	return all;
}

/* Returns the maximum over the run's GPUs; NaN if none reports it. */
static double throttled_share(const struct host_telemetry *host)
{
	double worst = NAN;

	for (size_t i = 0; i < host_telemetry_gpu_count(host); i++) {
		const struct host_sum *sum = host_sums_get(&host_telemetry_gpu(host, i)->sums,
							   HOST_Q_gpu_throttle);
		if (sum->samples > 0)
			worst = fmax(worst, (double)sum->bad_samples / (double)sum->samples);
	}
	return worst;
}

void run_telemetry_facts(const struct run_telemetry *telemetry, struct res_quality_facts *ret)
{
	const struct host_telemetry *host = telemetry->over ? telemetry->host : NULL;

	if (host == NULL)
		return;
	ret->throttled_share = throttled_share(host);
	/* a GPU without other processes says nothing about other requests to the server */
	if (host_telemetry_foreign(host) > 0)
		ret->foreign_load = 1;
}
