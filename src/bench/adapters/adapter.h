/*
 * A protocol: how a sample becomes a request and what its answer's bytes mean. A row of
 * tbl/backends.h, which says its name and path, and one file each under adapters/;
 * docs/how-to/add-an-adapter.md walks through adapters/null.c.
 *
 * A stream's state lives in `struct bench_stream`, owned by the worker; adapters hold nothing.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "bench/data/dataset.h"
#include "vllm/bench_options.h"
#include "result/record.h"

struct bench_encode {
	const struct vllm_bench *bench;
	const char *model; /* the payload's `model` */
	bool ignore_eos;
};

/* What one event of a stream said. */
struct bench_event {
	bool has_choices; /* choices not empty: an event to record */
	bool content;     /* text, reasoning, tool call or ids */
	unsigned outputs; /* choices that carry content */
	unsigned kinds;   /* bit 1 << enum res_output_kind */
	bool empty_text;  /* of a chat: a text that is there and empty, without a speaker */
	bool role_only;   /* names the speaker and holds no output: no token */
	bool finish;
	char finish_reason[24];   /* choice 0's, when told */
	int64_t tokens;           /* told by ids or logprobs; RES_NO_COUNT: not */
	int64_t usage_completion; /* usage.completion_tokens, RES_NO_COUNT: none */
	int64_t usage_prompt;
	bool has_server_times; /* an object "metrics" */
	double server_queue_s; /* of it; NaN: it has none */
	double server_ttft_s;
	bool done;  /* the stream's last word: [DONE] */
	bool error; /* an error object */
	char error_text[512];
	/* The first choice's text as it stands between the quotes of the JSON text; NULL: none. It
	 * lives as long as the data that was decoded. */
	const char *text;
	size_t text_len;
	unsigned choices;     /* how many are in it */
	unsigned choice_mask; /* bit i: choice i (below 32) is in it */
	bool choice_finished; /* some choice has a finish_reason */
	unsigned finished_mask;
};

struct bench_adapter {
	bool types_last; /* Content-Type is the last header, as the HTTP library of vLLM adds it */
	/* False: answered at once by the worker itself, without a socket (adapters/null.c). */
	bool has_socket;
	/* The body, byte for byte as vLLM's client writes it. */
	int (*encode)(const struct bench_encode *encode, const struct bench_sample *sample,
		      struct pl_buf *body, struct pl_err *err);
	/* One event's data; -1: not JSON or not of this protocol. Sets every field of *ret. */
	int (*decode)(const char *data, size_t len, struct bench_event *ret);
	/* Without a socket: the data of event `i` of the answer to a request for `output_tokens`
	 * (static text), NULL behind the last. */
	const char *(*answer)(int64_t output_tokens, int64_t i);
};

/* NULL: no such back end in this version. */
const struct bench_adapter *bench_adapter_find(const char *name);
