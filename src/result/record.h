/*
 * The measurements of one request, shared by load generator, metrics, quality checks and the
 * artifact with the records. All times are CLOCK_MONOTONIC ns; RES_NO_TIME if there is none.
 *
 *  planned ──> queued ──> acted ──> connected ──> sent ──> headers ──> event … event ──> end
 *  (schedule)  (due, waits  (connect()            (last                (receive timestamps)
 *              for a slot)  or send())            byte out)
 *
 * Events are the stream's events with choices, 8 bytes each. vLLM's client counts all or some of
 * them as its "token chunks": res_record_next_chunk().
 */
#pragma once

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

#define RES_NO_TIME  INT64_MIN
#define RES_NO_COUNT (-1)
#define RES_TIME_MAX \
	(INT64_C(1) << 61) /* in files: 73 years of uptime; the sum of two fits into 64 bits */

enum res_event_flag {
	/* arrived in the same read (segment) as the previous event */
	RES_EVENT_COALESCED = 1 << 0,
	RES_EVENT_CONTENT = 1 << 1,    /* carries text, reasoning, a tool call or token ids */
	RES_EVENT_FINISH = 1 << 2,     /* carries a finish_reason */
	RES_EVENT_USER_STAMP = 1 << 3, /* timed by the reader: the kernel provided no timestamp */
	/* its token count is assumed by the rule "one event, one token" */
	RES_EVENT_GUESSED = 1 << 4,
	RES_EVENT_EMPTY_TEXT = 1 << 5, /* has an empty text and no role */
	RES_EVENT_MORE = 1 << 6, /* the next entry belongs to this event (more than 2047 tokens) */
	/*
	 * Not an event: the events of the preceding read arrived up to delta_ns before their time,
	 * except the last `tokens` ones, whose time is exact.
	 */
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
	    : RES_EVENT_DELTA_BITS; /* since the previous event; for the first one since acted_ns */
	uint64_t tokens : RES_EVENT_TOKENS_BITS;
	uint64_t flags : 8;
};
_Static_assert(sizeof(struct res_event) == 8, "an event is 8 bytes");

enum res_token_source {
	RES_TOKENS_NONE,      /* no tokens */
	RES_TOKENS_USAGE,     /* the server's usage */
	RES_TOKENS_IDS,       /* token ids in the events */
	RES_TOKENS_TOKENIZER, /* output text tokenized afterwards */
	RES_TOKENS_EVENTS,    /* one event, one token */
};

/*
 * A name as sent in x-request-id: a prefix that all requests of a plan share, followed by a number.
 * All zero: none.
 */
struct res_request_id {
	const char *prefix; /* borrowed from the plan; NULL: no name */
	int64_t number;     /* RES_NO_COUNT: the name is only `prefix` */
};
#define RES_ID_PREFIX_MAX 1024
#define RES_ID_BYTES      (RES_ID_PREFIX_MAX + 21) /* with a number of 20 digits and a NUL */

/* Kinds of output in an event; an event may have several. */
enum res_output_kind {
	RES_KIND_ROLE, /* only the role */
	RES_KIND_REASONING,
	RES_KIND_TEXT, /* part of the output: text, a refusal, audio */
	RES_KIND_TOOL_CALL,
	RES_KIND_COUNT,
};

struct res_record {
	uint64_t index; /* index in the plan */
	struct res_request_id request_id;
	int64_t planned_ns; /* when it should have been acted on */
	/* when it became due and began to wait for max_concurrency; none: did not wait */
	int64_t queued_ns;
	/*
	 * connect() called, or send() on an open connection: vLLM's start. In the request's final
	 * record it is the time of the first try; the later times are those of the last try
	 */
	int64_t acted_ns;
	int64_t connected_ns; /* none if the connection was already open */
	/*
	 * time from acted to sent that network and peer took: the first round trip of the
	 * connection as measured by the kernel, or until TLS was established, and the time during
	 * which the peer did not accept data; RES_NO_COUNT: none, or too short to measure
	 */
	int64_t handshake_ns;
	/*
	 * the last byte of the request left: the kernel's timestamp, or when it was passed to the
	 * kernel
	 */
	int64_t sent_ns;
	int64_t headers_ns;               /* first byte of the response */
	int64_t end_ns;                   /* the response was complete, or the request failed */
	int64_t first_ns[RES_KIND_COUNT]; /* the first event of each kind of output */
	struct res_event *events;
	uint32_t event_count; /* number of entries; res_record_next() returns events */
	int32_t status;       /* HTTP status; 0: none */
	int64_t prompt_tokens_requested;
	int64_t prompt_tokens; /* from usage; RES_NO_COUNT: unknown */
	/* of these, found in the server's prefix cache; RES_NO_COUNT: not reported */
	int64_t cached_tokens;
	int64_t output_tokens_requested;
	int64_t output_tokens; /* from token_source; RES_NO_COUNT: unknown */
	enum res_token_source token_source;
	/* of a pooling request, which has no output: its prompts, or documents; 0: another kind */
	int64_t input_sequences;
	uint32_t session; /* that the request belongs to, from 1; 0: none */
	uint32_t turn;    /* place in its session, from 0 */
	uint32_t tries;   /* including this one; 0: not sent */
	/* media of the prompt: images, videos, and seconds of audio; 0: none */
	int64_t images;
	int64_t videos;
	double audio_s;
	/* measured by the server and reported with its usage, in seconds; NaN: not */
	double server_queue_s;
	double server_ttft_s;
	double server_decode_s; /* first to last token */
	char finish_reason[24]; /* of choice 0; "": none */
	bool ok;                /* completed normally; otherwise error says why */
	bool done_missing;      /* complete without a closing [DONE] event */
	/*
	 * vLLM's chunks are only events with output: its rule for chat since 0.33.0; false: all
	 * events are
	 */
	bool output_chunks;
	bool retried; /* a failed try that was retried; has its own times */
	bool owns_id; /* request_id.prefix is owned by the record */
	const char *
		via; /* the proxy named in the response's headers; NULL: none, or unknown; static */
	const char *error_kind; /* static, a FAILURE row of tbl/states.h; NULL when ok */
	char *error;            /* error message, NULL when ok; owned */
	char *text;             /* the output, if it is to be stored, otherwise NULL; owned */
};

/* Sets all fields to "none"; allocates nothing. */
void res_record_init(struct res_record *record, uint64_t index);
void res_record_done(struct res_record *record);
/* Sets a copy of a name that was read from a file. */
void res_record_set_id(struct res_record *record, const char *text);
/* Writes the whole name, "" for none, truncated to `room`. */
void res_request_id_text(const struct res_request_id *id, char *text, size_t room);

/* Sorts by request, and the tries of a request in order. */
void res_record_sort_tries(struct res_record **tries, size_t count);

/*
 * One event with its absolute time; entries joined by RES_EVENT_MORE are one event. The kernel
 * keeps only the last receive timestamp of the data that a read takes: an event followed by others
 * arrived between earliest_ns, when its socket was known to be empty, and t_ns. If the two are
 * equal, the time is exact.
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
	uint32_t read_end; /* end of the entries of the current read */
	uint32_t inexact;  /* number of its remaining events with an inexact time */
	int64_t early_ns;  /* how much earlier they may have arrived */
	int64_t t_ns;
};
struct res_event_cursor res_record_cursor(const struct res_record *record);
bool res_record_next(struct res_event_cursor *cursor, struct res_event_at *ret);
/* Whether vLLM's client counts an event with these flags as a chunk (record->output_chunks). */
static inline bool res_record_has_media(const struct res_record *record)
{
	return record->images > 0 || record->videos > 0 || record->audio_s > 0;
}

static inline bool res_record_is_chunk(const struct res_record *record, unsigned flags)
{
	return !record->output_chunks || (flags & (RES_EVENT_CONTENT | RES_EVENT_EMPTY_TEXT)) != 0;
}
/* Returns the next event that is a chunk. */
bool res_record_next_chunk(struct res_event_cursor *cursor, struct res_event_at *ret);

/*
 * Writes one event as one or more entries (several above RES_EVENT_TOKENS_MAX tokens) and returns
 * their number, or 0 without writing if they do not fit into `room`. Clamps a delta that is out of
 * range.
 */
uint32_t res_event_encode(struct res_event *entries, uint32_t room, int64_t delta_ns,
			  int64_t tokens, unsigned flags);
/* Returns the entry that follows the events of one read: RES_EVENT_SINCE. */
struct res_event res_event_since(int64_t early_ns, unsigned exact);
/*
 * Assigns `tokens` that usage counts but the events do not show to the events without output that
 * follow the first one with output: first to the one with the finish reason (an end-of-sequence
 * token has no text), then to the others in order, one each. Does nothing if there are fewer such
 * events than tokens: then some events have several tokens.
 */
void res_record_give_tokens(struct res_record *record, int64_t tokens);
/*
 * Return the times of the first event, of the first chunk, and of the first event with
 * RES_EVENT_CONTENT; RES_NO_TIME if there is none.
 */
int64_t res_record_first_event_ns(const struct res_record *record);
int64_t res_record_first_chunk_ns(const struct res_record *record);
int64_t res_record_first_token_ns(const struct res_record *record);
/*
 * Whether the server named a reason for the end of some choice: the record has the first choice's
 * reason, and the events show those of the others.
 */
bool res_record_names_reason(const struct res_record *record);

const char *res_token_source_name(enum res_token_source source);
bool res_token_source_find(const char *name, enum res_token_source *ret);
/*
 * Returns the name from the row of tbl/states.h, as the static text that error_kind requires; NULL:
 * none.
 */
const char *res_failure_name(const char *name);
