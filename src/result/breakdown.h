/*
 * Where the time of a request went: the client's mean TTFT and E2EL, split by the server's histograms
 * (docs/reference/metrics.md, "Where the time went").
 *
 *	client's E2EL = client + network + front end + queue + prefill + decode
 *
 * The engine's parts are exact means if both sides count the same requests. Network and front end are what remains, so
 * each has limits.
 */
#pragma once

#include "base/buckets.h"
#include "base/json.h"
#include "result/outcome.h"

enum res_server_latency {
#define SERVER_LATENCY(id, key, title, text) RES_SERVER_##id,
#include "tbl/breakdown.h"
	RES_SERVER_COUNT
};

/* The facts of the server. */
struct res_breakdown_facts {
	bool has_pages;               /* /metrics was read before and after the run */
	bool is_restarted;            /* the server restarted in between */
	bool is_busy_before;          /* requests ran or waited before the run */
	bool is_busy_after;           /* or after it */
	bool has_choices;             /* requests had several choices */
	bool is_local;                /* no network: the server is on this host */
	bool known[RES_SERVER_COUNT]; /* the pages have it */
	struct pl_buckets latency[RES_SERVER_COUNT]; /* seconds, between the pages */
};

/* Returns results.latency_breakdown. `results` has the client's means. New reference. */
json_t *res_breakdown(const struct res_outcome *outcome, const json_t *results,
		      const struct res_breakdown_facts *facts);
/* Returns the sentence of a reason; NULL: unknown. */
const char *res_breakdown_reason_text(const char *name);
