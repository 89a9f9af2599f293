/*
 * The pooling protocols: embeddings of an OpenAI-like and of an Infinity server, by prompts or by chat
 * messages, vLLM's /pooling, and reranking. A response is one JSON text: a list of results and a usage.
 *
 * The protocols for images (clip, vlm2vec) send texts alone in the same bytes as the protocols without images.
 */
#include "bench/adapters/adapters_priv.h"

#include <string.h>

#include "base/text.h"
#include "bench/adapters/openai_common.h"

/* As many tokens as the model takes; longer prompts are cut. */
#define ALL_TOKENS (-1)

static json_t *ids_json(const struct bench_sample *sample)
{
	json_t *ids = json_array();

	for (size_t i = 0; i < sample->id_count; i++)
		json_array_append_new(ids, json_integer(sample->ids[i]));
	return ids;
}

/* The prompt, its ids or the list of prompts. *ret: a new reference. */
static int input_of(const struct bench_sample *sample, json_t **ret, struct pl_err *err)
{
	*ret = json_is_array(sample->inputs) ? json_incref(sample->inputs)
	       : sample->ids != NULL         ? ids_json(sample)
	       : sample->prompt != NULL      ? pl_json_from_ctext(sample->prompt)
					     : NULL;
	if (*ret != NULL)
		return 0;
	return pl_err_invalid(err, "sample %lld has no text for an embedding",
			      (long long)sample->index);
}

static int encode_embeddings(const struct bench_encode *encode, const struct bench_sample *sample,
			     struct pl_buf *buf, struct pl_err *err)
{
	auto_json json_t *body = json_object();
	json_t *input = NULL;

	if (input_of(sample, &input, err) < 0)
		return -1;
	json_object_set_new(body, "model", json_string(encode->model));
	json_object_set_new(body, "input", input);
	json_object_set_new(body, "truncate_prompt_tokens", json_integer(ALL_TOKENS));
	return bench_pooled_body_write(encode, body, buf, err);
}

static int encode_messages(const struct bench_encode *encode, const struct bench_sample *sample,
			   const char *text, enum bench_media_place place, struct pl_buf *buf,
			   struct pl_err *err)
{
	auto_json json_t *body = json_object();
	json_t *messages = bench_openai_messages(sample, text, place);

	if (messages == NULL)
		return pl_err_invalid(err, "sample %lld has no text or messages for a chat",
				      (long long)sample->index);
	json_object_set_new(body, "model", json_string(encode->model));
	json_object_set_new(body, "messages", messages);
	json_object_set_new(body, "truncate_prompt_tokens", json_integer(ALL_TOKENS));
	return bench_pooled_body_write(encode, body, buf, err);
}

static int encode_embeddings_chat(const struct bench_encode *encode,
				  const struct bench_sample *sample, struct pl_buf *buf,
				  struct pl_err *err)
{
	return encode_messages(encode, sample, NULL, BENCH_MEDIA_LAST, buf, err);
}

/* CLIP embeds an image or a text: the text of a prompt with an image is not sent. */
static int encode_clip(const struct bench_encode *encode, const struct bench_sample *sample,
		       struct pl_buf *buf, struct pl_err *err)
{
	const char *text = json_array_size(sample->media) > 0 ? "" : NULL;

	return encode_messages(encode, sample, text, BENCH_MEDIA_LAST, buf, err);
}

/* Half of the requests with an image ask for the image itself, as in vLLM; the image comes first. */
static int encode_vlm2vec(const struct bench_encode *encode, const struct bench_sample *sample,
			  struct pl_buf *buf, struct pl_err *err)
{
	auto_free char *text = NULL;

	if (json_array_size(sample->media) > 0 && sample->prompt != NULL)
		text = sample->index == RES_NO_COUNT || sample->index % 2 == 0
			       ? pl_strdup("Represent the given image.")
			       : pl_asprintf("Represent the given image with the following "
					     "question: %s",
					     sample->prompt);
	return encode_messages(encode, sample, text, BENCH_MEDIA_FIRST, buf, err);
}

static int encode_infinity(const struct bench_encode *encode, const struct bench_sample *sample,
			   struct pl_buf *buf, struct pl_err *err)
{
	auto_json json_t *body = json_object();
	json_t *input = NULL;

	if (input_of(sample, &input, err) < 0)
		return -1;
	json_object_set_new(body, "model", json_string(encode->model));
	json_object_set_new(body, "input", input);
	return bench_pooled_body_write(encode, body, buf, err);
}

/* The URL of the one image takes the place of the text, whose kind is given as "image". */
static int encode_infinity_clip(const struct bench_encode *encode,
				const struct bench_sample *sample, struct pl_buf *buf,
				struct pl_err *err)
{
	auto_json json_t *body = json_object();
	const json_t *part = json_array_get(sample->media, 0);
	const char *type = pl_json_get_text(part, "type");

	if (type == NULL)
		return encode_infinity(encode, sample, buf, err);
	if (json_array_size(sample->media) > 1)
		return pl_err_invalid(err,
				      "sample %lld has %zu images, expected one for this "
				      "backend",
				      (long long)sample->index, json_array_size(sample->media));
	json_object_set_new(body, "model", json_string(encode->model));
	json_object_set(body, "input", json_object_get(json_object_get(part, type), "url"));
	json_object_set_new(body, "modality", json_stringn(type, strcspn(type, "_")));
	return bench_pooled_body_write(encode, body, buf, err);
}

/* A prompt that is an object has the keys of the body, such as `data` of a model with its own inputs. */
static int encode_pooling(const struct bench_encode *encode, const struct bench_sample *sample,
			  struct pl_buf *buf, struct pl_err *err)
{
	auto_json json_t *body = json_object();
	json_t *input = NULL;

	json_object_set_new(body, "model", json_string(encode->model));
	json_object_set_new(body, "truncate_prompt_tokens", json_integer(ALL_TOKENS));
	if (json_is_object(sample->inputs)) {
		json_object_update(body, sample->inputs);
	} else {
		if (input_of(sample, &input, err) < 0)
			return -1;
		json_object_set_new(body, "input", input);
	}
	return bench_pooled_body_write(encode, body, buf, err);
}

/* The extra body and ignore_eos do not apply, as in vLLM. */
static int encode_rerank(const struct bench_encode *encode, const struct bench_sample *sample,
			 struct pl_buf *buf, struct pl_err *err)
{
	auto_json json_t *body = json_object();
	auto_json json_t *documents = json_array();
	size_t count = json_array_size(sample->inputs);

	if (count < 2)
		return pl_err_invalid(err, "sample %lld has no query with documents",
				      (long long)sample->index);
	for (size_t i = 1; i < count; i++)
		json_array_append(documents, json_array_get(sample->inputs, i));
	json_object_set_new(body, "model", json_string(encode->model));
	json_object_set(body, "query", json_array_get(sample->inputs, 0));
	json_object_set(body, "documents", documents);
	json_object_set_new(body, "truncate_prompt_tokens", json_integer(ALL_TOKENS));
	if (!pl_json_write(body, PL_JSON_PYTHON, buf))
		return pl_err_invalid(err, "request body is larger than %zu bytes", buf->max);
	return 0;
}

/* A list of results. vLLM's processors of inputs and outputs respond with an object or a text instead. */
static int read_results(struct io_jwalk *walk, struct bench_event *event)
{
	enum io_jwalk_token token = io_jwalk_next(walk);

	if (token != IO_JWALK_ARRAY) {
		event->content |= token == IO_JWALK_OBJECT ||
				  (token == IO_JWALK_STRING && walk->len > 0);
		return bench_openai_pass(walk, token);
	}
	event->results = 0;
	while ((token = io_jwalk_next(walk)) != IO_JWALK_END) {
		if (token == IO_JWALK_DONE || bench_openai_pass(walk, token) < 0)
			return -1;
		event->content = true;
		event->results++;
	}
	return 0;
}

/* Without prompt_tokens the total is that of the prompts: there is no output. */
static int read_usage(struct io_jwalk *walk, struct bench_event *event)
{
	if (bench_openai_read_usage(walk, "total_tokens", "prompt_tokens", event) < 0)
		return -1;
	if (event->usage_prompt == RES_NO_COUNT)
		event->usage_prompt = event->usage_completion;
	event->usage_completion = RES_NO_COUNT;
	return 0;
}

static int read_key(struct io_jwalk *walk, struct bench_event *event)
{
	if (io_jwalk_is(walk, "data") || io_jwalk_is(walk, "results"))
		return read_results(walk, event);
	if (io_jwalk_is(walk, "usage"))
		return read_usage(walk, event);
	if (io_jwalk_is(walk, "error"))
		return bench_openai_read_error(walk, event);
	if (io_jwalk_is(walk, "object"))
		return bench_openai_read_plain_error(walk, event, true);
	if (io_jwalk_is(walk, "message") || io_jwalk_is(walk, "detail"))
		return bench_openai_read_plain_error(walk, event, false);
	return bench_openai_pass(walk, io_jwalk_next(walk));
}

static int decode_pooled(const char *data, size_t len, struct bench_event *ret)
{
	enum io_jwalk_token token;
	struct io_jwalk walk;

	bench_openai_event_clear(ret);
	io_jwalk_init(&walk, data, len);
	if (io_jwalk_next(&walk) != IO_JWALK_OBJECT)
		return -1;
	while ((token = io_jwalk_next(&walk)) == IO_JWALK_KEY) {
		if (read_key(&walk, ret) < 0)
			return -1;
	}
	if (token != IO_JWALK_END || io_jwalk_next(&walk) != IO_JWALK_DONE)
		return -1;
	return 0;
}

#define POOLED(encoder)                                                                       \
	{                                                                                     \
		.pools = true, .has_socket = true, .encode = encoder, .decode = decode_pooled \
	}

const struct bench_adapter bench_adapter_openai_embeddings = POOLED(encode_embeddings);
const struct bench_adapter bench_adapter_openai_embeddings_chat = POOLED(encode_embeddings_chat);
const struct bench_adapter bench_adapter_openai_embeddings_clip = POOLED(encode_clip);
const struct bench_adapter bench_adapter_openai_embeddings_vlm2vec = POOLED(encode_vlm2vec);
const struct bench_adapter bench_adapter_infinity_embeddings = POOLED(encode_infinity);
const struct bench_adapter bench_adapter_infinity_embeddings_clip = POOLED(encode_infinity_clip);
const struct bench_adapter bench_adapter_vllm_pooling = POOLED(encode_pooling);
const struct bench_adapter bench_adapter_vllm_rerank = POOLED(encode_rerank);
