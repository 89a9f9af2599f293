/* The tokens, times, usage and text that events add to the record of a response. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "bench/load/peer_text.h"
#include "bench/load/stream_priv.h"

/* The place of the one choice that is in the event, or -1. */
static int lone_choice(const struct bench_event *event)
{
	if (event->choices != 1 || event->choice_mask == 0)
		return -1;
	return __builtin_ctz(event->choice_mask);
}

/*
 * Returns whether usage in an event counts its tokens: it counts its choice from the start of the
 * stream. If only the last event has usage (llama.cpp), the earlier ones were counted without it.
 * An event with output has at least one token: a count that did not grow is wrong.
 */
static bool is_counted(const struct bench_stream *stream, const struct bench_event *event,
		       int choice)
{
	if (choice < 0 || event->usage_completion == RES_NO_COUNT ||
	    event->usage_completion > UINT32_MAX)
		return false;
	return event->usage_completion >= (int64_t)stream->choice_usage[choice] + event->content;
}

/*
 * Returns the number of tokens of the event. Sets RES_EVENT_GUESSED in *flags if neither usage nor
 * ids nor log-probabilities contain it: then each choice with output has one, and an event without
 * output has none.
 */
static int64_t count_tokens(struct bench_stream *stream, const struct bench_event *event,
			    unsigned *flags)
{
	int choice = lone_choice(event);

	if (event->tokens == RES_NO_COUNT && event->content)
		stream->all_counted = false;
	if (is_counted(stream, event, choice)) {
		int64_t had = stream->choice_usage[choice];
		stream->usage_mask |= event->choice_mask;
		stream->choice_usage[choice] = (uint32_t)event->usage_completion;
		return event->usage_completion - had;
	}
	int64_t tokens = event->tokens;
	if (tokens == RES_NO_COUNT) {
		*flags |= RES_EVENT_GUESSED;
		tokens = event->outputs;
	}
	if (choice >= 0)
		stream->choice_usage[choice] += (uint32_t)tokens;
	return tokens;
}

void bench_stream_note_finish(struct bench_stream *stream, const struct bench_event *event)
{
	struct res_record *record = stream->recorder->record;

	stream->finished_mask |= event->finished_mask;
	if (event->finish_reason[0] != '\0')
		memcpy(record->finish_reason, event->finish_reason, sizeof(record->finish_reason));
}

/* The time of the first event of each kind. */
static void note_kinds(struct bench_stream *stream, unsigned kinds)
{
	struct res_record *record = stream->recorder->record;

	kinds &= ~stream->seen_kinds;
	if (kinds == 0)
		return;
	stream->seen_kinds |= kinds;
	for (size_t i = 0; i < RES_KIND_COUNT; i++) {
		if ((kinds & 1u << i) != 0)
			record->first_ns[i] = stream->t_ns;
	}
}

static void record_event(struct bench_stream *stream, const struct bench_event *event)
{
	unsigned flags = 0;

	/*
	 * Several events of one read share its timestamp: all except the first arrived then or
	 * earlier. Gaps between tokens are computed without them
	 * (docs/decisions/0003-events-are-not-tokens.md).
	 */
	if (stream->events_in_read++ > 0)
		flags |= RES_EVENT_COALESCED;
	stream->events_in_piece = stream->chunked ? stream->events_in_piece + 1 : 1;
	if (!stream->kernel)
		flags |= RES_EVENT_USER_STAMP;
	if (event->content)
		flags |= RES_EVENT_CONTENT;
	if (event->content && !(stream->chunked && stream->piece_has_output))
		stream->outputs_in_read++;
	stream->piece_has_output |= event->content;
	if (event->finish)
		flags |= RES_EVENT_FINISH;
	if (event->empty_text)
		flags |= RES_EVENT_EMPTY_TEXT;
	int64_t tokens = count_tokens(stream, event, &flags);
	stream->any_event = true;
	stream->any_output |= event->content;
	stream->seen_mask |= event->choice_mask;
	stream->tokens += tokens;
	stream->new_tokens += (uint64_t)tokens;
	bench_stream_note_finish(stream, event);
	note_kinds(stream, event->kinds);
	if (!bench_recorder_event(stream->recorder, stream->t_ns, tokens, flags))
		bench_stream_fail(stream, "protocol",
				  "the stream has more events than a record can hold");
}

void bench_stream_keep_text(struct bench_stream *stream, const struct bench_event *event)
{
	if (stream->keeps_text && event->text != NULL)
		pl_buf_add(&stream->text, event->text, event->text_len);
}

void bench_stream_take_usage(struct bench_stream *stream, const struct bench_event *event)
{
	if (event->usage_completion != RES_NO_COUNT) {
		stream->usage_completion = event->usage_completion;
		stream->usage_with_choices = lone_choice(event) >= 0 && !stream->whole;
	}
	if (event->usage_prompt != RES_NO_COUNT)
		stream->usage_prompt = event->usage_prompt;
	if (event->usage_cached != RES_NO_COUNT)
		stream->usage_cached = event->usage_cached;
	if (event->has_server_times) {
		stream->recorder->record->server_queue_s = event->server_queue_s;
		stream->recorder->record->server_ttft_s = event->server_ttft_s;
		stream->recorder->record->server_decode_s = event->server_decode_s;
	}
}

void bench_stream_fail_by_event(struct bench_stream *stream, const struct bench_event *event,
				const char *data, size_t len)
{
	char words[BENCH_ERROR_BYTES_MAX + 1];
	const char *reason = event->error_text;

	if (reason[0] != '\0' && bench_peer_text(reason, strlen(reason), words, sizeof(words)) > 0)
		bench_stream_fail(stream, "stream_error", words);
	else if (bench_peer_words(data, len, words, sizeof(words)) > 0)
		bench_stream_fail(stream, "stream_error", words);
	else
		bench_stream_fail(stream, "stream_error",
				  "the server sent an error without a message");
}

/* Words that belong to no answer: why the stream ends early, should it do so. */
static void keep_words(struct bench_stream *stream, const struct bench_event *event)
{
	pl_buf_clear(&stream->body);
	pl_buf_add_text(&stream->body, event->error_text);
}

static bool is_ping(const char *text, size_t len)
{
	static const char *const names[] = { "ping", "keepalive", "keep-alive", "heartbeat" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		if (strlen(names[i]) == len && strncasecmp(text, names[i], len) == 0)
			return true;
	}
	return false;
}

/* Servers and proxies send such events while there is no output: empty, null, or named ping. */
static bool is_keep_alive(const struct bench_stream *stream, const char *data, size_t len)
{
	const char *end = data + len;

	if (stream->sse.name[0] != '\0' && is_ping(stream->sse.name, strlen(stream->sse.name)))
		return true;
	while (data < end && (*data == ' ' || *data == '\t' || *data == '\n'))
		data++;
	if (data < end && *data == '{')
		return false;
	while (end > data && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\n'))
		end--;
	len = (size_t)(end - data);
	return len == 0 || (len == 4 && memcmp(data, "null", 4) == 0) || is_ping(data, len);
}

void bench_stream_event(struct bench_stream *stream, const char *data, size_t len)
{
	struct bench_event event; /* set by decode; not cleared here, for half a KB is text */

	/* events after the final one do not belong to the response */
	if (stream->result != BENCH_STREAM_MORE || stream->done_seen)
		return;
	if (is_keep_alive(stream, data, len))
		return;
	if (stream->adapter->decode(data, len, &event) < 0) {
		/* Fails the stream with the event's data, or with their length if they hold no text. */
		char what[80];
		snprintf(what, sizeof(what), "an event of %zu bytes violates the protocol", len);
		bench_stream_fail_with_words(stream, "protocol", what, data, len < 100 ? len : 100);
		return;
	}
	bench_stream_take_usage(stream, &event);
	bench_stream_keep_text(stream, &event);
	if (event.has_choices)
		record_event(stream, &event);
	else
		stream->events_in_piece = 0;
	if (!event.has_choices && event.finish)
		bench_stream_note_finish(stream, &event);
	if (event.error)
		bench_stream_fail_by_event(stream, &event, data, len);
	else if (event.error_text[0] != '\0' && !event.has_choices)
		keep_words(stream, &event);
	stream->done_seen |= event.done;
}

/*
 * Usage in an event with one choice counts only that choice if every choice has such usage: the
 * last values of all are summed. Otherwise it counts all choices.
 */
static int64_t usage_total(const struct bench_stream *stream)
{
	int64_t sum = 0;

	if (!stream->usage_with_choices || (stream->seen_mask & (stream->seen_mask - 1)) == 0 ||
	    stream->usage_mask != stream->seen_mask)
		return stream->usage_completion;
	for (unsigned i = 0; i < BENCH_STREAM_CHOICES; i++)
		sum += stream->choice_usage[i];
	return sum;
}

void bench_stream_sum_up(struct bench_stream *stream)
{
	struct res_record *record = stream->recorder->record;

	record->prompt_tokens = stream->usage_prompt;
	record->cached_tokens = stream->usage_cached;
	if (stream->usage_completion != RES_NO_COUNT) {
		record->output_tokens = usage_total(stream);
		record->token_source = RES_TOKENS_USAGE;
		res_record_give_tokens(record, record->output_tokens - stream->tokens);
	} else if (stream->any_event && !stream->adapter->pools) {
		record->output_tokens = stream->tokens;
		record->token_source = stream->all_counted ? RES_TOKENS_IDS : RES_TOKENS_EVENTS;
	}
}
