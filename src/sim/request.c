#include "sim/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/pooled_request.h"
#include "sim/transcription.h"

#define COMPLETION_TOKENS 16 /* when a completion does not say max_tokens */

/* A field's value as Python writes it, cut short. */
static void python_text(const json_t *value, char *out, size_t room)
{
	auto_free char *text = NULL;

	if (json_is_string(value)) {
		snprintf(out, room, "'%.*s'", (int)room - 4, json_string_value(value));
		return;
	}
	if (json_is_boolean(value)) {
		snprintf(out, room, "%s", json_is_true(value) ? "True" : "False");
		return;
	}
	text = pl_json_to_text(value, PL_JSON_PYTHON);
	snprintf(out, room, "%.*s", (int)room - 1, text);
}

/* Distinguishes a text that is not a number from a value of another type, like pydantic. */
static int refuse_kind(const json_t *value, const char *name, const char *kind, const char *what,
		       struct sim_refusal *refusal)
{
	char input[128];
	char form[32];
	char text[128];
	bool is_text = json_is_string(value);

	python_text(value, input, sizeof(input));
	snprintf(form, sizeof(form), "%s_%s", kind, is_text ? "parsing" : "type");
	snprintf(text, sizeof(text), "Input should be a valid %s%s%s", what,
		 is_text ? ", unable to parse string as a" : "",
		 !is_text                       ? ""
		 : strcmp(what, "integer") == 0 ? "n integer"
						: " number");
	return sim_refuse_form(refusal, form, name, text, input, "");
}

/* Null and absent leave *field alone. */
int sim_request_read_whole(const json_t *body, const char *name, int64_t *field,
			   struct sim_refusal *refusal)
{
	const json_t *value = json_object_get(body, name);

	if (value == NULL || json_is_null(value))
		return 0;
	double real = json_number_value(value);
	/* pydantic takes 5.0 for 5, and "5" too. */
	if (json_is_real(value) && real > -1e15 && real < 1e15 && real == (double)(int64_t)real)
		*field = (int64_t)real;
	else if (json_is_integer(value))
		*field = json_integer_value(value);
	else if (json_is_string(value) && pl_text_to_i64(json_string_value(value), field))
		return 0;
	else
		return refuse_kind(value, name, "int", "integer", refusal);
	return 0;
}

static int read_real(const json_t *body, const char *name, double *field,
		     struct sim_refusal *refusal)
{
	const json_t *value = json_object_get(body, name);

	if (value == NULL || json_is_null(value))
		return 0;
	if (json_is_number(value))
		*field = json_number_value(value);
	else if (!json_is_string(value) || !pl_text_to_f64(json_string_value(value), field))
		return refuse_kind(value, name, "float", "number", refusal);
	return 0;
}

bool sim_request_flag(const json_t *body, const char *name, bool otherwise)
{
	const json_t *value = json_object_get(body, name);

	return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

/* A request without a model gets the first, as from vLLM. */
int sim_request_find_model(const json_t *body, const struct sim_limits *limits, const char **ret,
			   struct sim_refusal *refusal)
{
	const char *name = pl_json_get_text(body, "model");
	auto_buf known = PL_BUF(4096);

	for (size_t i = 0; i < limits->name_count; i++) {
		if (name == NULL || pl_text_equal(name, limits->names[i])) {
			*ret = limits->names[i];
			return 0;
		}
	}
	for (size_t i = 0; i < limits->name_count; i++)
		pl_buf_addf(&known, "%s%s", i > 0 ? ", " : "", limits->names[i]);
	return sim_refuse(refusal, 404, "NotFoundError", "model",
			  "The model `%s` does not exist. Valid aliases: %s.", name,
			  pl_buf_text(&known));
}

/* Sampling has no effect here, but values that vLLM refuses are refused. */
static int check_sampling(const json_t *body, struct sim_refusal *refusal)
{
	static const struct {
		const char *name;
		double least;
		double most;
		bool least_too; /* `least` itself is valid */
		const char *rule;
	} rules[] = {
		{ "temperature", 0, 1e308, true, "must be non-negative" },
		{ "top_p", 0, 1, false, "must be in (0, 1]" },
		{ "min_p", 0, 1, true, "must be in [0, 1]" },
		{ "repetition_penalty", 0, 1e308, false, "must be greater than zero" },
		{ "presence_penalty", -2, 2, true, "must be in [-2, 2]" },
		{ "frequency_penalty", -2, 2, true, "must be in [-2, 2]" },
		{ "top_k", -1, 1e18, true, "must be -1 (disable), 0, or at least 1" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(rules); i++) {
		double value = 1;
		char text[PL_F64_TEXT_BYTES];

		if (read_real(body, rules[i].name, &value, refusal) < 0)
			return -1;
		if (value <= rules[i].most &&
		    (value > rules[i].least || (rules[i].least_too && value == rules[i].least)))
			continue;
		pl_text_from_f64(value, text);
		return sim_refuse_value(refusal, rules[i].name, text, "%s %s, got %s.",
					rules[i].name, rules[i].rule, text);
	}
	return 0;
}

static int check_count(const char *name, int64_t value, int64_t least, int64_t most,
		       struct sim_refusal *refusal)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	if (value < least)
		return sim_refuse_value(refusal, name, text, "%s must be at least %lld, got %s.",
					name, (long long)least, text);
	if (value > most)
		return sim_refuse_value(refusal, name, text, "%s must be at most %lld, got %s.",
					name, (long long)most, text);
	return 0;
}

static int read_logprobs(const json_t *body, const struct sim_limits *limits,
			 struct sim_request *ret, struct sim_refusal *refusal)
{
	const char *name = ret->chat ? "top_logprobs" : "logprobs";
	int64_t count = ret->chat ? 0 : -1;

	if (ret->api == SIM_RESPONSES || sim_api_is_audio(ret->api) ||
	    (ret->chat && !sim_request_flag(body, "logprobs", false)))
		return 0;
	if (sim_request_read_whole(body, name, &count, refusal) < 0 ||
	    check_count(name, count, -1, limits->max_logprobs < 0 ? 100 : limits->max_logprobs,
			refusal) < 0)
		return -1;
	ret->logprobs = (int32_t)count;
	return 0;
}

static int read_counts(const json_t *body, struct sim_request *ret, int64_t *ret_max_tokens,
		       struct sim_refusal *refusal)
{
	int64_t n = 1;
	int64_t min_tokens = 0;
	int64_t seed = 0;
	int64_t max_tokens = 0;
	const char *name = ret->api == SIM_RESPONSES ? "max_output_tokens" : "max_tokens";

	/* The newer name takes precedence, as in vLLM. */
	if (sim_api_is_audio(ret->api) ||
	    (ret->chat && json_is_number(json_object_get(body, "max_completion_tokens"))))
		name = "max_completion_tokens";
	if (json_object_get(body, name) == NULL || json_is_null(json_object_get(body, name)))
		max_tokens = -1;
	if (sim_request_read_whole(body, "n", &n, refusal) < 0 ||
	    check_count("n", n, 1, SIM_CHOICES_MAX, refusal) < 0 ||
	    sim_request_read_whole(body, "min_tokens", &min_tokens, refusal) < 0 ||
	    check_count("min_tokens", min_tokens, 0, INT32_MAX, refusal) < 0 ||
	    sim_request_read_whole(body, "seed", &seed, refusal) < 0 ||
	    sim_request_read_whole(body, name, &max_tokens, refusal) < 0)
		return -1;
	if (max_tokens != -1 && check_count("max_tokens", max_tokens, 1, INT64_MAX, refusal) < 0)
		return -1;
	ret->n = (uint32_t)n;
	ret->min_tokens = (uint32_t)min_tokens;
	ret->seed = (uint64_t)seed;
	*ret_max_tokens = max_tokens;
	return 0;
}

static int read_stream(const json_t *body, struct sim_request *ret, struct sim_refusal *refusal)
{
	const json_t *options = json_object_get(body, "stream_options");

	ret->stream = sim_request_flag(body, "stream", false);
	if (options != NULL && !json_is_null(options) && !ret->stream)
		return sim_refuse(refusal, 400, "BadRequestError", "stream_options",
				  "Stream options can only be defined when `stream=True`.");
	ret->include_usage = sim_request_flag(options, "include_usage", false);
	ret->continuous_usage = ret->include_usage &&
				sim_request_flag(options, "continuous_usage_stats", false);
	return 0;
}

static int read_one_prompt(const json_t *item, const char *field, struct sim_request *ret,
			   struct sim_refusal *refusal)
{
	struct sim_prompt *prompt = &ret->prompts[ret->prompt_count];

	if (json_is_string(item))
		sim_prompt_from_text(json_string_value(item), json_string_length(item), prompt);
	else if (!json_is_array(item))
		return sim_refuse_form(refusal, "string_type", field,
				       "Input should be a valid string", "None", "");
	else if (sim_prompt_from_ids(item, field, prompt, refusal) < 0)
		return -1;
	ret->prompt_count++;
	if (prompt->count == 0)
		return sim_refuse(refusal, 400, "BadRequestError", field,
				  "The decoder prompt cannot be empty");
	return 0;
}

int sim_request_read_prompts(const json_t *prompt, const char *field, struct sim_request *ret,
			     struct sim_refusal *refusal)
{
	/* A list of numbers is one prompt of ids; a list of anything else is several prompts. */
	bool many = json_is_array(prompt) && !json_is_integer(json_array_get(prompt, 0));
	size_t count = many ? json_array_size(prompt) : 1;

	if (count > SIM_CHOICES_MAX || (ret->prompt_count + count) * ret->n > SIM_CHOICES_MAX)
		return sim_refuse(refusal, 400, "BadRequestError", field,
				  "More than %d choices in one request", SIM_CHOICES_MAX);
	if (count == 0)
		return sim_refuse(refusal, 400, "BadRequestError", field,
				  "The decoder prompt cannot be empty");
	ret->prompts = pl_realloc_array(ret->prompts, ret->prompt_count + count,
					sizeof(*ret->prompts));
	for (size_t i = 0; i < count; i++) {
		if (read_one_prompt(many ? json_array_get(prompt, i) : prompt, field, ret,
				    refusal) < 0)
			return -1;
	}
	return 0;
}

static int read_prompts(const json_t *body, struct sim_request *ret, struct sim_refusal *refusal)
{
	const json_t *prompt = json_object_get(body, "prompt");

	if (prompt == NULL || json_is_null(prompt))
		return sim_refuse(refusal, 400, "BadRequestError", "prompt",
				  "Either prompt or prompt_embeds must be provided and non-empty.");
	return sim_request_read_prompts(prompt, "prompt", ret, refusal);
}

static int read_messages(const json_t *body, const struct sim_limits *limits,
			 struct sim_request *ret, struct sim_refusal *refusal)
{
	ret->prompts = pl_alloc_array(1, sizeof(*ret->prompts));
	if (sim_api_is_audio(ret->api)) {
		if (sim_prompt_from_recording(body, limits, &ret->prompts[0], refusal) < 0)
			return -1;
	} else if (ret->api == SIM_RESPONSES
			   ? sim_prompt_from_input(body, limits, &ret->prompts[0], refusal) < 0
			   : sim_prompt_from_messages(body, limits, &ret->prompts[0], refusal) < 0)
		return -1;
	ret->prompt_count = 1;
	return 0;
}

/* Checks the prompt against the model's length, and sets the token limit if the client gave none. */
static int settle_length(struct sim_request *ret, int64_t max_tokens, uint32_t most,
			 struct sim_refusal *refusal)
{
	size_t longest = 0;
	char value[32];

	for (size_t i = 0; i < ret->prompt_count; i++) {
		ret->prompt_tokens += (uint32_t)ret->prompts[i].count;
		ret->media_tokens += ret->prompts[i].media_tokens;
		if (ret->prompts[i].count > longest)
			longest = ret->prompts[i].count;
	}
	snprintf(value, sizeof(value), "%lld", (long long)max_tokens);
	if (max_tokens > most)
		return sim_refuse_value(refusal, "max_tokens", value,
					"max_tokens=%s cannot be greater than max_model_len=%u. "
					"Please request fewer output tokens.",
					value, most);
	snprintf(value, sizeof(value), "%zu", longest);
	if (longest >= most)
		return sim_refuse_value(
			refusal, "input_tokens", value,
			"This model's maximum context length is %u tokens. However, your prompt "
			"contains %s input tokens, which exceeds this limit even without any "
			"output "
			"tokens. Please reduce the length of the input prompt.",
			most, value);
	if (max_tokens > 0 && longest + (size_t)max_tokens > most)
		return sim_refuse_value(
			refusal, "input_tokens", value,
			"This model's maximum context length is %u tokens. However, you requested "
			"%lld output tokens and your prompt contains %s input tokens, %zu "
			"together. "
			"Please reduce one of them.",
			most, (long long)max_tokens, value, longest + (size_t)max_tokens);
	ret->max_tokens = (uint32_t)max_tokens;
	/*
	 * Chat and responses may continue to the model's end, completions have 16 tokens by default: OpenAI's defaults,
	 * as in vLLM.
	 */
	if (max_tokens < 0) {
		ret->max_tokens = most - (uint32_t)longest;
		if (ret->api == SIM_COMPLETIONS && ret->max_tokens > COMPLETION_TOKENS)
			ret->max_tokens = COMPLETION_TOKENS;
	}
	return 0;
}

int sim_request_parse(const json_t *body, enum sim_api api, const struct sim_limits *limits,
		      struct sim_request *ret, struct sim_refusal *refusal)
{
	int64_t max_tokens = -1;

	*ret = (struct sim_request){ .api = api, .chat = api == SIM_CHAT, .logprobs = -1 };
	if (!json_is_object(body))
		return sim_refuse(refusal, 400, "Bad Request", "body",
				  "1 validation error:\n  {'type': 'model_attributes_type', "
				  "'loc': 'body', 'msg': 'Input should be a valid dictionary'}");
	if (api >= SIM_EMBEDDINGS)
		return sim_pooled_request_parse(body, limits, ret, refusal);
	/* In vLLM's order, so that the same one of several faults is reported. */
	if (read_counts(body, ret, &max_tokens, refusal) < 0 || check_sampling(body, refusal) < 0 ||
	    read_stream(body, ret, refusal) < 0 ||
	    sim_request_find_model(body, limits, &ret->model, refusal) < 0 ||
	    read_logprobs(body, limits, ret, refusal) < 0)
		return -1;
	if (sim_request_flag(body, "echo", false))
		return sim_refuse(refusal, 400, "BadRequestError", "echo", "echo is not simulated");
	ret->ignore_eos = sim_request_flag(body, "ignore_eos", false);
	ret->return_token_ids = sim_request_flag(body, "return_token_ids", false);
	if ((api == SIM_COMPLETIONS ? read_prompts(body, ret, refusal)
				    : read_messages(body, limits, ret, refusal)) < 0)
		return -1;
	return settle_length(ret, max_tokens, limits->max_model_len, refusal);
}

void sim_request_done(struct sim_request *request)
{
	for (size_t i = 0; i < request->prompt_count; i++)
		free(request->prompts[i].ids);
	free(request->prompts);
	json_decref(request->documents);
	*request = (struct sim_request){ 0 };
}
