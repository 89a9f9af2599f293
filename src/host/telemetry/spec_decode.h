/*
 * Speculative decoding counters from a server's /metrics, over a period of time.
 *
 * vLLM's families
 * vllm:spec_decode_num_{drafts,draft_tokens,accepted_tokens,accepted_tokens_per_pos} (_total),
 * summed over all engines of the server. They include all traffic, also from other clients.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

#define HOST_SPEC_POSITIONS 64

struct host_spec_decode {
	bool known; /* the page has the families */
	double drafts;
	double draft_tokens;
	double accepted_tokens;
	double accepted_at[HOST_SPEC_POSITIONS]; /* NaN: position not on the page */
};

/* Parses a /metrics page; `known` is false if it lacks the families or is malformed. */
void host_spec_decode_parse(const char *text, size_t len, struct host_spec_decode *ret);
/*
 * Returns the difference between two pages: {acceptance_rate (%), acceptance_length, num_drafts,
 * draft_tokens, accepted_tokens, per_position_acceptance_rates}. NULL if nothing was drafted, if a
 * counter decreased because the server restarted, or if a difference is not a count (a fraction,
 * infinite, above 2^53). New reference.
 */
json_t *host_spec_decode_between(const struct host_spec_decode *before,
				 const struct host_spec_decode *after);
