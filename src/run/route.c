/*
 * The route of requests to the server: its address, the source addresses, the path, and the settings that all loads of
 * a run share. Test request, warm-ups, probes and the measured load use the same route, so a server that answers one of
 * them answers the others.
 */
#include "run/route.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "bench/load/source.h"
#include "experiment/kinds.h"
#include "run/context.h"
#include "run/launch.h"
#include "vllm/version.h"

static int open_sources(const struct exp_config *experiment, struct run_route *route,
			struct pl_err *err)
{
	bench_sources_of(experiment->bench.source_addresses, &route->sources, &route->source_count);
	/* a name without an address: the wait for the server reports it */
	if (route->target.unknown != NULL)
		return 0;
	/* the server is used at an address that they can reach */
	if (route->source_count > 0)
		run_target_keep_family(&route->target, route->sources[0].u.any.sa_family);
	if (bench_sources_check(route->sources, route->source_count, &route->target.addr, err) < 0)
		return pl_err_wrap(err, "{benchmark.source_addresses}");
	return 0;
}

/* If the URL ends with /v1 and the path starts with it, the result has it once. free() */
static char *endpoint_of(const struct run_context *run, const struct run_target *target,
			 const char *path)
{
	bool joined = target->v1_cut && pl_text_starts(path, "/v1/");

	if (joined)
		run_log(run,
			"note: removed /v1 from the end of the server URL, because '%s' begins "
			"with it",
			path);
	auto_free char *whole = pl_asprintf("%s%s%s", target->prefix,
					    target->v1_cut && !joined ? "/v1" : "", path);
	auto_buf quoted = { 0 };
	pl_buf_init(&quoted, 3 * strlen(whole) + 1);
	for (const unsigned char *at = (const unsigned char *)whole; *at != '\0'; at++) {
		if (*at <= ' ' || *at >= 0x7f || strchr("\"<>\\^`{|}", *at) != NULL)
			pl_buf_addf(&quoted, "%%%02X", *at);
		else
			pl_buf_add_char(&quoted, (char)*at);
	}
	return pl_buf_take(&quoted);
}

int run_route_open(const struct run_context *run, const struct run_launch *launch,
		   struct run_route *ret, struct pl_err *err)
{
	const struct vllm_bench *bench = &run->experiment->bench;
	const char *path = bench->endpoint != NULL ? bench->endpoint
						   : exp_backend_find(bench->backend)->endpoint;

	ret->adapter = bench_adapter_find(bench->backend);
	if (run_launch_target(launch, run->experiment, run->stop, &ret->target, err) < 0 ||
	    open_sources(run->experiment, ret, err) < 0)
		return -1;
	ret->endpoint = endpoint_of(run, &ret->target, path);
	return 0;
}

void run_route_done(struct run_route *route)
{
	run_target_done(&route->target);
	free(route->sources);
	free(route->endpoint);
	*route = (struct run_route){ 0 };
}

struct bench_load run_route_load(const struct run_context *run, const struct run_route *route)
{
	const struct vllm_bench *bench = &run->experiment->bench;

	return (struct bench_load){
		.adapter = route->adapter,
		.addr = route->target.addr,
		.sources = route->sources,
		.source_count = route->source_count,
		.host_header = route->target.host,
		.path = route->endpoint,
		.headers = route->target.headers,
		.max_concurrency = bench->max_concurrency,
		.threads = (unsigned)bench->threads,
		.request_timeout_ns = bench->request_timeout,
		.stall_timeout_ns = bench->stall_timeout,
		.run_timeout_ns = OPTION_NO_I64,
		.retry_delay_ns = bench->retry_delay,
		.whole_answers = json_is_false(json_object_get(bench->extra_body, "stream")) ||
				 exp_backend_has(bench->backend, EXP_BACKEND_POOLS),
		.keeps_text = bench->save_detailed,
		.output_chunks = pl_text_equal(route->vllm_metrics, RUN_METRICS_0_33),
		.realtime = bench->realtime,
		.delayed_acks = route->delayed_acks,
		.stop_signal = &run->stop->reason,
	};
}

void run_route_learn_acks(const struct run_context *run, struct run_route *route)
{
	route->delayed_acks = !run->experiment->bench.immediate_acks &&
			      run_target_acks_may_wait(&route->target);
}

const char *run_metrics_rule(const char *release)
{
	struct vllm_version version;
	bool known;

	if (release == NULL || vllm_version_parse(release, &version, PL_ERR_IGNORED) < 0 ||
	    vllm_version_is_untagged(&version))
		return RUN_METRICS_0_33;
	return vllm_release_compare(&version, "0.33.0", &known) < 0 ? RUN_METRICS_0_32
								    : RUN_METRICS_0_33;
}

void run_route_learn_metrics(const struct run_context *run, const char *release,
			     struct run_route *route)
{
	const struct vllm_bench *bench = &run->experiment->bench;

	if (!exp_backend_has(bench->backend, EXP_BACKEND_CHAT))
		return;
	route->vllm_metrics = bench->vllm_metrics != NULL ? bench->vllm_metrics
							  : run_metrics_rule(release);
}
