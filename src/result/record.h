/*
 * What is known of one request: the noun that load generator, metrics, quality checks and the side
 * file share. All times are CLOCK_MONOTONIC ns; RES_NO_TIME where there is none.
 *
 *  planned ──> queued ──> acted ──> connected ──> sent ──> headers ──> event … event ──> end
 *  (schedule)  (due, waits  (connect()            (last                (receive stamps)
 *              for the cap)  or send())            byte out)
 *
 * Events are the stream's events that carry choices, 8 bytes each. vLLM's client counts them, or some
 * of them, as its "token chunks": res_record_next_chunk().
 */
#pragma once

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

#define RES_NO_TIME  INT64_MIN
#define RES_NO_COUNT (-1)
#define RES_TIME_MAX \
	(INT64_C(1) << 61) /* in files: 73 years of uptime, sums of two stay in range */

enum res_event_flag {
	RES_EVENT_COALESCED = 1 << 0,  /* came in the same read (segment) as the event before it */
	RES_EVENT_CONTENT = 1 << 1,    /* carries text, reasoning, a tool call or token ids */
	RES_EVENT_FINISH = 1 << 2,     /* carries a finish_reason */
	RES_EVENT_USER_STAMP = 1 << 3, /* timed by the reader: the kernel gave no stamp */
	RES_EVENT_GUESSED = 1 << 4,    /* its token count is the rule "one event, one token" */
	RES_EVENT_EMPTY_TEXT = 1 << 5, /* its text is there and empty, and it names no speaker */
	RES_EVENT_MORE = 1 << 6, /* the next entry belongs to this event (tokens above 2047) */
	/* No event: those of the read in front of it came up to delta_ns before their time, but for
	 * the last `tokens` ones, whose time is exact. */
	RES_EVENT_SINCE = 1 << 7,
};

#define RES_EVENT_DELTA_BITS  45 /* 9.7 hours */
#define RES_EVENT_TOKENS_BITS 11
#define RES_EVENT_DELTA_MAX   ((INT64_C(1) << RES_EVENT_DELTA_BITS) - 1)
#define RES_EVENT_TOKENS_MAX  ((1 << RES_EVENT_TOKENS_BITS) - 1)
#define RES_EVENT_FLAGS_MASK  0xffu
#define RES_RECORD_TOKENS_MAX (1 << 20) /* of one event, in files */
#define RES_TRIES_MAX         1000      /* of one request, in files */

struct res_event {
	uint64_t delta_ns
	    : RES_EVENT_DELTA_BITS; /* since the event before; the first: since acted_ns */
	uint64_t tokens : RES_EVENT_TOKENS_BITS;
	uint64_t flags : 8;
};
_Static_assert(sizeof(struct res_event) == 8, "an event is 8 bytes");

enum res_token_source {
	RES_TOKENS_NONE,      /* no tokens */
	RES_TOKENS_USAGE,     /* the server's usage */
	RES_TOKENS_IDS,       /* token ids in the events */
	RES_TOKENS_TOKENIZER, /* text counted afterwards */
	RES_TOKENS_EVENTS,    /* one event, one token */
};

/*
 * A name as sent in x-request-id: a text that a plan's requests share, and a number behind it. All
 * zero: none.
 */
struct res_request_id {
	const char *prefix; /* the plan's; NULL: there is no name */
	int64_t number;     /* RES_NO_COUNT: `prefix` is all */
};
#define RES_ID_PREFIX_MAX 1024
#define RES_ID_BYTES      (RES_ID_PREFIX_MAX + 21) /* with a number of 20 digits and a NUL */

/* What an event brings; an event may bring several. */
enum res_output_kind {
	RES_KIND_ROLE, /* only the speaker's name */
	RES_KIND_REASONING,
	RES_KIND_TEXT, /* of the answer: text, a refusal, audio */
	RES_KIND_TOOL_CALL,
	RES_KIND_COUNT,
};

struct res_record {
	uint64_t index; /* place in the plan */
	struct res_request_id request_id;
	int64_t planned_ns; /* when it should have been acted on */
	int64_t queued_ns; /* when it became due and began to wait for max_concurrency; none: not held */
	int64_t acted_ns; /* connect() called, or send() on an open connection: vLLM's start. Of the
			       * request's own record: by the first try; what follows is the last one's */
	int64_t connected_ns; /* none on a connection that was open */
	int64_t handshake_ns; /* of acted to sent what the network and the peer took: the connection's
			       * first round trip as the kernel measured it, or until TLS stood,
			       * and what the peer did not take at once; RES_NO_COUNT: none, or too
			       * short to ask for */
	int64_t sent_ns;      /* the last byte of the request left: the kernel's stamp, or when it
			       * had been given to the kernel */
	int64_t headers_ns;   /* first byte of the answer */
	int64_t end_ns;       /* the answer was whole, or the request failed */
	int64_t first_ns[RES_KIND_COUNT]; /* the first event of each kind of output */
	struct res_event *events;
	uint32_t event_count; /* entries; see res_record_next() for events */
	int32_t status;       /* HTTP status; 0: none */
	int64_t prompt_tokens_asked;
	int64_t prompt_tokens; /* by usage; RES_NO_COUNT: not told */
	int64_t output_tokens_asked;
	int64_t output_tokens; /* by token_source; RES_NO_COUNT: not told */
	enum res_token_source token_source;
	uint32_t tries;        /* up to this one; 0: not sent */
	double server_queue_s; /* as the server measured them and said with its usage, in s; NaN: */
	double server_ttft_s;  /* it did not */
	char finish_reason[24]; /* of choice 0; "" none */
	bool ok;                /* finished as it should; else error says why */
	bool lacks_done;        /* complete without a closing [DONE] event */
	bool output_chunks; /* only events with output are vLLM's chunks: its rule for chat since
				 * 0.33.0; false: all events are */
	bool retried;       /* a failed try that another one followed, with times of its own */
	bool owns_id;       /* request_id.prefix goes with the record */
	const char *
		via; /* the proxy that the response's headers name; NULL: none, or not known; static */
	const char *error_kind; /* static, a FAILURE row of tbl/states.h; NULL when ok */
	char *error;            /* message of the failure, NULL when ok; owned */
	char *text;             /* the output, where it was to be kept, else NULL; owned */
};

/* Clears all fields to "none"; no memory is held. */
void res_record_init(struct res_record *record, uint64_t index);
void res_record_done(struct res_record *record);
/* Its own copy of a name that came from a file. */
void res_record_set_id(struct res_record *record, const char *text);
/* The whole name, "" for none, cut to `room` at the least. */
void res_request_id_text(const struct res_request_id *id, char *text, size_t room);

/* By request, and its tries in their order. */
void res_record_sort_tries(struct res_record **tries, size_t count);

/*
 * One event with its absolute time; entries joined by RES_EVENT_MORE are one. The kernel keeps one
 * receive stamp of what a read takes, the last: an event with others behind it came between
 * earliest_ns, when its socket was known to be empty, and t_ns. Where the two are equal the time is
 * exact.
 */
struct res_event_at {
	int64_t t_ns;
	int64_t earliest_ns;
	int64_t tokens;
	unsigned flags;
};
struct res_event_cursor {
	const struct res_record *record;
	uint32_t at;
	uint32_t read_end; /* entries of the read that `at` is in end here */
	uint32_t inexact;  /* events of it whose time is not exact are left */
	int64_t early_ns;  /* how much before it they may have come */
	int64_t t_ns;
};
struct res_event_cursor res_record_cursor(const struct res_record *record);
bool res_record_next(struct res_event_cursor *cursor, struct res_event_at *ret);
/* Whether vLLM's client counts an event with these flags as a chunk (record->output_chunks). */
static inline bool res_record_is_chunk(const struct res_record *record, unsigned flags)
{
	return !record->output_chunks || (flags & (RES_EVENT_CONTENT | RES_EVENT_EMPTY_TEXT)) != 0;
}
/* The next event that is a chunk. */
bool res_record_next_chunk(struct res_event_cursor *cursor, struct res_event_at *ret);

/*
 * Writes one event as one or more entries (more above RES_EVENT_TOKENS_MAX tokens) and returns how
 * many; 0 with nothing written when they would not fit in `room`. A delta out of range is clamped.
 */
uint32_t res_event_encode(struct res_event *entries, uint32_t room, int64_t delta_ns,
			  int64_t tokens, unsigned flags);
/* The entry behind the events of one read: RES_EVENT_SINCE. */
struct res_event res_event_since(int64_t early_ns, unsigned exact);
/*
 * Gives `tokens`, which usage counts and the events do not show, to the events without output that follow
 * the first one with output: the one with the finish reason first (an end-of-sequence token has no text), then
 * the others in order, one each. Does nothing if there are fewer such events than tokens: then some events
 * carry several.
 */
void res_record_give_tokens(struct res_record *record, int64_t tokens);
/* Times of the first event, of the first chunk, and of the first event with RES_EVENT_CONTENT;
 * RES_NO_TIME without one. */
int64_t res_record_first_event_ns(const struct res_record *record);
int64_t res_record_first_chunk_ns(const struct res_record *record);
int64_t res_record_first_token_ns(const struct res_record *record);

const char *res_token_source_name(enum res_token_source source);
bool res_token_source_find(const char *name, enum res_token_source *ret);
/* The row of tbl/states.h with this name, as the static text that error_kind wants; NULL: none. */
const char *res_failure_name(const char *name);
