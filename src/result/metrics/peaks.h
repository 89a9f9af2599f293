/* Peak metrics: vLLM's two, by whole seconds, and two exact ones. */
#pragma once

#include "base/json.h"
#include "result/outcome.h"

/*
 * Writes max_output_tokens_per_s, max_concurrent_requests, peak_in_flight and
 * peak_output_tokens_per_s_sliding of the outcome's records into `into`.
 */
void res_peaks_write(const struct res_outcome *outcome, json_t *into);
