/* Metrics of a part of the requests: those of one turn, or with one kind of media. */
#pragma once

#include "base/json.h"
#include "result/how.h"
#include "result/outcome.h"

/* A server that reports cached tokens omits a count of 0, as vLLM does. */
bool res_part_has_cached(const struct res_record *records, size_t count);
/*
 * Adds `completed`, `failed`, `not_sent`, `mean_prompt_tokens`, `mean_output_tokens`, `cached_prompt_share`, and mean, median, p90 and p99 of ttft_ms,
 * tpot_ms and e2el_ms; null if unknown.
 */
void res_part_add(const struct res_outcome *part, const struct res_how *how, bool has_cached,
		  json_t *json);
