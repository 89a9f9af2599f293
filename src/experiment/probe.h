/*
 * vLLM's probe requests: one token, one after the other, beside the load and on connections of
 * their own, so that they wait for the server and not for the load's cap.
 */
#ifndef EXPERIMENT_PROBE_H
#define EXPERIMENT_PROBE_H

#include "base/json.h"

struct exp_run;
struct exp_probe;

/* Sends the next one 1/rate seconds after an answer. */
int exp_probe_start(const struct exp_run *run, double rate, struct exp_probe **ret,
		    struct pl_err *err) PL_MUST_CHECK;
/* Lets the one that is open end; NULL is harmless. */
void exp_probe_stop(struct exp_probe *probe);
/* After the stop: how many were sent. */
size_t exp_probe_count(const struct exp_probe *probe);
/* After the stop: probe_completed, probe_failed, probe_median_e2el_ms, probe_p99_e2el_ms and
 * probe_max_e2el_ms into `results`; nothing where none succeeded. */
void exp_probe_results(const struct exp_probe *probe, json_t *results);
void exp_probe_free(struct exp_probe *probe);

#endif
