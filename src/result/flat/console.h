/*
 * What `vllm bench serve`, `latency` and `throughput` print, as the result that the same run would have saved.
 *
 *	Namespace(…, model='m', num_prompts=60, request_rate=20.0, …)      optional: the options
 *	… other lines …
 *	============ Serving Benchmark Result ============
 *	Successful requests:                     60
 *	Mean TTFT (ms):                          239.94
 *	==================================================
 *
 *	Avg latency: 1.25 seconds                                          latency
 *	10% percentile latency: 1.21 seconds
 *	Throughput: 7.13 requests/s, 1825.00 total tokens/s, 912.50 output tokens/s     throughput
 *	Total num prompt tokens:  512
 *
 * - Labels of every release are known, also those of vLLM's older script, of its client in Rust and of sglang's script,
 *   which has the same title.
 * - Lines may have prefixes (of loggers, of containers), escape sequences of a terminal and other lines between them.
 * - Values are rounded as printed, and nothing is added to them: a label that is missing has no key.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

/* The key that marks a result made of such a text, and its value. */
#define RES_CONSOLE_KEY     "console"
#define RES_CONSOLE_MARK_OF "vllm bench "
#define RES_CONSOLE_MARK    RES_CONSOLE_MARK_OF "serve"
/* The options of the Namespace line: {"dataset_name": "random", …}. */
#define RES_CONSOLE_OPTIONS "arguments"

/* Returns true if the text has such a table or lines. JSON text has none: they end their line. */
bool res_console_is(const char *text, size_t len);
/*
 * Returns the next of them from *at on as a result, a new reference, and moves *at past it; NULL if there is none left.
 * *ret_title is its first line in the text. A table without counts and a duration is skipped.
 */
json_t *res_console_next(const char *text, size_t len, size_t *at, const char **ret_title);
/* Returns true if the result was made of such a text. */
bool res_console_is_made(const json_t *flat);
