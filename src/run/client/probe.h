/*
 * vLLM's probe requests: one token each, one after another, during the load and on separate connections, so that they
 * wait for the server and not for the concurrency limit of the load.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

struct run_context;
struct run_route;
struct run_probe;

/* Sends the next one 1/probe_request_rate seconds after a response. Run and route are borrowed. */
int run_probe_start(const struct run_context *run, const struct run_route *route, const char *model,
		    struct run_probe **ret, struct pl_err *err) PL_MUST_CHECK;
/* Waits for the current one; accepts NULL. */
void run_probe_stop(struct run_probe *probe);
/* After the stop: returns the number of sent probes. */
size_t run_probe_count(const struct run_probe *probe);
/*
 * After the stop: adds probe_completed, probe_failed, probe_median_e2el_ms, probe_p99_e2el_ms and probe_max_e2el_ms to
 * `results`; nothing if none succeeded.
 */
void run_probe_results(const struct run_probe *probe, json_t *results);
void run_probe_free(struct run_probe *probe);
