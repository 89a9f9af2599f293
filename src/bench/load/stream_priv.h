/* Shared by the files of the stream. `event` is what the adapter decoded. */
#pragma once

#include "bench/load/stream.h"

/* Fails with "what: words", where the words are from a peer. Returns false. */
bool bench_stream_fail_with_words(struct bench_stream *stream, const char *kind, const char *what,
				  const char *bytes, size_t len);

void bench_stream_take_usage(struct bench_stream *stream, const struct bench_event *event);
void bench_stream_keep_text(struct bench_stream *stream, const struct bench_event *event);
void bench_stream_note_finish(struct bench_stream *stream, const struct bench_event *event);
/* Fails with the event's message or with words of its `data`. */
void bench_stream_fail_by_event(struct bench_stream *stream, const struct bench_event *event,
				const char *data, size_t len);
/* Sets the tokens of the record from the usage of the response, or else from its events. */
void bench_stream_sum_up(struct bench_stream *stream);
