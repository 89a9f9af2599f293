#include "run/document/breakdown.h"

#include "result/breakdown.h"
#include "run/document/facts.h"
#include "run/run_priv.h"

static const enum host_latency latency_ids[RES_SERVER_COUNT] = {
#define SERVER_LATENCY(id, key, title, text) [RES_SERVER_##id] = HOST_LATENCY_##id,
#include "tbl/breakdown.h"
};

/* NaN, a page without the gauges, is not above 0. */
static bool is_busy(const struct host_metrics_sample *page)
{
	return page->known && page->metrics.running + page->metrics.waiting > 0;
}

/*
 * No network lies between both only if the run started the server and reached it by loopback: an address of this host
 * may be the end of a tunnel to a server that was already running.
 */
static bool is_local(const struct run_state *run)
{
	return run->launch->url == NULL && io_addr_is_here(&run->route.target.addr);
}

json_t *run_breakdown(const struct run_state *run, const json_t *results)
{
	const struct run_window *window = &run->measured.window;
	struct res_breakdown_facts facts = {
		.has_pages = window->before.known && window->after.known,
		.is_restarted = run_server_restarted(run) > 0,
		.is_busy_before = is_busy(&window->before),
		.is_busy_after = is_busy(&window->after),
		.has_choices = pl_json_get_i64(run->context.experiment->bench.extra_body, "n") > 1,
		.is_local = is_local(run),
	};

	for (size_t i = 0; i < RES_SERVER_COUNT && facts.has_pages; i++) {
		enum host_latency id = latency_ids[i];
		if (!window->latencies_after.known[id])
			continue;
		const struct pl_buckets *before = &window->latencies_before.of[id];
		const struct pl_buckets *after = &window->latencies_after.of[id];
		facts.known[i] = pl_buckets_between(before, after, &facts.latency[i]);
		/* it belongs to another server process */
		facts.is_restarted |= after->count < before->count;
	}
	return res_breakdown(run->measured.outcome, results, &facts);
}
