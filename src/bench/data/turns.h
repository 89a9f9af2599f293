/*
 * Conversations: datasets random, sharegpt and custom with `multi_turn`. Each turn is a sample with its own messages;
 * the load generator puts the conversation before them (bench/load/sessions.h).
 *
 * Records of a file, as a JSON array or one per line:
 *
 *	{"messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}, …], "tools": […]}
 *	{"conversations": [{"from": "human", "value": "…"}, {"from": "gpt", "value": "…"}, …]}
 *
 * - A turn is the messages up to the next one of the assistant, whose text is the recorded response. A message's `think_s` is
 *   the pause before its turn, and the assistant's `output_tokens` the length of the response; neither is sent.
 * - The server's responses are the history. Where results of tools follow, the recorded response is, because they name
 *   its tool calls.
 */
#pragma once

#include "bench/data/dataset_priv.h"

/* Dataset sharegpt or custom. */
extern const struct bench_dataset_kind bench_dataset_turns;
/* Dataset random. */
extern const struct bench_dataset_kind bench_dataset_random_turns;
