/* The lists of a detailed flat file: one value for each request. */
#pragma once

#include <stdbool.h>

enum res_flat_list {
	RES_FLAT_INPUT_LENS,
	RES_FLAT_OUTPUT_LENS,
	RES_FLAT_TTFTS,
	RES_FLAT_ITLS,
	RES_FLAT_LATENCIES,
	RES_FLAT_STARTS,
	RES_FLAT_QUEUE_TIMES,
	RES_FLAT_TEXTS,
	RES_FLAT_ERRORS,
	RES_FLAT_LISTS
};
enum { RES_FLAT_SERVER_LISTS = 2 };

extern const char *const res_flat_list_keys[RES_FLAT_LISTS];
/* Times that the server reported, queue first: vLLM's client writes them since 0.33.0. */
extern const char *const res_flat_server_keys[RES_FLAT_SERVER_LISTS];

/* Returns whether `key` is one of those lists. */
bool res_flat_is_of_requests(const char *key);
