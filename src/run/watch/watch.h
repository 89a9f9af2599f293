/*
 * Watches a run while it lasts. One thread per run does what needs attention:
 *
 *	each 0.1 s   has the server ended? how many requests has the run finished? (for the starter of the run)
 *	each 1 s     a snapshot: to the terminal, and to the sink that the caller of the run provides
 *
 * - The load publishes what it does anyway (counters, feed): a snapshot costs its workers nothing. Telemetry is copied
 *   under its lock, which is held for microseconds.
 * - The run's own thread calls all functions. Texts are copied; the rest is borrowed until the matching end.
 * - Snapshots are only made for a terminal or a sink.
 */
#pragma once

#include "base/json.h"
#include "bench/load/feed.h"
#include "bench/load/load.h"
#include "result/document.h"
#include "run/run.h"

struct host_telemetry;
struct run_context;
struct run_launch;
struct run_server;
struct run_watch;

/* Starts the thread. */
int run_watch_start(const struct run_context *run, const struct run_launch *launch,
		    struct host_telemetry *telemetry, const struct run_sink *sink,
		    struct run_watch **ret, struct pl_err *err) PL_MUST_CHECK;
/* Ends the thread; NULL: does nothing. */
void run_watch_stop(struct run_watch *watch);

/* The functions below accept NULL: they do nothing. */

/* The run enters a stage. */
void run_watch_stage(struct run_watch *watch, enum res_stage stage);
/* Notes how far the start of the server is, by its log. */
void run_watch_server(struct run_watch *watch, const struct run_server *server);
/* Notes what the server reports about itself; NULL: unknown. */
void run_watch_identity(struct run_watch *watch, const char *model, const char *version);

struct run_watch_load {
	const struct bench_progress *counters;
	struct bench_feed *feed;
	size_t total;
	int64_t planned_s;                  /* when the last request is planned; 0: at once */
	bool quiet;                         /* draws no progress */
	const struct host_process *process; /* its end stops the run; NULL: none */
};
/* The measured load begins; borrows everything until the end. */
void run_watch_begin(struct run_watch *watch, const struct run_watch_load *load);
/* Call it before the records of the feed are freed. Prints the last progress. */
void run_watch_end(struct run_watch *watch);

/* The server is profiled, with requests of its own, after the load. `step`: what it does; NULL: it has ended. */
void run_watch_profiling(struct run_watch *watch, const char *step);

/*
 * Returns `verdict` of a snapshot from `quality` of a result, or of what is known so far: then a run without a check over
 * its limit has no verdict yet. New reference.
 */
json_t *run_watch_verdict(const json_t *quality, bool is_final);
