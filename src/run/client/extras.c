/*
 * The extras of a load: counters of speculative decoding before and after it, the profiler around it, probes during it.
 * They start before the first request and stop after the last response. Only a probe that cannot be started ends the
 * run.
 */
#include "run/client/extras.h"

#include "base/clock.h"
#include "run/context.h"
#include "run/route.h"

#define PAGE_TIMEOUT_NS (10 * PL_NS_PER_S)
/* A profiler writes its traces before it responds: minutes for a large model. */
#define FLUSH_TIMEOUT_NS (600 * PL_NS_PER_S)

static void read_counters(const struct run_target *target, struct host_spec_decode *ret)
{
	auto_reply reply = { 0 };

	*ret = (struct host_spec_decode){ .known = false };
	if (run_target_fetch(target, "/metrics", PAGE_TIMEOUT_NS, &reply, PL_ERR_IGNORED) == 0 &&
	    reply.status == 200)
		host_spec_decode_parse(reply.body, reply.body_len, ret);
}

#define NO_ANSWER     0    /* within the time limit: the server may have done it anyway */
#define NOT_SUPPORTED (-1) /* the server was not reached, or closed the connection */

/* Returns the status of the response. A second ^C ends the wait: the first one leaves the server time to write. */
static int report_profiler(const struct run_context *run, const struct run_target *target,
			   const char *path, int64_t timeout_ns)
{
	auto_reply reply = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (run_target_post(target, path, timeout_ns, &run->stop->hurry, &reply, &err) < 0) {
		run_log(run, "note: '%s': %s", path, err.text);
		return err.code == PL_ERR_TIMEOUT ? NO_ANSWER : NOT_SUPPORTED;
	}
	if (reply.status != 200)
		run_log(run,
			"note: '%s' returned status %d; to profile, start the server with a "
			"profiler_config",
			path, reply.status);
	return reply.status;
}

static void start_profiler(const struct run_context *run, const struct run_target *target,
			   struct run_extras *ret)
{
	int status = report_profiler(run, target, "/start_profile", PAGE_TIMEOUT_NS);

	ret->profiled = status == 200 || status == NO_ANSWER;
	if (status == NO_ANSWER)
		ret->flush_ns = PAGE_TIMEOUT_NS; /* it will hardly respond this time either */
	if (status != 200)
		return;
	ret->flush_ns = FLUSH_TIMEOUT_NS;
	run_log(run, "note: the profiler of the server is running, which affects the metrics");
}

void run_extras_reset_cache(const struct run_context *run, const struct run_target *target)
{
	static const char path[] = "/reset_prefix_cache";
	auto_reply reply = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (run_target_post(target, path, PAGE_TIMEOUT_NS, &run->stop->hurry, &reply, &err) < 0)
		run_log(run, "note: '%s': %s", path, err.text);
	else if (reply.status != 200)
		run_log(run,
			"note: '%s' returned status %d, so the prefix cache was not emptied; vLLM "
			"has the route with VLLM_SERVER_DEV_MODE=1",
			path, reply.status);
}

int run_extras_start(const struct run_context *run, const struct run_route *route,
		     const char *model, struct run_extras *ret, struct pl_err *err)
{
	const struct vllm_bench *bench = &run->experiment->bench;

	read_counters(&route->target, &ret->before);
	if (bench->profile)
		start_profiler(run, &route->target, ret);
	if (bench->profile_batch_threshold != OPTION_NO_I64 &&
	    run_profile_window_start(run, &route->target, &ret->profile, err) < 0)
		return -1;
	if (bench->probe_request_rate > 0)
		return run_probe_start(run, route, model, &ret->probe, err);
	return 0;
}

void run_extras_stop(const struct run_context *run, const struct run_target *target,
		     struct run_extras *extras)
{
	run_probe_stop(extras->probe);
	if (extras->profile != NULL)
		extras->profiled |= run_profile_window_stop(extras->profile);
	if (extras->flush_ns == 0)
		return;
	run_log(run, "waiting for the server to write its profile");
	report_profiler(run, target, "/stop_profile", extras->flush_ns);
	extras->flush_ns = 0;
}

void run_extras_count(const struct run_target *target, struct run_extras *extras)
{
	if (extras->before.known)
		read_counters(target, &extras->after);
}

void run_extras_results(const struct run_extras *extras, json_t *results)
{
	auto_json json_t *spec = host_spec_decode_between(&extras->before, &extras->after);

	run_probe_results(extras->probe, results);
	PL_JSON_EACH_MEMBER(name, value, spec) {
		auto_free char *key = pl_asprintf("spec_decode_%s", name);
		json_object_set(results, key, value);
	}
}

void run_extras_done(struct run_extras *extras)
{
	run_probe_free(extras->probe);
	extras->probe = NULL;
	run_profile_window_free(extras->profile);
	extras->profile = NULL;
}
