/* Converts prompts to token ids: a text, ids, or messages through the chat template. */
#pragma once

#include "base/json.h"
#include "sim/refusal.h"

#include <stddef.h>
#include <stdint.h>

struct sim_limits;

struct sim_prompt {
	uint32_t *ids;
	size_t count;
	uint32_t media_tokens; /* of these, for media */
	uint32_t media_items;
	uint32_t media_end; /* position after the last of them */
};

void sim_prompt_from_text(const char *text, size_t len, struct sim_prompt *ret);
int sim_prompt_from_ids(const json_t *list, const char *field, struct sim_prompt *ret,
			struct sim_refusal *refusal) PL_MUST_CHECK;
/*
 * Applies the chat template to body.messages: per message one id for its role, its content, and one id for its end.
 * Then, unless add_generation_prompt is false, the assistant's id, and with chat_template_kwargs.enable_thinking false
 * an empty thought.
 */
int sim_prompt_from_messages(const json_t *body, const struct sim_limits *limits,
			     struct sim_prompt *ret, struct sim_refusal *refusal) PL_MUST_CHECK;
/* The input of /v1/responses: a text, or a list of messages, after `instructions`. */
int sim_prompt_from_input(const json_t *body, const struct sim_limits *limits,
			  struct sim_prompt *ret, struct sim_refusal *refusal) PL_MUST_CHECK;
