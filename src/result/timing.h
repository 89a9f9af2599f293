/*
 * Summary of one request's times, from which all its metrics are computed
 * (docs/reference/metrics.md).
 */
#pragma once

#include "result/record.h"

/* Summary of one record's events. Times are absolute ns, RES_NO_TIME if there is none. */
struct res_timing {
	int64_t acted_ns;
	int64_t first_chunk_ns;
	int64_t last_chunk_ns;    /* the end of the response if it has no chunk */
	int64_t first_content_ns; /* first event with content */
	int64_t first_token_ns;   /* first event with content or tokens */
	int64_t last_token_ns;
	int64_t mirror_chunk_count; /* events that are chunks for vLLM's client */
	int64_t event_count;
	int64_t output_events; /* events with content */
	int64_t event_tokens;  /* sum over events */
	bool guessed;          /* the count of some event is assumed */
	int64_t output_tokens; /* vLLM's output length: see res_timing_of() */
	double ttft_s;         /* first chunk - acted; NaN without chunks */
	double e2el_s;         /* last chunk - acted; NaN if nothing arrived */
	double tpot_s;         /* 0 below two tokens, as in vLLM's goodput */
};

/* Output length: the larger of output_tokens and the events with content; one per chunk without a count. */
struct res_timing res_timing_of(const struct res_record *record);
/*
 * Returns the prompt's length as counted by the server, otherwise as requested; RES_NO_COUNT:
 * unknown.
 */
int64_t res_prompt_tokens(const struct res_record *record);
/* Returns the seconds between two times in the way that every metric uses. */
double res_seconds(int64_t from_ns, int64_t to_ns);
