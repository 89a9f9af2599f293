/*
 * Speculative decoding as a server's /metrics counts it, over a stretch of time.
 *
 * vLLM's families
 * vllm:spec_decode_num_{drafts,draft_tokens,accepted_tokens,accepted_tokens_per_pos} (_total),
 * summed over all engines of the server. All its traffic is in them, ours or not.
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

/* Of a page of /metrics; `known` is false for one without the families, or that is none. */
void host_spec_decode_parse(const char *text, size_t len, struct host_spec_decode *ret);
/*
 * What came between two pages: {acceptance_rate (%), acceptance_length, num_drafts, draft_tokens,
 * accepted_tokens, per_position_acceptance_rates}. NULL where nothing was drafted, where a
 * counter decreased because the server restarted, or where a difference is not a count (a fraction,
 * infinite, above 2^53). New reference.
 */
json_t *host_spec_decode_between(const struct host_spec_decode *before,
				 const struct host_spec_decode *after);
