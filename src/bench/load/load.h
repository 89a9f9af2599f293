/*
 * The load generator: sends a plan and returns a record per request.
 *
 * - Workers share nothing: each has an epoll loop, a slice of the schedule and its own connections.
 *   All memory is allocated before the measurement.
 * - It does not handle files, YAML or results: the caller gets the records.
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
	int64_t prompt_tokens;            /* requested; RES_NO_COUNT */
	int64_t output_tokens;            /* requested */
	int64_t input_sequences;          /* prompts of a pooling request; 0: of another kind */
	/* of a session (bench/load/sessions.h); all 0: of none */
	uint32_t session;    /* from 1 */
	uint32_t turn;       /* from 0; the plan has all first turns before all later ones */
	size_t next;         /* index of the next turn; 0: this is the last one */
	int64_t gap_ns;      /* from the end of the turn before it until this one is due */
	bool grows;          /* its body contains the conversation before it */
	bool keeps_response; /* the response becomes a message of the conversation */
	size_t messages_at;  /* of the turn's own messages in the body */
	size_t messages_len;
	int64_t images; /* media of the prompt; 0: none */
	int64_t videos;
	double audio_s;
};

/*
 * Live counters, read by a progress thread during the run. issued = completed + failed + in_flight
 * between any two events of one worker.
 */
struct bench_progress {
	_Atomic uint64_t issued, completed, failed, in_flight, tokens;
};

/* Requests that were sent and have not finished. */
struct bench_open {
	int64_t count;
	int64_t begun;    /* those with some output */
	int64_t heard_ns; /* time of the last byte on any stream, or of the last sent request */
};

struct bench_load {
	const struct bench_adapter *adapter;
	struct io_addr addr;
	/* [source_count] source addresses of connections, used in turn */
	const struct io_addr *sources;
	size_t source_count; /* 0: the kernel's choice */
	const char *host_header;
	const char *path;
	const char *headers;                  /* additional lines, each ending in CRLF, or "" */
	const struct bench_request *requests; /* by planned_ns, ascending */
	size_t count;
	int64_t max_concurrency;     /* OPTION_NO_I64: none */
	size_t session_count;        /* 0: requests do not follow each other */
	int64_t session_concurrency; /* maximum of sessions in progress; OPTION_NO_I64: none */
	unsigned threads;            /* number of workers, at least 1; with sessions there is one */
	int64_t request_timeout_ns;
	int64_t stall_timeout_ns;
	int64_t run_timeout_ns; /* OPTION_NO_I64: none */
	int64_t retries;        /* maximum number of tries after the first */
	int64_t retry_delay_ns; /* before the second try; doubled for each later one */
	bool whole_answers;     /* the bodies request no stream */
	bool keeps_text;        /* records contain the output */
	bool output_chunks;     /* records count chunks like vLLM's client 0.33.0 for chat */
	bool realtime;
	bool delayed_acks;               /* the server was seen to tolerate them: io/acks.h */
	bool finite_rate;                /* planned times matter */
	struct bench_progress *progress; /* NULL: none */
	struct bench_feed *feed;         /* gets the progress of each request; NULL: none */
	/*
	 * Called on a separate thread if no byte arrived on any stream for stall_timeout: is the
	 * server working on the open requests? True restarts the wait. NULL, or false, ends the
	 * load. If *stop is non-zero, it must return at once with any value.
	 */
	bool (*is_at_work)(void *data, struct bench_open open, const atomic_int *stop);
	void *is_at_work_data;
	/* non-zero: stop sending and abandon open requests; NULL: none */
	const atomic_int *stop_signal;
};

int bench_load_run(const struct bench_load *load, struct res_outcome **ret,
		   struct pl_err *err) PL_MUST_CHECK;
