/*
 * A worker: one thread, one loop, its slice of the plan, its own connections.
 *
 *	plan ──due──> PLANNED/HELD ──launch──> connection ──reads──> stream ──events──> record
 *	       (worker.c)           (cap)      (conn.c)              (stream.c)         (recorder.c)
 *	                              ^                                                     |
 *	                              └──────── RETRY: a pause (retry.c) <── a try failed ──┘
 *
 * - Request i of the run is worker i % n's; its slice keeps the plan's order, and waits for the cap in
 *   that order. A cap is split among the workers.
 * - issued = completed + failed + in_flight, asserted at every change.
 * - Nothing here is shared between workers but struct bench_shared.
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
/* Requests sent, and requests found due, in one pass before the loop looks at its sockets again. */
#define BENCH_LAUNCHES_PER_PASS 16
#define BENCH_MARKS_PER_PASS    256
/*
 * A sleeping thread wakes this late: the last stretch before a launch is waited out awake, reading
 * what comes, and its very end without even that.
 */
#define BENCH_AWAKE_NS     50000LL
#define BENCH_SPIN_NS      5000LL
#define BENCH_TICK_NS      100000000LL
#define BENCH_QUEUEING_MAX 131072 /* samples kept of a run */

enum req_state {
#define STATE(name, from, text) REQ_##name,
#include "bench/load/worker_states.h"
	REQ_STATE_COUNT
};

struct bench_conn;
struct bench_pause;
struct bench_try;

/* One request of a worker's slice. */
struct bench_req {
	const struct bench_request *request;
	struct bench_recorder recorder;
	enum req_state state;
	bool begun;     /* output of the try under way came */
	bool resent;    /* sent a second time after a dead reused connection: no try of its own */
	int64_t try_ns; /* when the try under way was acted on */
};

/* What the workers of a run have in common. */
struct bench_shared {
	const struct bench_load *load;
	struct res_outcome *outcome;
	struct bench_worker *workers;
	unsigned worker_count;
	char *head; /* the request head up to what differs by request: x-request-id */
	size_t head_len;
	char *head_rest;  /* behind that, up to Content-Length */
	char *head_end;   /* behind Content-Length */
	size_t tail_room; /* of what stands between head and body, at most */

	pthread_mutex_t lock; /* over the start */
	pthread_cond_t started;
	unsigned ready;
	int64_t start_ns; /* 0: not yet */

	struct bench_silence silence;
	_Atomic int ended; /* enum res_end + 1 once the run is to end early */
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
	size_t next_send; /* first request that was not acted on */
	size_t next_due;  /* first request not known to be due; >= next_send */
	int64_t cap;      /* in flight at most */
	uint64_t issued;
	uint64_t counts[REQ_STATE_COUNT];

	int64_t pass_ns; /* the loop's pass that the two budgets are for */
	unsigned launches_left;
	unsigned marks_left;
	int64_t launch_due_ns; /* when launch_timer wants to run; INT64_MAX: not */
	bool pumping;
	int64_t awake_from_ns; /* the loop was asked to come straight back; RES_NO_TIME: not */
	bool awake_idle;       /* and nothing came since */
	bool stopping;         /* no more launches */
	uint64_t last_looks;   /* then: passes still to come, for what waits in sockets */

	struct bench_conn *open;    /* all with a socket */
	struct bench_conn *idle;    /* of them: kept alive, last used first */
	struct bench_conn *spare;   /* without a socket */
	struct bench_pause *paused; /* requests between two tries */
	struct bench_pause *spare_pauses;
	struct bench_try *first_try; /* failed ones that were followed by another */
	struct bench_try *last_try;
	struct bench_stream answer; /* adapters without a socket */
	size_t connections;
	size_t next_source; /* of the next connection */
	char *read_buffer;
	char *plain_buffer; /* what a read was before TLS; NULL: none is spoken */

	struct bench_stamps stamps;
	struct bench_wakes wakes;
	struct bench_trace trace;
	/* last byte from any stream, or the first open request after none */
	_Atomic int64_t heard_ns;
	_Atomic int64_t open_count;
	_Atomic int64_t begun_count; /* of them: some output came */
	int64_t last_send_ns;
	int64_t cpu_start_ns;
	int64_t cpu_ns;
	int64_t awake_ns; /* of that: waited out awake, with nothing to do */
	int64_t end_ns;
	bool realtime_granted;
	struct pl_err err; /* why the thread could not do its work */
	bool failed;
};

int bench_worker_init(struct bench_worker *worker, struct bench_shared *shared, unsigned index,
		      struct pl_err *err) PL_MUST_CHECK;
void bench_worker_done(struct bench_worker *worker);
void *bench_worker_main(void *data);
void bench_req_set_state(struct bench_worker *worker, struct bench_req *req, enum req_state next);
/* `req` was acted on at now_ns: its clock and the counters start. */
void bench_worker_issue(struct bench_worker *worker, struct bench_req *req, int64_t now_ns,
			enum req_state state);
/* The same for a try behind the first: the request's clock and the counters run on. */
void bench_worker_issue_again(struct bench_worker *worker, struct bench_req *req, int64_t now_ns,
			      enum req_state state);
/* `req` waits for its next try. */
void bench_worker_hold_back(struct bench_worker *worker, struct bench_req *req);
/* Is one more launch in this pass of the loop fair to the sockets? */
bool bench_worker_may_launch(struct bench_worker *worker);
/* The record of `req` is complete: counts it and sends what waited. */
void bench_worker_req_over(struct bench_worker *worker, struct bench_req *req);
/* Sends what is due and allowed. */
void bench_worker_pump(struct bench_worker *worker, int64_t now_ns);
/* Not connected, and bound to the source address whose turn it is. *ret_fd is set once there is
 * one, whatever came of binding it. */
int bench_worker_new_socket(struct bench_worker *worker, int *ret_fd,
			    struct pl_err *err) PL_MUST_CHECK;
/* Bytes of any answer came. */
void bench_worker_heard(struct bench_worker *worker, int64_t now_ns);
/* The first output of the try of `req` that is under way came. */
void bench_worker_begun(struct bench_worker *worker, struct bench_req *req);
void bench_worker_count_tokens(struct bench_worker *worker, struct bench_stream *stream);
