/*
 * What one simulator has; its parts share it.
 *
 *   bytes -> conn.c -> routes.c -> job.c -> engine
 *   engine -> server.c (steps) -> job.c -> events.c (bytes) -> conn.c -> send()
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

struct sim_server {
	const struct sim_options *options;
	struct io_loop *loop;
	struct sim_engine *engine;
	struct sim_engine_config engine_config;
	struct sim_limits limits;
	struct sim_event_log *log;
	FILE *capture;
	struct sim_drift drift;
	struct sim_metrics metrics;
	struct io_watch listener;
	struct io_watch signals;
	struct io_timer step_timer;
	int64_t step_due_ns; /* by the clock of steps, even when the timer is set later */
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
	int64_t listening_ns; /* since when */
	int exit_status;
	int sleep_level; /* 0: awake; no step begins while it sleeps */
	uint64_t scrapes;
	struct sim_engine_stats scrape_zero; /* what the counters of /metrics begin at */
	struct sim_fault_count faults;
	uint32_t stalled;      /* sequences of stalled requests, which run on for whoever asks */
	uint64_t completed;    /* of the requests that faults count */
	bool odd_events;       /* events are not sent as they are made */
	bool engine_stopped;   /* by a fault: it died or stands still */
	struct pl_buf scratch; /* events and answers are built here */
	char *input;           /* reads go here */
	char *plain;           /* what a read was before TLS; NULL: none is spoken */
	struct io_tls_server *tls;
	char date[40];
	int64_t date_s;
};

/* A step begins in the loop's next pass, unless one is under way or due. */
static inline void sim_server_wake_engine(struct sim_server *server)
{
	if (!io_timer_runs(&server->step_timer))
		io_timer_start(server->loop, &server->step_timer, io_loop_now_ns(server->loop));
}

/* As the server tells them: the engine has dropped what stalls, a real one would hold it on. */
static inline void sim_server_stats(const struct sim_server *server, struct sim_engine_stats *ret)
{
	sim_engine_stats(server->engine, ret);
	ret->running += server->stalled;
}
