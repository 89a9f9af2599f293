/*
 * Computes a request's times like vLLM's client: TTFT ends with the first chunk, and the latency
 * with the last one; TPOT is the time between them divided by the number of tokens after the first.
 * The record's rule defines which events are chunks. Events with content, and those with tokens,
 * are summarized separately for the additional metrics.
 */
#include "result/timing.h"

#include <math.h>

double res_seconds(int64_t from_ns, int64_t to_ns)
{
	return (double)(to_ns - from_ns) / 1e9;
}

int64_t res_prompt_tokens(const struct res_record *record)
{
	return record->prompt_tokens != RES_NO_COUNT ? record->prompt_tokens
						     : record->prompt_tokens_requested;
}

static void add_chunk(struct res_timing *timing, int64_t t_ns)
{
	if (timing->mirror_chunk_count == 0)
		timing->first_chunk_ns = t_ns;
	timing->last_chunk_ns = t_ns;
	timing->mirror_chunk_count++;
}

static void timing_walk(const struct res_record *record, struct res_timing *timing)
{
	struct res_event_cursor cursor = res_record_cursor(record);
	struct res_event_at at;

	while (res_record_next(&cursor, &at)) {
		bool content = (at.flags & RES_EVENT_CONTENT) != 0;
		if (res_record_is_chunk(record, at.flags))
			add_chunk(timing, at.t_ns);
		timing->event_count++;
		timing->event_tokens += at.tokens;
		timing->guessed = timing->guessed || (at.flags & RES_EVENT_GUESSED) != 0;
		timing->output_events += content;
		if (content && timing->first_content_ns == RES_NO_TIME)
			timing->first_content_ns = at.t_ns;
		/* as a chunk that only names the speaker */
		if (!content && at.tokens == 0)
			continue;
		if (timing->first_token_ns == RES_NO_TIME)
			timing->first_token_ns = at.t_ns;
		timing->last_token_ns = at.t_ns;
	}
}

struct res_timing res_timing_of(const struct res_record *record)
{
	struct res_timing timing = {
		.acted_ns = record->acted_ns,
		.first_chunk_ns = RES_NO_TIME,
		.last_chunk_ns = RES_NO_TIME,
		.first_content_ns = RES_NO_TIME,
		.first_token_ns = RES_NO_TIME,
		.last_token_ns = RES_NO_TIME,
		.ttft_s = NAN,
		.e2el_s = NAN,
	};

	if (record->acted_ns != RES_NO_TIME)
		timing_walk(record, &timing);
	timing.output_tokens = record->output_tokens != RES_NO_COUNT ? record->output_tokens
								     : timing.mirror_chunk_count;
	/* a count below the events with output cannot be: each holds a token at least */
	if (timing.output_tokens < timing.output_events)
		timing.output_tokens = timing.output_events;
	/* an answer in one piece, or without a chunk: its end is all that is known */
	if (timing.mirror_chunk_count == 0 && record->ok && record->end_ns != RES_NO_TIME) {
		timing.last_chunk_ns = record->end_ns;
		timing.e2el_s = res_seconds(timing.acted_ns, record->end_ns);
	}
	if (timing.mirror_chunk_count == 0)
		return timing;
	timing.ttft_s = res_seconds(timing.acted_ns, timing.first_chunk_ns);
	timing.e2el_s = res_seconds(timing.acted_ns, timing.last_chunk_ns);
	if (timing.output_tokens > 1)
		timing.tpot_s = (timing.e2el_s - timing.ttft_s) /
				(double)(timing.output_tokens - 1);
	return timing;
}
