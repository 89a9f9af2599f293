/*
 * A worker: one thread, one loop, its slice of the plan, its own connections.
 *
 *  plan ──due──> PLANNED/HELD ──launch──> connection ──reads──> stream ──events──> record
 *         (worker.c)           (limit)    (conn.c)              (stream.c)         (recorder.c)
 *                                ^                                                     |
 *                                └──────── RETRY: a pause (retry.c) <── a try failed ──┘
 *
 * - Request i of the run belongs to worker i % n. Its slice keeps the plan's order, and requests
 *   wait for the concurrency limit in that order. The limit is split among the workers.
 * - issued = completed + failed + in_flight, asserted at every change.
 * - Workers share only struct bench_shared.
 */
#pragma once

#include "bench/load/load.h"
#include "bench/load/recorder.h"
#include "bench/load/silence.h"
#include "bench/load/stamps.h"
#include "bench/load/stream.h"
#include "bench/load/trace.h"
#include "bench/load/wakes.h"
#include "io/loop.h"

#include <pthread.h>

#define BENCH_READ_BYTES 65536
/*
 * Maximum requests sent, and requests found due, per pass before the loop checks its sockets again.
 */
#define BENCH_LAUNCHES_PER_PASS 16
#define BENCH_MARKS_PER_PASS    256
/*
 * A sleeping thread wakes up this late: it waits actively for the last part before a launch while
 * reading incoming data, and for the very end without reading.
 */
#define BENCH_AWAKE_NS     50000LL
#define BENCH_SPIN_NS      5000LL
#define BENCH_TICK_NS      100000000LL
#define BENCH_QUEUEING_MAX 131072 /* samples stored per run */

enum req_state {
#define STATE(name, from, text) REQ_##name,
#include "bench/load/worker_states.h"
	REQ_STATE_COUNT
};

struct bench_conn;
struct bench_pause;
struct bench_sessions;
struct bench_try;

/* One request of a worker's slice. */
struct bench_req {
	const struct bench_request *request;
	struct bench_recorder recorder;
	enum req_state state;
	bool begun;     /* the current try has output */
	bool resent;    /* sent again after a reused connection was dead: does not count as a try */
	int64_t try_ns; /* when the current try was acted on */
	const char *body; /* the request's, or with the conversation before it */
	size_t body_len;
	int64_t due_ns; /* of a later turn of a session; RES_NO_TIME: as planned */
};

/* Data shared by the workers of a run. */
struct bench_shared {
	const struct bench_load *load;
	struct res_outcome *outcome;
	struct bench_worker *workers;
	unsigned worker_count;
	char *head; /* the request head up to the part that differs by request: x-request-id */
	size_t head_len;
	char *head_rest;  /* after that, up to Content-Length */
	char *head_end;   /* after Content-Length */
	size_t tail_room; /* maximum size of the text between head and body */

	pthread_mutex_t lock; /* guards the start */
	pthread_cond_t started;
	unsigned ready;
	int64_t start_ns; /* 0: not started */

	struct bench_silence silence;
	_Atomic int ended; /* enum res_end + 1 if the run must end early */
};

struct bench_worker {
	const struct bench_load *load;
	struct bench_shared *shared;
	unsigned index;
	pthread_t thread;
	bool thread_runs;
	struct io_loop *loop;
	struct io_timer launch_timer;
	struct io_timer tick_timer;

	struct bench_req *reqs;
	size_t req_count;
	size_t next_send;   /* first request that was not acted on */
	size_t next_due;    /* first request not known to be due; >= next_send */
	size_t start_count; /* requests in the schedule: the others follow one of them */
	struct bench_sessions *sessions; /* NULL: none */
	int64_t blocked_ns; /* last time that a limit held a request back; RES_NO_TIME: never */
	int64_t cap;        /* maximum in flight */
	uint64_t issued;
	uint64_t counts[REQ_STATE_COUNT];

	int64_t pass_ns; /* the loop's pass for which the two budgets apply */
	unsigned launches_left;
	unsigned marks_left;
	int64_t launch_due_ns; /* when launch_timer is due; INT64_MAX: not running */
	bool pumping;
	int64_t awake_from_ns; /* start of active waiting; RES_NO_TIME: none */
	bool awake_idle;       /* nothing arrived since then */
	bool stopping;         /* no more launches */
	uint64_t last_looks;   /* when stopping: remaining passes for data pending in sockets */

	struct bench_conn *open;    /* all with a socket */
	struct bench_conn *idle;    /* those kept alive, most recently used first */
	struct bench_conn *spare;   /* without a socket */
	struct bench_pause *paused; /* requests between two tries */
	struct bench_pause *spare_pauses;
	struct bench_try *first_try; /* failed tries that were retried */
	struct bench_try *last_try;
	struct bench_stream answer; /* adapters without a socket */
	size_t connections;
	int64_t min_round_trip_ns; /* of the closed connections; 0: none measured */
	size_t next_source;        /* source address of the next connection */
	char *read_buffer;
	char *plain_buffer; /* encrypted bytes of a read; NULL: no TLS */

	struct bench_stamps stamps;
	struct bench_wakes wakes;
	struct bench_trace trace;
	/* time of the last byte from any stream, or of the first open request after none */
	_Atomic int64_t heard_ns;
	_Atomic int64_t open_count;
	_Atomic int64_t begun_count; /* those with some output */
	int64_t last_send_ns;
	int64_t cpu_start_ns;
	int64_t cpu_ns;
	int64_t awake_ns; /* part of cpu_ns: active waiting without work */
	int64_t end_ns;
	bool realtime_granted;
	struct pl_err err; /* why the thread failed */
	bool failed;
};

int bench_worker_init(struct bench_worker *worker, struct bench_shared *shared, unsigned index,
		      struct pl_err *err) PL_MUST_CHECK;
void bench_worker_done(struct bench_worker *worker);
void *bench_worker_main(void *data);
void bench_req_set_state(struct bench_worker *worker, struct bench_req *req, enum req_state next);
/* Notes that `req` was acted on at now_ns: starts its clock and the counters. */
void bench_worker_issue(struct bench_worker *worker, struct bench_req *req, int64_t now_ns,
			enum req_state state);
/* The same for a retry: the request's clock and the counters continue. */
void bench_worker_reissue(struct bench_worker *worker, struct bench_req *req, int64_t now_ns,
			  enum req_state state);
/* Makes `req` wait for its next try. */
void bench_worker_hold_back(struct bench_worker *worker, struct bench_req *req);
/*
 * Returns whether this pass of the loop may launch another request without neglecting the sockets.
 */
bool bench_worker_may_launch(struct bench_worker *worker);
/* Counts the completed record of `req` and sends waiting requests. */
void bench_worker_req_over(struct bench_worker *worker, struct bench_req *req);
/* Sends the requests that are due and within the limit. */
void bench_worker_pump(struct bench_worker *worker, int64_t now_ns);
/*
 * Makes an unconnected socket, bound to the next source address. *ret_fd is set once the socket
 * exists, even if binding fails.
 */
int bench_worker_new_socket(struct bench_worker *worker, int *ret_fd,
			    struct pl_err *err) PL_MUST_CHECK;
/* Notes that bytes of a response arrived. */
void bench_worker_heard(struct bench_worker *worker, int64_t now_ns);
/* Notes the first output of the current try of `req`. */
void bench_worker_begun(struct bench_worker *worker, struct bench_req *req);
void bench_worker_count_tokens(struct bench_worker *worker, struct bench_stream *stream);
