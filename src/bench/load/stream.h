/*
 * One answer on its way into a record: HTTP, server-sent events, the adapter's decoding, and at the
 * end the sums. No sockets, no clock: bytes and stamps are given, so that tests can cut both anywhere.
 *
 *	bench_stream_start(stream, &recorder);
 *	bench_stream_read(stream, t_ns, kernel);  a read of the socket begins
 *	bench_stream_feed(stream, bytes, len);	  its bytes; in one piece, where since when they came is told
 *
 * All events that a read completes get its stamp; all but the first of them RES_EVENT_COALESCED. The
 * stamp is that of the read's last byte: of events with anything behind them it is the latest time
 * that they can have come at, and the record says since when. A server that puts events into one
 * chunk has sent them at once: they have one time.
 *
 * An answer is complete if its status is 200, its body is an event stream with at least one event that
 * carries choices, and one of these is true:
 *  - each choice has a finish_reason, and [DONE] came or HTTP ended the body properly;
 *  - no choice has a finish_reason, [DONE] came, and usage counts the tokens.
 * Events after [DONE] are ignored. Keep-alives (comments, empty events, null, pings) are ignored everywhere.
 *
 * An event carries tokens by one rule (count_tokens()): as many as usage says, if each event has it; else
 * the number of its token ids or log-probabilities; else 1 for each choice that has text, reasoning or a tool
 * call, and RES_EVENT_GUESSED. An event with none of these carries none. If the usage of the complete answer
 * is larger, its empty events carry the difference (res_record_give_tokens()): vLLM sends an empty text for
 * the end-of-sequence token and for a token that does not complete a character.
 */
#pragma once

#include "base/buf.h"
#include "bench/adapters/adapter.h"
#include "bench/load/recorder.h"
#include "io/http.h"
#include "io/sse.h"

/* Of a failed answer's body; longer ones are cut. */
#define BENCH_ERROR_BYTES_MAX 4096
/* Of an answer in one piece. */
#define BENCH_WHOLE_BYTES_MAX (64u << 20)
/* Choices whose usage is followed one by one. */
#define BENCH_STREAM_CHOICES 32

enum bench_stream_result {
	BENCH_STREAM_MORE,   /* the answer goes on */
	BENCH_STREAM_DONE,   /* the record is complete and ok */
	BENCH_STREAM_FAILED, /* the record is complete and says why */
};

struct bench_stream {
	const struct bench_adapter *adapter;
	bool whole; /* no stream was asked for: one JSON text */
	struct bench_recorder *recorder;
	struct io_http *http;
	struct io_sse sse;
	/* Set once: did the current read take one segment alone? NULL: nobody knows. */
	bool (*came_in_one)(void *user);
	void *user;
	bool keeps_text;    /* set before a start: the record gets the output */
	bool output_chunks; /* set before a start: the record's rule of vLLM's chunks */
	struct pl_buf text; /* of the first choice, with its JSON escapes */
	struct pl_buf body; /* of a failed answer, or of one in one piece; of a stream of events: a
			     * message that stood beside them */

	int64_t t_ns;     /* of the current read */
	int64_t since_ns; /* its bytes came then at the earliest, if they were sent together */
	int64_t sure_ns;  /* and if they were not */
	bool kernel;
	unsigned events_in_read;  /* recorded ones */
	unsigned events_in_piece; /* of them in the last piece of the body, with nothing behind */
	unsigned outputs_in_read; /* pieces of its body that held output */
	bool piece_has_output;

	bool head_seen;
	int64_t retry_after_s; /* as the head says; -1: it does not */
	bool keep_alive;
	bool is_events;          /* status 200: a stream of events */
	bool chunked;            /* a piece of the body is what the server sent at once */
	bool drops_body;         /* it says nothing that could be read */
	bool sniffs;             /* too little of the body came to say what it is */
	enum io_sse_guess guess; /* what the body is; SHORT: not looked at */
	char type[80];           /* Content-Type, "" without one */
	bool body_done;
	bool done_seen; /* [DONE] */
	bool all_told;  /* every event told its tokens by ids or log-probabilities */
	bool any_event;
	bool any_output; /* some event held output */
	unsigned seen_kinds;
	unsigned seen_mask;
	unsigned finished_mask;
	int64_t tokens;      /* sum over the events */
	uint64_t new_tokens; /* since the caller last set it to 0: for live counters */
	int64_t usage_completion;
	int64_t usage_prompt;
	bool usage_with_choices; /* the last usage stood on an event with one choice */
	unsigned usage_mask;     /* choices whose own events told usage */
	uint32_t choice_usage[BENCH_STREAM_CHOICES];
	enum bench_stream_result result;
};

/* `whole`: answers come in one piece, and their records have no events. */
void bench_stream_init(struct bench_stream *stream, const struct bench_adapter *adapter,
		       bool whole);
void bench_stream_done(struct bench_stream *stream);
/* A new answer is expected; the record's acted_ns must be set before its first event. */
void bench_stream_start(struct bench_stream *stream, struct bench_recorder *recorder);

void bench_stream_read(struct bench_stream *stream, int64_t t_ns, bool kernel);
/*
 * Of the read that has begun: its bytes came since_ns at the earliest where no more than one piece of
 * output is among them, for what servers say beside one (who speaks, usage, [DONE]) they say with it;
 * else sure_ns. Not called: at its t_ns.
 */
void bench_stream_since(struct bench_stream *stream, int64_t since_ns, int64_t sure_ns);
/* Not to be called again after DONE or FAILED. *ret_used: bytes that belonged to this answer. */
enum bench_stream_result bench_stream_feed(struct bench_stream *stream, const char *bytes,
					   size_t len, size_t *ret_used);
/* The peer closed the connection. */
enum bench_stream_result bench_stream_end(struct bench_stream *stream);
/* Ends the record as failed; `error` is copied. */
void bench_stream_fail(struct bench_stream *stream, const char *kind, const char *error);
/* For adapters without a socket: one event's data, and the end of the answer. */
void bench_stream_event(struct bench_stream *stream, const char *data, size_t len);
enum bench_stream_result bench_stream_finish(struct bench_stream *stream);
