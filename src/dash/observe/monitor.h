/*
 * The state of a server for health checks, metrics and the watchdog. A thread queries the database and the file systems
 * at intervals, so that a reader of the state never waits for them.
 *
 *	the thread: every second  a query of the database; the results in memory follow it
 *	            every 5 s     free space, watches, memory of the results
 *	            at most every 30 s, after a change: the number of deleted results
 *	            every 30 s    free memory goes back to the operating system
 *
 * All functions may be called from any thread, unless they name another one.
 */
#pragma once

#include "base/json.h"
#include "base/log.h"
#include "dash/observe/counters.h"
#include "dash/work.h"
#include "store/status.h"

struct dash_context;
struct dash_monitor;

enum dash_unready {
#define UNREADY(NAME, name, text) DASH_UNREADY_##NAME,
#include "tbl/unready_reasons.h"
	DASH_UNREADY_COUNT
};
/* "database" */
const char *dash_unready_name(enum dash_unready reason);
const char *dash_unready_text(enum dash_unready reason);

/* Borrows the context, which need not be complete before dash_monitor_begin(). */
struct dash_monitor *dash_monitor_new(const struct dash_context *context);
void dash_monitor_free(struct dash_monitor *monitor);
PL_AUTO_DEFINE(struct dash_monitor, dash_monitor_free);
#define auto_monitor PL_AUTO(dash_monitor_free)
/* Queries everything once and starts the thread. */
int dash_monitor_begin(struct dash_monitor *monitor, struct pl_err *err) PL_MUST_CHECK;
/* Waits for the current query. Accepts a monitor that did not begin. */
void dash_monitor_stop(struct dash_monitor *monitor);

/* The server is not ready from now on. */
void dash_monitor_drain(struct dash_monitor *monitor);
bool dash_monitor_is_draining(const struct dash_monitor *monitor);
/* The current state, and counts since the start. */
enum { DASH_QUEUE_COUNT = 4 };
struct dash_server_counts {
	int in_flight;        /* requests */
	unsigned connections; /* of clients */
	size_t body_bytes;    /* of all requests in progress */
	struct {
		const char *name;
		bool has_cache;
		struct dash_work_counts work;
	} queues[DASH_QUEUE_COUNT];
};

/* A server as the monitor sees it. */
struct dash_observed {
	void *server;
	void (*count)(void *server, struct dash_server_counts *ret);
	/*
	 * Returns whether the threads of the server make progress and accept connections, for max_ns. It takes up to a
	 * quarter of that time. One thread at a time.
	 */
	bool (*works)(void *server, int64_t max_ns);
};
/* Sets the server before its first request. `observed` is borrowed; NULL: there is none any longer. */
void dash_monitor_attach(struct dash_monitor *monitor, const struct dash_observed *observed);
/* For handlers, which only an attached server calls. */
void dash_monitor_count(struct dash_monitor *monitor, struct dash_server_counts *ret);

struct dash_state {
	bool is_lost;         /* the last query failed, or takes long */
	char message[300];    /* the reason; "": none */
	int64_t age_ns;       /* since the last successful query; -1: there was none */
	int64_t query_ns;     /* duration of the last query */
	int64_t data_version; /* of the results in memory */
	int64_t live;         /* results */
	int64_t deleted;      /* results; -1: not counted yet */
	int64_t behind;       /* changes that the memory lacks */
	int64_t behind_ns;    /* since the memory had all changes */
	size_t memory_bytes;  /* of the results */
	int64_t job_count;
	int64_t oldest_job_ns; /* age */
	struct store_disk disks[STORE_DISKS_MAX];
	size_t disk_count;
	bool unready[DASH_UNREADY_COUNT];
	bool is_ready;
	int64_t started_real_ns;
};
void dash_monitor_get(struct dash_monitor *monitor, struct dash_state *ret);
/* Returns the watches with their states as an array: a new reference, a copy. */
json_t *dash_monitor_watches(struct dash_monitor *monitor);

/*
 * For the main thread: returns whether the server works, for the watchdog. The thread of this monitor has finished a
 * query, successful or not, and no thread of the HTTP server is stuck in a callback, for max_ns. A database that refuses
 * queries is a reason not to be ready, but a restart would not help.
 */
bool dash_monitor_works(struct dash_monitor *monitor, int64_t max_ns);

/* ---- log ------------------------------------------------------------------------------------- */

#define DASH_LOG_LINES_MAX 20
/* Counts and keeps warnings and errors: an observer for pl_log_set_observer(). */
void dash_log_observe(enum pl_log_level level, const char *message);
uint64_t dash_log_count(enum pl_log_level level);
/* Returns the newest warnings and errors, the newest first, as an array of {at, level, message}: a new reference. */
json_t *dash_log_recent(void);
