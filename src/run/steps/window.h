/*
 * The measured part of a run: its time, its use of this process and the host, and the server's counters before and
 * after it.
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
	struct host_metrics_sample before; /* known is false if there is none */
	struct host_metrics_sample after;
	struct host_latencies latencies_before; /* of these pages */
	struct host_latencies latencies_after;
};

/* Starts the measurement. */
void run_window_begin(struct run_window *window, const struct run_telemetry *telemetry);
void run_window_end(struct run_window *window, const struct run_telemetry *telemetry);

/*
 * Reads the server's counters once no request runs or waits there. After a second, or at once if the run was asked to
 * stop, takes the current ones.
 */
void run_window_settled(const struct run_target *target, struct host_metrics_sample *ret,
			struct host_latencies *ret_latencies);
