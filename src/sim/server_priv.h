/*
 * The state of one simulator, shared by its parts.
 *
 *
 * One loop, one thread: nothing here locks.
 */
#pragma once

#include "base/buf.h"
#include "io/loop.h"
#include "sim/drift.h"
#include "sim/engine.h"
#include "sim/event_log.h"
#include "sim/faults.h"
#include "sim/metrics.h"
#include "sim/options.h"
#include "sim/request.h"

#include <stdio.h>
#include <sys/queue.h>

#define SIM_SERVER_NAME "profllm-sim"
#define SIM_FINGERPRINT "profllm-sim-" PROFLLM_VERSION

struct sim_conn;
struct sim_conn_calls;
struct sim_job;
struct sim_trace;

struct sim_server {
	const struct sim_options *options;
	struct io_loop *loop;
	struct sim_engine *engine;
	struct sim_engine_config engine_config;
	struct sim_limits limits;
	struct sim_event_log *log;
	FILE *capture;
	struct sim_drift drift;
	struct sim_trace *trace; /* NULL: no profiler, or no directory of its traces */
	struct sim_metrics metrics;
	struct io_watch listener;
	struct io_watch signals;
	struct io_timer step_timer;
	int64_t step_due_ns; /* by the clock of steps; the timer may be later */
	struct io_timer stats_timer;
	const struct sim_conn_calls *calls;
	LIST_HEAD(, sim_conn) conns;
	LIST_HEAD(, sim_job) jobs;
	int64_t clock_offset_ns; /* realtime - monotonic */
	int64_t clock_offset_at_ns;
	int64_t started_s;
	struct sim_engine_stats last_stats;
	int64_t last_stats_ns;
	bool was_idle;
	bool any_dead;
	int64_t listening_ns; /* start time */
	int exit_status;
	int sleep_level; /* 0: awake; no step begins during sleep */
	uint64_t scrapes;
	struct sim_engine_stats scrape_zero; /* subtracted from the counters of /metrics */
	struct sim_fault_count faults;
	uint32_t stalled;      /* sequences of stalled requests, reported as running */
	uint64_t completed;    /* of the requests that faults count */
	bool odd_events;       /* events are sent in another form */
	bool engine_stopped;   /* by a fault: it crashed or hangs */
	struct pl_buf scratch; /* buffer for events and responses */
	char *input;           /* buffer for reads */
	char *plain;           /* buffer for decrypted reads; NULL: no TLS */
	struct io_tls_server *tls;
	char date[40];
	int64_t date_s;
};

/* Schedules a step for the loop's next pass, unless one is running or due. */
static inline void sim_server_wake_engine(struct sim_server *server)
{
	if (!io_timer_runs(&server->step_timer))
		io_timer_start(server->loop, &server->step_timer, io_loop_now_ns(server->loop));
}

/*
 * The statistics that the server reports: it adds stalled sequences, which the engine has dropped but a real one would
 * keep.
 */
static inline void sim_server_stats(const struct sim_server *server, struct sim_engine_stats *ret)
{
	sim_engine_stats(server->engine, ret);
	ret->running += server->stalled;
}
