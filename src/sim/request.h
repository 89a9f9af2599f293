/* The parameters of a request, read from its body and checked. */
#pragma once

#include "base/json.h"
#include "sim/prompt.h"
#include "sim/refusal.h"

#include <stdbool.h>
#include <stdint.h>

#define SIM_CHOICES_MAX 4096

enum sim_api { SIM_COMPLETIONS, SIM_CHAT, SIM_RESPONSES };

struct sim_limits {
	const char *const *names; /* of the model */
	size_t name_count;
	uint32_t max_model_len;
	int64_t max_logprobs;  /* -1: no limit */
	bool no_chat_template; /* messages are refused */
};

struct sim_request {
	enum sim_api api;
	bool chat; /* api is SIM_CHAT */
	bool stream;
	bool include_usage;
	bool continuous_usage;
	bool ignore_eos;
	bool return_token_ids;
	uint32_t n;
	uint32_t max_tokens; /* resolved: at least 1 */
	uint32_t min_tokens;
	int32_t logprobs; /* -1: none; else the number of alternatives */
	uint64_t seed;
	const char *model; /* borrowed from the limits */
	struct sim_prompt *prompts;
	size_t prompt_count;
	uint32_t prompt_tokens; /* of all prompts */
};

/* Returns -1 if it is refused. The request must be freed in both cases. */
int sim_request_parse(const json_t *body, enum sim_api api, const struct sim_limits *limits,
		      struct sim_request *ret, struct sim_refusal *refusal) PL_MUST_CHECK;
void sim_request_done(struct sim_request *request);

/* Shared with /tokenize. */
int sim_request_find_model(const json_t *body, const struct sim_limits *limits, const char **ret,
			   struct sim_refusal *refusal) PL_MUST_CHECK;
bool sim_request_flag(const json_t *body, const char *name, bool otherwise);
