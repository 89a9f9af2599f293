/*
 * Converts a response to a record: HTTP, server-sent events, the adapter's decoding, and final
 * sums. It uses no sockets or clock: bytes and timestamps are passed in, so tests can split both
 * anywhere.
 *
 *  bench_stream_start(stream, &recorder);
 *  bench_stream_read(stream, t_ns, kernel);  a read of the socket begins
 *  bench_stream_feed(stream, bytes, len);    its bytes; in one piece if the earliest time is known
 *
 * All events completed by a read get its timestamp; all except the first are RES_EVENT_COALESCED.
 * It is the timestamp of the read's last byte: for events followed by more data it is the latest
 * possible time, and the record also has the earliest. Events in one chunk were sent together: they
 * have one time.
 *
 * A response is complete if its status is 200, its body is an event stream with at least one event
 * with choices, and one of these is true:
 * - each choice has a finish_reason, and [DONE] arrived or HTTP ended the body properly;
 * - no choice has a finish_reason, [DONE] arrived, and usage counts the tokens.
 * A response of a pooling protocol is complete if its status is 200 and its body has a result. It has no
 * output tokens.
 *
 * Events after [DONE] are ignored. Keep-alives (comments, empty events, null, pings) are ignored
 * everywhere.
 *
 * The tokens of an event follow one rule (count_tokens()): as many as usage says, if each event has
 * it; otherwise the number of its token ids or log-probabilities; otherwise 1 for each choice with
 * text, reasoning or a tool call, and RES_EVENT_GUESSED. An event with none of these has none. If
 * the usage of the complete response is larger, its empty events get the difference
 * (res_record_give_tokens()): vLLM sends an empty text for the end-of-sequence token and for a
 * token that does not complete a character.
 */
#pragma once

#include "base/buf.h"
#include "bench/adapters/adapter.h"
#include "bench/load/recorder.h"
#include "io/http.h"
#include "io/sse.h"

/* Maximum stored size of a failed response's body; longer ones are truncated. */
#define BENCH_ERROR_BYTES_MAX 4096
/* Maximum size of a response without streaming. */
#define BENCH_WHOLE_BYTES_MAX (64u << 20)
/* Maximum number of choices with separate usage counts. */
#define BENCH_STREAM_CHOICES 32

enum bench_stream_result {
	BENCH_STREAM_MORE,   /* the response continues */
	BENCH_STREAM_DONE,   /* the record is complete and ok */
	BENCH_STREAM_FAILED, /* the record is complete and has the reason */
};

struct bench_stream {
	const struct bench_adapter *adapter;
	bool whole; /* no stream was requested: one JSON text */
	struct bench_recorder *recorder;
	struct io_http *http;
	struct io_sse sse;
	/* Set once. Returns whether the current read took a single segment. NULL: unknown. */
	bool (*came_in_one)(void *user);
	void *user;
	bool keeps_text;    /* set before a start: store the output in the record */
	bool output_chunks; /* set before a start: the record's rule for vLLM's chunks */
	struct pl_buf text; /* of the first choice, with its JSON escapes */
	/*
	 * of a failed response, or of one without streaming; for an event stream: a message outside
	 * of events
	 */
	struct pl_buf body;
	/*
	 * of a binary response of a pooling protocol (encoding_format "bytes"): its header
	 * `metadata`, which is JSON like the response without its numbers
	 */
	struct pl_buf metadata;

	int64_t t_ns;     /* of the current read */
	int64_t since_ns; /* earliest arrival of its bytes if they were sent together */
	int64_t sure_ns;  /* earliest arrival otherwise */
	bool kernel;
	unsigned events_in_read;  /* recorded ones */
	unsigned events_in_piece; /* those in the last piece of the body, with nothing after them */
	unsigned outputs_in_read; /* pieces of its body with output */
	bool piece_has_output;

	bool head_seen;
	int64_t retry_after_s; /* from the head; -1: none */
	bool keep_alive;
	bool is_events;          /* status 200: a stream of events */
	bool chunked;            /* a piece of the body is what the server sent at once */
	bool drops_body;         /* the body has no readable content */
	bool is_binary;          /* the body is numbers; see metadata */
	bool sniffs;             /* too few bytes of the body to guess its format */
	enum io_sse_guess guess; /* format of the body; SHORT: not checked */
	char type[80];           /* Content-Type, "" without one */
	bool body_done;
	bool done_seen;   /* [DONE] */
	bool all_counted; /* every event had token ids or log-probabilities */
	bool any_event;
	bool any_output; /* some event had output */
	unsigned seen_kinds;
	unsigned seen_mask;
	unsigned finished_mask;
	int64_t tokens;      /* sum over the events */
	uint64_t new_tokens; /* since the caller last reset it to 0, for live counters */
	int64_t usage_completion;
	int64_t usage_prompt;
	int64_t usage_cached;
	bool usage_with_choices; /* the last usage was in an event with one choice */
	unsigned usage_mask;     /* choices with usage in their own events */
	uint32_t choice_usage[BENCH_STREAM_CHOICES];
	enum bench_stream_result result;
};

/* `whole`: responses are not streamed, and their records have no events. */
void bench_stream_init(struct bench_stream *stream, const struct bench_adapter *adapter,
		       bool whole);
void bench_stream_done(struct bench_stream *stream);
/* Prepares for a new response; the record's acted_ns must be set before its first event. */
void bench_stream_start(struct bench_stream *stream, struct bench_recorder *recorder);

void bench_stream_read(struct bench_stream *stream, int64_t t_ns, bool kernel);
/*
 * For the current read: its bytes arrived at since_ns at the earliest if they contain at most one
 * piece of output, because servers send other events (role, usage, [DONE]) together with output;
 * otherwise at sure_ns. Without this call: at its t_ns.
 */
void bench_stream_since(struct bench_stream *stream, int64_t since_ns, int64_t sure_ns);
/*
 * May not be called after DONE or FAILED. *ret_used: number of bytes that belong to this response.
 */
enum bench_stream_result bench_stream_feed(struct bench_stream *stream, const char *bytes,
					   size_t len, size_t *ret_used);
/* Handles that the peer closed the connection. */
enum bench_stream_result bench_stream_end(struct bench_stream *stream);
/* Ends the record as failed; `error` is copied. */
void bench_stream_fail(struct bench_stream *stream, const char *kind, const char *error);
/* For adapters without a socket: one event's data, and the end of the response. */
void bench_stream_event(struct bench_stream *stream, const char *data, size_t len);
enum bench_stream_result bench_stream_finish(struct bench_stream *stream);
