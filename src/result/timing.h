/*
 * One request's times in short, as every figure of it is made from them (docs/reference/metrics.md).
 */
#pragma once

#include "result/record.h"

/* One record's events in short. Times are absolute ns, RES_NO_TIME where there is none. */
struct res_timing {
	int64_t acted_ns;
	int64_t first_chunk_ns;
	int64_t last_chunk_ns;    /* of an answer without a chunk: its end */
	int64_t first_content_ns; /* first event with content */
	int64_t first_token_ns;   /* first event with content or tokens */
	int64_t last_token_ns;
	int64_t mirror_chunk_count; /* events that are chunks for vLLM's client */
	int64_t event_count;
	int64_t output_events; /* events with content */
	int64_t event_tokens;  /* sum over events */
	bool guessed;          /* some event's count is a guess */
	int64_t output_tokens; /* vLLM's output length: see res_timing_of() */
	double ttft_s;         /* first chunk - acted; NaN without chunks */
	double e2el_s;         /* last chunk - acted; NaN where nothing came */
	double tpot_s;         /* 0 below two tokens, as vLLM's goodput wants */
};

/* Output length: the larger of output_tokens and the events with content; one per chunk without a count. */
struct res_timing res_timing_of(const struct res_record *record);
/* Of the prompt: as the server counted, else as asked; RES_NO_COUNT: nobody knows. */
int64_t res_prompt_tokens(const struct res_record *record);
/* Seconds between two times, as every figure is computed from. */
double res_seconds(int64_t from_ns, int64_t to_ns);
