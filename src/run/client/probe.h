/*
 * vLLM's probe requests: one token, one after the other, beside the load and on connections of
 * their own, so that they wait for the server and not for the load's cap.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

struct run_context;
struct run_route;
struct run_probe;

/* Sends the next one 1/probe_request_rate seconds after an answer. Run and route are borrowed. */
int run_probe_start(const struct run_context *run, const struct run_route *route, const char *model,
		    struct run_probe **ret, struct pl_err *err) PL_MUST_CHECK;
/* Lets the one that is open end; NULL is harmless. */
void run_probe_stop(struct run_probe *probe);
/* After the stop: how many were sent. */
size_t run_probe_count(const struct run_probe *probe);
/* After the stop: probe_completed, probe_failed, probe_median_e2el_ms, probe_p99_e2el_ms and
 * probe_max_e2el_ms into `results`; nothing where none succeeded. */
void run_probe_results(const struct run_probe *probe, json_t *results);
void run_probe_free(struct run_probe *probe);
