#include "sim/pooled_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/media.h"
#include "sim/tokenizer.h"

/* Between the two texts of a pair; after the ids of the chat template (prompt.c). */
#define PAIR_ID (SIM_BYTE_ID + 7u)
/* A response holds at most this many numbers: 80 MB of JSON. */
#define NUMBERS_MAX (4u << 20)

static bool is_absent(const json_t *value)
{
	return value == NULL || json_is_null(value);
}

/* Returns the first of the names with a value, and the value in *ret; NULL: none. */
static const char *find_field(const json_t *body, const char *const *names, size_t count,
			      const json_t **ret)
{
	for (size_t i = 0; i < count; i++) {
		*ret = json_object_get(body, names[i]);
		if (!is_absent(*ret))
			return names[i];
	}
	return NULL;
}

static int read_encoding(const json_t *body, struct sim_request *ret, struct sim_refusal *refusal)
{
	static const char *const names[] = {
		[SIM_ENCODING_FLOAT] = "float",
		[SIM_ENCODING_BASE64] = "base64",
		[SIM_ENCODING_BYTES] = "bytes",
		[SIM_ENCODING_BYTES_ONLY] = "bytes_only",
	};
	const json_t *value = json_object_get(body, "encoding_format");

	if (is_absent(value))
		return 0;
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		if (!pl_text_equal(json_string_value(value), names[i]))
			continue;
		ret->encoding = (enum sim_encoding)i;
		return 0;
	}
	return sim_refuse_form(refusal, "literal_error", "encoding_format",
			       "Input should be 'float', 'base64', 'bytes' or 'bytes_only'", "'…'",
			       "");
}

static int read_dimensions(const json_t *body, const struct sim_limits *limits,
			   struct sim_request *ret, struct sim_refusal *refusal)
{
	int64_t dimensions = limits->dimensions;
	char value[32];

	if (sim_request_read_whole(body, "dimensions", &dimensions, refusal) < 0)
		return -1;
	snprintf(value, sizeof(value), "%lld", (long long)dimensions);
	if (dimensions < 1 || dimensions > limits->dimensions)
		return sim_refuse_value(refusal, "dimensions", value,
					"dimensions must be between 1 and %u, got %s.",
					limits->dimensions, value);
	ret->dimensions = (uint32_t)dimensions;
	return 0;
}

/* An Infinity server takes the URL of an image in place of a text. */
static int read_medium(const json_t *input, const char *modality, const struct sim_limits *limits,
		       struct sim_request *ret, struct sim_refusal *refusal)
{
	struct sim_media media;

	if (!limits->media || strcmp(modality, "image") != 0)
		return sim_refuse(refusal, 400, "BadRequestError", NULL,
				  "At most 0 %.32s(s) may be provided in one prompt", modality);
	if (!json_is_string(input))
		return sim_refuse_absent(refusal, input, "input", "string");
	auto_json json_t *part = json_pack("{s:s, s:{s:O}}", "type", "image_url", "image_url",
					   "url", input);
	if (sim_media_read(part, "image_url", &media, refusal) < 0)
		return -1;
	ret->prompts = pl_alloc_array(1, sizeof(*ret->prompts));
	ret->prompt_count = 1;
	ret->prompts[0] = (struct sim_prompt){
		.ids = pl_alloc_array(media.tokens, sizeof(uint32_t)),
		.count = media.tokens,
		.media_tokens = media.tokens,
		.media_end = media.tokens,
	};
	sim_media_ids(&media, ret->prompts[0].ids);
	return 0;
}

/* Text, ids or lists of them as `input`, or messages, without the start of an answer. */
static int read_input(const json_t *body, const struct sim_limits *limits, struct sim_request *ret,
		      struct sim_refusal *refusal)
{
	const json_t *input = json_object_get(body, "input");
	const char *modality = pl_json_get_text(body, "modality");

	if (modality != NULL && strcmp(modality, "text") != 0)
		return read_medium(input, modality, limits, ret, refusal);
	if (is_absent(json_object_get(body, "messages")) || ret->api == SIM_INFINITY) {
		if (!json_is_string(input) && !json_is_array(input))
			return sim_refuse_absent(refusal, input, "input", "string");
		return sim_request_read_prompts(input, "input", ret, refusal);
	}
	auto_json json_t *with_default = json_copy((json_t *)body);
	if (json_object_get(body, "add_generation_prompt") == NULL)
		json_object_set_new(with_default, "add_generation_prompt", json_false());
	ret->prompts = pl_alloc_array(1, sizeof(*ret->prompts));
	if (sim_prompt_from_messages(with_default, limits, &ret->prompts[0], refusal) < 0)
		return -1;
	ret->prompt_count = 1;
	if (ret->prompts[0].count == 0)
		return sim_refuse(refusal, 400, "BadRequestError", "messages",
				  "The decoder prompt cannot be empty");
	return 0;
}

/* One text, or a list of texts, as a list; new reference. NULL: refused. */
static json_t *read_texts(const json_t *value, const char *field, struct sim_refusal *refusal)
{
	auto_json json_t *list = json_is_array(value) ? json_copy((json_t *)value) : json_array();

	if (json_is_string(value))
		json_array_append(list, (json_t *)value);
	else if (!json_is_array(value))
		return (void)sim_refuse_absent(refusal, value, field, "string"), NULL;
	PL_JSON_EACH(item, list) {
		if (!json_is_string(item))
			return (void)sim_refuse_form(refusal, "string_type", field,
						     "Input should be a valid string", "{}", ""),
			       NULL;
	}
	return json_incref(list);
}

/* The ids of one text, a separator and the other text: the prompt of a cross-encoder. */
static struct sim_prompt pair_of(const json_t *first, const json_t *second)
{
	size_t room = json_string_length(first) + json_string_length(second) + 1;
	struct sim_prompt pair = { .ids = pl_alloc_array(room, sizeof(uint32_t)) };

	pair.count = sim_token_encode(json_string_value(first), json_string_length(first),
				      pair.ids);
	pair.ids[pair.count++] = PAIR_ID;
	pair.count += sim_token_encode(json_string_value(second), json_string_length(second),
				       pair.ids + pair.count);
	return pair;
}

/* One or as many first texts as second ones. */
static int read_pairs(const json_t *firsts, const struct sim_limits *limits,
		      struct sim_request *ret, struct sim_refusal *refusal)
{
	size_t count = json_array_size(ret->documents), queries = json_array_size(firsts);

	if (count == 0 || queries == 0)
		return sim_refuse(refusal, 400, "BadRequestError", NULL,
				  "At least one text element must be given");
	if (queries != 1 && queries != count)
		return sim_refuse(refusal, 400, "BadRequestError", NULL,
				  "Input lengths must be either 1:1, 1:N or N:N");
	if (count > SIM_CHOICES_MAX)
		return sim_refuse(refusal, 400, "BadRequestError", NULL,
				  "More than %d texts in one request", SIM_CHOICES_MAX);
	if (limits->embeds) {
		ret->query_count = (uint32_t)queries;
		if (sim_request_read_prompts(firsts, "query", ret, refusal) < 0)
			return -1;
		return sim_request_read_prompts(ret->documents, "documents", ret, refusal);
	}
	ret->prompts = pl_alloc_array(count, sizeof(*ret->prompts));
	for (size_t i = 0; i < count; i++)
		ret->prompts[ret->prompt_count++] = pair_of(
			json_array_get(firsts, queries == 1 ? 0 : i),
			json_array_get(ret->documents, i));
	return 0;
}

static int read_rerank(const json_t *body, const struct sim_limits *limits, struct sim_request *ret,
		       struct sim_refusal *refusal)
{
	const json_t *query = json_object_get(body, "query");
	int64_t top_n = 0;

	if (!json_is_string(query))
		return sim_refuse_absent(refusal, query, "query", "string");
	if (!json_is_array(json_object_get(body, "documents")))
		return sim_refuse_absent(refusal, json_object_get(body, "documents"), "documents",
					 "list");
	auto_json json_t *firsts = json_pack("[O]", query);
	ret->documents = read_texts(json_object_get(body, "documents"), "documents", refusal);
	if (ret->documents == NULL || sim_request_read_whole(body, "top_n", &top_n, refusal) < 0)
		return -1;
	ret->top_n = top_n > 0 && top_n < UINT32_MAX ? (uint32_t)top_n : 0;
	return read_pairs(firsts, limits, ret, refusal);
}

static int read_score(const json_t *body, const struct sim_limits *limits, struct sim_request *ret,
		      struct sim_refusal *refusal)
{
	static const char *const first_names[] = { "text_1", "queries", "data_1" };
	static const char *const second_names[] = { "text_2", "documents", "items", "data_2" };
	const json_t *first = NULL, *second = NULL;
	const char *name = find_field(body, first_names, PL_ARRAY_SIZE(first_names), &first);

	if (name == NULL)
		return sim_refuse_absent(refusal, NULL, first_names[0], "string");
	auto_json json_t *firsts = read_texts(first, name, refusal);
	name = find_field(body, second_names, PL_ARRAY_SIZE(second_names), &second);
	if (firsts == NULL)
		return -1;
	if (name == NULL)
		return sim_refuse_absent(refusal, NULL, second_names[0], "string");
	ret->documents = read_texts(second, name, refusal);
	return ret->documents == NULL ? -1 : read_pairs(firsts, limits, ret, refusal);
}

/* Cuts prompts to truncate_prompt_tokens (-1: the model's length), and refuses longer ones. */
static int settle_lengths(const json_t *body, uint32_t most, struct sim_request *ret,
			  struct sim_refusal *refusal)
{
	const char *what = ret->documents != NULL ? "score" : "embedding generation";
	int64_t cut = INT64_MAX;
	char value[32];

	if (sim_request_read_whole(body, "truncate_prompt_tokens", &cut, refusal) < 0)
		return -1;
	snprintf(value, sizeof(value), "%lld", (long long)cut);
	if (cut == -1)
		cut = most;
	if (cut < 1 || (cut != INT64_MAX && cut > most))
		return sim_refuse_value(refusal, "truncate_prompt_tokens", value,
					"truncate_prompt_tokens value (%s) is greater than "
					"max_model_len (%u). Please request a smaller truncation "
					"size.",
					value, most);
	for (size_t i = 0; i < ret->prompt_count; i++) {
		struct sim_prompt *prompt = &ret->prompts[i];
		if (prompt->count > (uint64_t)cut)
			prompt->count = (size_t)cut;
		snprintf(value, sizeof(value), "%zu", prompt->count);
		if (prompt->count > most)
			return sim_refuse_value(
				refusal, "input_tokens", value,
				"This model's maximum context length is %u tokens. However, you "
				"requested %s tokens in the input for %s. Please reduce the length "
				"of the input.",
				most, value, what);
		ret->prompt_tokens += (uint32_t)prompt->count;
		ret->media_tokens += prompt->media_tokens;
	}
	return 0;
}

int sim_pooled_request_parse(const json_t *body, const struct sim_limits *limits,
			     struct sim_request *ret, struct sim_refusal *refusal)
{
	bool embeds = ret->api != SIM_RERANK && ret->api != SIM_SCORE;

	ret->pooled = true;
	ret->n = 1;
	ret->max_tokens = 1; /* what the engine needs; none is generated */
	if (sim_request_find_model(body, limits, &ret->model, refusal) < 0 ||
	    (embeds && (read_encoding(body, ret, refusal) < 0 ||
			read_dimensions(body, limits, ret, refusal) < 0)))
		return -1;
	int done = ret->api == SIM_RERANK  ? read_rerank(body, limits, ret, refusal)
		   : ret->api == SIM_SCORE ? read_score(body, limits, ret, refusal)
					   : read_input(body, limits, ret, refusal);
	if (done < 0 || settle_lengths(body, limits->max_model_len, ret, refusal) < 0)
		return -1;
	if (embeds && ret->prompt_count * (uint64_t)ret->dimensions > NUMBERS_MAX)
		return sim_refuse(refusal, 400, "BadRequestError", NULL,
				  "More than %u numbers in one response", NUMBERS_MAX);
	return 0;
}
