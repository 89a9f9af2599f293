/*
 * What the OpenAI-like protocols share: the last steps of every body, and the reading of a stream's
 * events, which differ only in where a choice keeps its text.
 */
#pragma once

#include "bench/adapters/adapter.h"
#include "io/jwalk.h"

/* `stream` and `stream_options`, as completions and chat have them. */
void bench_openai_body_stream(const struct bench_encode *encode, json_t *body);
/*
 * Ends the body as vLLM's client does: ignore_eos, sampling parameters that are set, then the extra
 * body, each key in place where it stands already; and writes its bytes.
 */
int bench_openai_body_write(const struct bench_encode *encode, json_t *body, struct pl_buf *buf,
			    struct pl_err *err) PL_MUST_CHECK;

int bench_openai_decode(const char *data, size_t len, struct bench_event *ret);

/* Of an event's data, so that [DONE] is known among blanks. */
void bench_openai_trim(const char **data, size_t *len);

/* Parts of a decoder. Sets every field of the event to "nothing said". */
void bench_openai_event_clear(struct bench_event *event);
/* Passes over whatever `token` began; -1: broken JSON. */
int bench_openai_pass(struct io_jwalk *walk, enum io_jwalk_token token);
/* The last STRING, cut to fit, as the event's error_text. */
void bench_openai_keep_error_text(const struct io_jwalk *walk, struct bench_event *event);
/* The value of a key "usage": an object with two counts by these names, or null. */
int bench_openai_read_usage(struct io_jwalk *walk, const char *output_key, const char *prompt_key,
			    struct bench_event *event);
/* The value of a key "error": an object with a message, or a text; null and empty ones are no
 * error. */
int bench_openai_read_error(struct io_jwalk *walk, struct bench_event *event);
