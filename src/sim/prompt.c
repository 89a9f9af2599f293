#include "sim/prompt.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/media.h"
#include "sim/request.h"
#include "sim/tokenizer.h"

/* The chat template's ids: control bytes, which users do not type. */
#define ROLE_ID(role) (SIM_BYTE_ID + 1u + (role))
#define END_ID        (SIM_BYTE_ID + 6u)

static const char *const roles[] = { "system", "user", "assistant", "tool" };
enum { ROLE_ASSISTANT = 2 };
/* The text before a response without thinking. */
static const char no_thought[] = "<think>\n\n</think>\n\n";

void sim_prompt_from_text(const char *text, size_t len, struct sim_prompt *ret)
{
	/* No id represents less than a byte. */
	*ret = (struct sim_prompt){ .ids = pl_alloc_array(len, sizeof(*ret->ids)) };
	ret->count = sim_token_encode(text, len, ret->ids);
}

int sim_prompt_from_ids(const json_t *list, const char *field, struct sim_prompt *ret,
			struct sim_refusal *refusal)
{
	size_t count = json_array_size(list);
	uint32_t *ids = pl_alloc_array(count, sizeof(*ids));

	for (size_t i = 0; i < count; i++) {
		const json_t *item = json_array_get(list, i);
		json_int_t id = json_integer_value(item);

		if (!json_is_integer(item)) {
			free(ids);
			return sim_refuse_form(refusal, "int_type", field,
					       "Input should be a valid integer", "'…'", "");
		}
		if (id < 0 || id >= (json_int_t)SIM_IDS) {
			free(ids);
			return sim_refuse(refusal, 400, "BadRequestError", NULL,
					  "Token id %lld is out of vocabulary", (long long)id);
		}
		ids[i] = (uint32_t)id;
	}
	*ret = (struct sim_prompt){ .ids = ids, .count = count };
	return 0;
}

/* Returns the id of a role; an unknown one has the id after the four known ones. */
static uint32_t role_id(const char *role)
{
	uint32_t i = 0;

	while (i < PL_ARRAY_SIZE(roles) && strcmp(roles[i], role) != 0)
		i++;
	return ROLE_ID(i);
}

/* At most one id per byte, so room for `len` more is always enough. */
static void append(struct sim_prompt *prompt, size_t *room, const char *text, size_t len)
{
	/* Plus three: role, end and the start of the response are added without further checks. */
	pl_grow((void **)&prompt->ids, room, prompt->count + len + 3, sizeof(*prompt->ids));
	prompt->count += sim_token_encode(text, len, prompt->ids + prompt->count);
}

static int append_media(const json_t *part, const char *type, struct sim_prompt *prompt,
			size_t *room, struct sim_refusal *refusal)
{
	struct sim_media media;

	if (sim_media_read(part, type, &media, refusal) < 0)
		return -1;
	pl_grow((void **)&prompt->ids, room, prompt->count + media.tokens + 3,
		sizeof(*prompt->ids));
	sim_media_ids(&media, prompt->ids + prompt->count);
	prompt->count += media.tokens;
	prompt->media_tokens += media.tokens;
	prompt->media_end = (uint32_t)prompt->count;
	return 0;
}

static int append_parts(const json_t *parts, const struct sim_limits *limits,
			struct sim_prompt *prompt, size_t *room, struct sim_refusal *refusal)
{
	PL_JSON_EACH(part, parts) {
		const json_t *text = json_object_get(part, "text");
		const char *type = pl_json_get_text(part, "type");

		if (limits->media && type != NULL && !json_is_string(text) &&
		    prompt->media_items++ < SIM_MEDIA_ITEMS_MAX) {
			if (append_media(part, type, prompt, room, refusal) < 0)
				return -1;
			continue;
		}
		/* vLLM's message for an image or audio if the model does not support it. */
		if (!json_is_string(text))
			return sim_refuse(refusal, 400, "BadRequestError", NULL,
					  "At most %d %.32s(s) may be provided in one prompt",
					  limits->media ? SIM_MEDIA_ITEMS_MAX : 0,
					  type != NULL ? type : "part");
		append(prompt, room, json_string_value(text), json_string_length(text));
	}
	return 0;
}

static int append_message(const json_t *message, const struct sim_limits *limits,
			  struct sim_prompt *prompt, size_t *room, struct sim_refusal *refusal)
{
	const char *role = pl_json_get_text(message, "role");
	const json_t *content = json_object_get(message, "content");

	if (role == NULL)
		return sim_refuse_form(refusal, "missing", "messages.role", "Field required", "{}",
				       "");
	append(prompt, room, "", 0);
	prompt->ids[prompt->count++] = role_id(role);
	if (json_is_string(content))
		append(prompt, room, json_string_value(content), json_string_length(content));
	else if (append_parts(content, limits, prompt, room, refusal) < 0)
		return -1;
	prompt->ids[prompt->count++] = END_ID;
	return 0;
}

static int from_messages(const json_t *messages, const json_t *body,
			 const struct sim_limits *limits, struct sim_prompt *ret,
			 struct sim_refusal *refusal)
{
	struct sim_prompt prompt = { 0 };
	size_t room = 0;

	if (!json_is_array(messages))
		return sim_refuse_absent(refusal, messages, "messages", "list");
	if (limits->no_chat_template)
		return sim_refuse(refusal, 400, "BadRequestError", NULL,
				  "The tokenizer defines no chat template, and there is no default "
				  "one: a chat template must be given.");
	/* Allocates memory even for an empty list of messages. */
	append(&prompt, &room, "", 0);
	for (size_t i = 0; i < json_array_size(messages); i++) {
		if (append_message(json_array_get(messages, i), limits, &prompt, &room, refusal) <
		    0) {
			free(prompt.ids);
			return -1;
		}
	}
	if (sim_request_flag(body, "add_generation_prompt", true)) {
		/* Appends the start of the response. */
		const json_t *kwargs = json_object_get(body, "chat_template_kwargs");
		append(&prompt, &room, "", 0);
		prompt.ids[prompt.count++] = ROLE_ID(ROLE_ASSISTANT);
		if (!sim_request_flag(kwargs, "enable_thinking", true))
			append(&prompt, &room, no_thought, sizeof(no_thought) - 1);
	}
	*ret = prompt;
	return 0;
}

int sim_prompt_from_messages(const json_t *body, const struct sim_limits *limits,
			     struct sim_prompt *ret, struct sim_refusal *refusal)
{
	return from_messages(json_object_get(body, "messages"), body, limits, ret, refusal);
}

int sim_prompt_from_input(const json_t *body, const struct sim_limits *limits,
			  struct sim_prompt *ret, struct sim_refusal *refusal)
{
	const json_t *input = json_object_get(body, "input");
	const json_t *instructions = json_object_get(body, "instructions");
	auto_json json_t *messages = json_array();

	if (!json_is_string(input) && !json_is_array(input))
		return sim_refuse_absent(refusal, input, "input", "string");
	/* As in vLLM: instructions become the system message. */
	if (json_is_string(instructions))
		json_array_append_new(messages, json_pack("{s:s, s:O}", "role", "system", "content",
							  instructions));
	if (json_is_string(input))
		json_array_append_new(messages,
				      json_pack("{s:s, s:O}", "role", "user", "content", input));
	else
		json_array_extend(messages, (json_t *)input);
	return from_messages(messages, body, limits, ret, refusal);
}
