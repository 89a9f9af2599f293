/*
 * The measured part of a run: when it was, what it took of this process and of the host, and what
 * the server had counted before and after it.
 */
#pragma once

#include "host/system.h"
#include "host/telemetry/metrics_fetch.h"

#include <stdint.h>

struct run_target;
struct run_telemetry;

struct run_window {
	int64_t start_ns;
	int64_t end_ns;
	int64_t cpu_ns; /* of this process */
	int64_t involuntary_switches;
	double stolen_share;
	double withheld_share;
	struct host_stolen stolen_before;
	struct host_metrics_sample before; /* known: false where there is none */
	struct host_metrics_sample after;
};

/* From here on it counts. */
void run_window_begin(struct run_window *window, const struct run_telemetry *telemetry);
void run_window_end(struct run_window *window, const struct run_telemetry *telemetry);

/* A page of the server once nothing runs or waits there, or whatever it says after a second, or at
 * once where the run was asked to end. */
void run_window_settled(const struct run_target *target, struct host_metrics_sample *ret);
