/*
 * Shared by the OpenAI-like protocols: the last steps of every body, and the decoding of a stream's
 * events, which differ only in the location of a choice's text.
 */
#pragma once

#include "bench/adapters/adapter.h"
#include "io/jwalk.h"

/* Adds `stream` and `stream_options` for completions and chat. */
void bench_openai_body_stream(const struct bench_encode *encode, json_t *body);
/*
 * Completes the body like vLLM's client: ignore_eos, the sampling parameters that are set, then the
 * extra body, whose keys replace existing ones in place; and writes its bytes.
 */
int bench_openai_body_write(const struct bench_encode *encode, json_t *body, struct pl_buf *buf,
			    struct pl_err *err) PL_MUST_CHECK;

/* The same without sampling parameters: pooling requests have none. */
int bench_pooled_body_write(const struct bench_encode *encode, json_t *body, struct pl_buf *buf,
			    struct pl_err *err) PL_MUST_CHECK;
/*
 * Returns the messages of a sample: its own, or one user message whose content is a list of a typed part
 * with `text` (NULL: the prompt of the sample) and the parts of its media. NULL: it has no text. New
 * reference.
 */
enum bench_media_place { BENCH_MEDIA_LAST, BENCH_MEDIA_FIRST };
json_t *bench_openai_messages(const struct bench_sample *sample, const char *text,
			      enum bench_media_place place);

int bench_openai_decode(const char *data, size_t len, struct bench_event *ret);

/* Trims an event's data, so that [DONE] is recognized among blanks. */
void bench_openai_trim(const char **data, size_t *len);

/* Parts of a decoder. Sets every field of the event to "no content". */
void bench_openai_event_clear(struct bench_event *event);
/* Skips the value that starts with `token`; -1: invalid JSON. */
int bench_openai_pass(struct io_jwalk *walk, enum io_jwalk_token token);
/* Stores the last STRING, truncated to fit, as the event's error_text. */
void bench_openai_keep_error_text(const struct io_jwalk *walk, struct bench_event *event);
/* Reads the value of a key "usage": an object with two counts under these names, or null. */
int bench_openai_read_usage(struct io_jwalk *walk, const char *output_key, const char *prompt_key,
			    struct bench_event *event);
/* Reads the error of {"object": "error", "message": …} and {"detail": …}. `object`: the key. */
int bench_openai_read_plain_error(struct io_jwalk *walk, struct bench_event *event, bool object);
/*
 * Reads the value of a key "error": an object with a message, or a text; null and empty ones are
 * not an error.
 */
int bench_openai_read_error(struct io_jwalk *walk, struct bench_event *event);
