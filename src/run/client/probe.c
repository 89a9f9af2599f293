#include "run/client/probe.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/stats.h"
#include "base/thread.h"
#include "bench/media/audio.h"
#include "experiment/kinds.h"
#include "run/context.h"
#include "run/route.h"
#include "run/steps/plan.h"

struct run_probe {
	const struct run_context *run;
	const struct run_route *route;
	struct pl_buf body;
	pthread_t thread;
	bool runs;
	struct pl_pause pause;
	double *latencies_ms;
	size_t completed;
	size_t room;
	size_t failed;
};

/* Sends one probe; like a request's, its record ends with the last chunk. */
static void send_one(struct run_probe *probe)
{
	struct bench_load load = run_route_load(probe->run, probe->route);
	struct bench_request request = {
		.body = probe->body.data,
		.body_len = probe->body.len,
		.prompt_tokens = 1,
		.output_tokens = 1,
	};
	PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;

	load.requests = &request;
	load.count = 1;
	load.threads = 1;
	load.max_concurrency = OPTION_NO_I64;
	if (bench_load_run(&load, &outcome, PL_ERR_IGNORED) < 0 || !outcome->records[0].ok) {
		probe->failed++;
		return;
	}
	const struct res_record *record = &outcome->records[0];
	struct res_event_cursor cursor = res_record_cursor(record);
	struct res_event_at at = { .t_ns = record->end_ns };
	while (res_record_next_chunk(&cursor, &at))
		continue;
	*PL_PUSH(probe->latencies_ms, probe->completed,
		 probe->room) = (double)(at.t_ns - record->acted_ns) / 1e6;
}

static void *probe_loop(void *data)
{
	struct run_probe *probe = data;
	/* a rate close to 0 must not overflow */
	int64_t pause_ns = (int64_t)fmin(1e9 / probe->run->experiment->bench.probe_request_rate,
					 1e18);

	do
		send_one(probe);
	/* counted from the response, so probes never overlap, however slow the server is */
	while (pl_pause_until(&probe->pause, pl_clock_now_ns() + pause_ns));
	return NULL;
}

int run_probe_start(const struct run_context *run, const struct run_route *route, const char *model,
		    struct run_probe **ret, struct pl_err *err)
{
	char prompt[] = "Hi";
	struct bench_sample sample = { .prompt = prompt, .prompt_tokens = 1, .output_tokens = 1 };
	auto_json json_t *silence = bench_audio_silence();
	if (exp_backend_has(run->experiment->bench.backend, EXP_BACKEND_FORM))
		sample.audio = silence;
	struct bench_encode how = {
		.bench = &run->experiment->bench,
		.model = model,
		.ignore_eos = run_plan_ignores_eos(&run->experiment->bench),
	};
	struct run_probe *probe = pl_alloc(sizeof(*probe));

	probe->run = run;
	probe->route = route;
	pl_buf_init(&probe->body, 1u << 20);
	pl_pause_init(&probe->pause);
	if (route->adapter->encode(&how, &sample, &probe->body, err) < 0 ||
	    pl_thread_start(&probe->thread, probe_loop, probe, err) < 0) {
		run_probe_free(probe);
		return -1;
	}
	probe->runs = true;
	*ret = probe;
	return 0;
}

void run_probe_stop(struct run_probe *probe)
{
	if (probe == NULL || !probe->runs)
		return;
	pl_pause_end(&probe->pause);
	pthread_join(probe->thread, NULL);
	probe->runs = false;
}

size_t run_probe_count(const struct run_probe *probe)
{
	return probe != NULL ? probe->completed + probe->failed : 0;
}

void run_probe_results(const struct run_probe *probe, json_t *results)
{
	if (probe == NULL || probe->completed == 0)
		return;
	pl_stats_sort(probe->latencies_ms, probe->completed);
	json_object_set_new(results, "probe_completed", json_integer((json_int_t)probe->completed));
	json_object_set_new(results, "probe_failed", json_integer((json_int_t)probe->failed));
	json_object_set_new(
		results, "probe_median_e2el_ms",
		json_real(pl_stats_median_sorted(probe->latencies_ms, probe->completed)));
	json_object_set_new(
		results, "probe_p99_e2el_ms",
		json_real(pl_stats_percentile_sorted(probe->latencies_ms, probe->completed, 99)));
	json_object_set_new(results, "probe_max_e2el_ms",
			    json_real(probe->latencies_ms[probe->completed - 1]));
}

void run_probe_free(struct run_probe *probe)
{
	if (probe == NULL)
		return;
	run_probe_stop(probe);
	pl_pause_done(&probe->pause);
	pl_buf_done(&probe->body);
	free(probe->latencies_ms);
	free(probe);
}
