/* The state of a watch, and the snapshot made from it. Its lock protects what the run's thread and the watch share. */
#pragma once

#include "run/watch/sketch.h"
#include "run/watch/tail.h"
#include "run/watch/view.h"
#include "run/watch/watch.h"

#include <pthread.h>

#include "base/thread.h"

#define RUN_WATCH_STEPS_MAX  24
#define RUN_WATCH_ERRORS_MAX 32

/* Counts and samples of the records so far. */
struct run_seen {
	uint64_t completed, failed, retries;
	uint64_t reasonless, lacking_done, held;
	uint64_t inputs; /* of completed requests of a pooling protocol */
	uint64_t
		uncounted; /* completed requests whose tokens only a tokenizer may count, at the end */
	struct run_sketch ttft, tpot, e2el, late;
	int64_t first_planned_ns, last_planned_ns;
	int64_t first_acted_ns, last_acted_ns;
	struct run_seen_error {
		const char *kind; /* static */
		uint64_t count;
		double first_s;
		uint64_t index;
		char sample[300];
	} errors[RUN_WATCH_ERRORS_MAX];
	size_t error_count;
};

struct run_watch {
	const struct run_context *run;
	const struct run_launch *launch;
	struct host_telemetry *telemetry; /* NULL: none */
	const struct run_sink *sink;      /* NULL: none */
	bool is_terminal;                 /* standard error */
	bool redraws;                     /* its lines can be redrawn: the view; else one line */
	bool is_background;               /* of it: another program uses it now */
	bool has_keys;                    /* standard input is the same terminal */
	bool is_closed;                   /* the view, by a key */
	bool shows_log, shows_all;        /* by keys, too */
	size_t drawn;                     /* lines of the view on it */
	unsigned logged;                  /* pl_log_count() after they were drawn */
	struct run_view_history history;
	json_t *shown; /* snapshot of the view; NULL: none */
	pthread_t thread;
	struct pl_pause pause;
	int64_t sequence;

	pthread_mutex_t lock; /* protects the fields below */
	enum res_stage stage;
	const char *phase;   /* that the sink knows; static, NULL: none */
	size_t launch_steps; /* the finished ones of the server's start */
	int64_t phase_ns; /* begin of the phase that snapshots name: a stage, or a part of MEASURE */
	char step[64];
	struct {
		char name[48];
		double seconds;
	} steps[RUN_WATCH_STEPS_MAX];
	size_t step_count;
	char *model;
	char *version;
	struct run_tail tail;

	bool is_loading;
	bool is_draining; /* all requests were sent */
	bool has_loaded;
	bool is_profiling;
	struct run_watch_load load;
	int64_t load_ns;            /* its begin */
	int64_t load_end_ns;        /* 0: not ended */
	struct bench_progress last; /* counters at the end of the load */
	struct run_seen seen;
};

/* Makes the snapshot: LiveSnapshot in api/openapi.yaml. Call it with the lock. New reference. */
json_t *run_watch_snapshot(struct run_watch *watch, int64_t now_ns);
/* Returns the phase of snapshots: LivePhase in api/openapi.yaml. Call it with the lock. Static. */
const char *run_watch_phase(const struct run_watch *watch);
/* Reads what is new in the feed. Call it with the lock. */
void run_watch_read_feed(struct run_watch *watch);
