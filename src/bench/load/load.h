/*
 * The load generator: sends a plan and gives back a record for each request.
 *
 * - Share-nothing workers, each one epoll loop, a slice of the schedule, its own connections; all
 *   memory is there before the clock starts.
 * - Nothing here knows files, YAML or results: records go to the caller.
 */
#pragma once

#include "base/err.h"
#include "bench/adapters/adapter.h"
#include "io/sock.h"
#include "result/outcome.h"

#include <stdatomic.h>

struct bench_feed;

struct bench_request {
	const char *body; /* borrowed */
	size_t body_len;
	struct res_request_id request_id; /* none: no x-request-id is sent */
	int64_t planned_ns;               /* after the start */
	int64_t prompt_tokens;            /* asked; RES_NO_COUNT */
	int64_t output_tokens;            /* asked */
};

/* Live counters, read by a progress thread while the run goes on. Counts: issued = completed +
 * failed + in_flight at every moment between two events of one worker. */
struct bench_progress {
	_Atomic uint64_t issued, completed, failed, in_flight, tokens;
};

/* Requests that the server has and has not answered. */
struct bench_open {
	int64_t count;
	int64_t begun;    /* of them: some output came */
	int64_t heard_ns; /* when a byte last came on any stream, or a request was sent */
};

struct bench_load {
	const struct bench_adapter *adapter;
	struct io_addr addr;
	const struct io_addr *sources; /* [source_count] connections are made from, in turn */
	size_t source_count;           /* 0: the kernel's choice */
	const char *host_header;
	const char *path;
	const char *headers;                  /* further lines each ending in CRLF, or "" */
	const struct bench_request *requests; /* by planned_ns, ascending */
	size_t count;
	int64_t max_concurrency; /* OPTION_NO_I64: none */
	unsigned threads;        /* workers, from 1 */
	int64_t request_timeout_ns;
	int64_t stall_timeout_ns;
	int64_t run_timeout_ns; /* OPTION_NO_I64: none */
	int64_t retries;        /* tries beyond the first, at most */
	int64_t retry_delay_ns; /* before the second try; twice that before the third, and so on */
	bool whole_answers;     /* the bodies ask for no stream */
	bool keeps_text;        /* records get what was said */
	bool output_chunks;     /* records count chunks as vLLM's client of 0.33.0 does in chats */
	bool realtime;
	bool delayed_acks;               /* the server was seen not to mind: io/acks.h */
	bool finite_rate;                /* planned times matter */
	struct bench_progress *progress; /* NULL: none */
	struct bench_feed *feed;         /* told of each request as it goes; NULL: none */
	/*
	 * Called on a thread of its own if no byte came from any stream for stall_timeout: is the server at
	 * work on the open requests? True: the wait begins again. NULL, or false: the load ends. *stop
	 * becoming non-zero: return at once, with whatever.
	 */
	bool (*is_at_work)(void *data, struct bench_open open, const atomic_int *stop);
	void *is_at_work_data;
	/* becomes non-zero: stop sending, abandon what is open; NULL: none */
	const atomic_int *stop_signal;
};

int bench_load_run(const struct bench_load *load, struct res_outcome **ret,
		   struct pl_err *err) PL_MUST_CHECK;
