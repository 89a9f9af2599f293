/*
 * What the OpenAI-like protocols share: the last steps of every body, and the reading of a stream's
 * events, which differ only in where a choice keeps its text.
 */
#ifndef BENCH_ADAPTERS_OPENAI_COMMON_H
#define BENCH_ADAPTERS_OPENAI_COMMON_H

#include "bench/adapter.h"

/*
 * Ends the body as vLLM's client does: stream, stream_options, ignore_eos, sampling parameters that
 * are set, then the extra body, each key in place where it stands already; and writes its bytes.
 */
int openai_body_write(const struct bench_encode *encode, json_t *body, struct pl_buf *buf,
		      struct pl_err *err) PL_MUST_CHECK;

int openai_decode(const char *data, size_t len, struct bench_event *ret);

#endif
