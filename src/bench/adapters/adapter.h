/*
 * A protocol: how a sample becomes a request and how its response is decoded. It has a row in
 * tbl/backends.h with its name and path, and one file in adapters/; docs/how-to/add-an-adapter.md
 * walks through adapters/null.c.
 *
 * The worker owns a stream's state, `struct bench_stream`; adapters are stateless.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "bench/data/dataset.h"
#include "result/record.h"
#include "vllm/bench_options.h"

struct bench_encode {
	const struct vllm_bench *bench;
	const char *model; /* `model` in the payload */
	bool ignore_eos;
	const json_t *overrides; /* keys of this body that precede extra_body; NULL: none */
};

/* The decoded content of one event of a stream. */
struct bench_event {
	bool has_choices; /* choices is not empty: the event is recorded */
	bool content;     /* text, reasoning, tool call or ids */
	unsigned outputs; /* number of choices with content */
	unsigned kinds;   /* bit 1 << enum res_output_kind */
	bool empty_text;  /* chat: has an empty text and no role */
	bool role_only;   /* has the role but no output: not a token */
	bool finish;
	char finish_reason[24];   /* of choice 0, if present */
	int64_t tokens;           /* from ids or logprobs; RES_NO_COUNT: unknown */
	int64_t usage_completion; /* usage.completion_tokens, RES_NO_COUNT: none */
	int64_t usage_prompt;
	int64_t usage_cached;  /* of these, found in the prefix cache */
	int64_t results;       /* pooling: items of the list, RES_NO_COUNT: no list */
	bool has_server_times; /* has an object "metrics" */
	double server_queue_s; /* from that object; NaN: missing */
	double server_ttft_s;
	double server_decode_s;
	bool done;  /* the final event of the stream: [DONE] */
	bool error; /* an error object */
	char error_text[512];
	/*
	 * The first choice's text as it is between the quotes of the JSON text; NULL: none. Valid
	 * as long as the decoded data.
	 */
	const char *text;
	size_t text_len;
	unsigned choices;     /* number of choices in the event */
	unsigned choice_mask; /* bit i: choice i (below 32) is in the event */
	bool choice_finished; /* some choice has a finish_reason */
	unsigned finished_mask;
};

struct bench_adapter {
	bool pools;      /* the response is one JSON text without output tokens */
	bool types_last; /* Content-Type is the last header, where vLLM's HTTP library adds it */
	const char *content_type; /* NULL: application/json */
	/* False: the worker answers at once without a socket (adapters/null.c). */
	bool has_socket;
	/* Encodes the body with the same bytes as vLLM's client. */
	int (*encode)(const struct bench_encode *encode, const struct bench_sample *sample,
		      struct pl_buf *body, struct pl_err *err);
	/*
	 * Decodes one event's data and sets every field of *ret; -1: not JSON or another protocol.
	 */
	int (*decode)(const char *data, size_t len, struct bench_event *ret);
	/*
	 * Without a socket: returns the data of event `i` of the response to a request for
	 * `output_tokens` (static text), NULL after the last one.
	 */
	const char *(*answer)(int64_t output_tokens, int64_t i);
};

/* Returns NULL if this version has no such backend. */
const struct bench_adapter *bench_adapter_find(const char *name);
