/*
 * The pooled requests: embeddings (vLLM's and Infinity's), /pooling, rerank and score. They have prompts and no output
 * tokens.
 */
#pragma once

#include "sim/request.h"

/* Parses a request whose api is set in *ret; part of sim_request_parse(). */
int sim_pooled_request_parse(const json_t *body, const struct sim_limits *limits,
			     struct sim_request *ret, struct sim_refusal *refusal) PL_MUST_CHECK;
