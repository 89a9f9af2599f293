#include "bench/adapters/adapters_priv.h"

#include "bench/adapters/openai_common.h"

static int encode_chat(const struct bench_encode *encode, const struct bench_sample *sample,
		       struct pl_buf *buf, struct pl_err *err)
{
	struct bench_encode with_overrides = *encode;
	auto_json json_t *body = json_object();
	json_t *messages = bench_openai_messages(sample, NULL, BENCH_MEDIA_LAST);

	if (messages == NULL)
		return pl_err_invalid(err, "sample %lld has no text or messages for a chat",
				      (long long)sample->index);
	json_object_set_new(body, "model", json_string(encode->model));
	json_object_set_new(body, "messages", messages);
	json_object_set_new(body, "max_completion_tokens", json_integer(sample->output_tokens));
	bench_openai_body_stream(encode, body);
	if (sample->min_tokens)
		json_object_set_new(body, "min_tokens", json_integer(sample->output_tokens));
	if (sample->tools != NULL)
		json_object_set(body, "tools", sample->tools);
	with_overrides.overrides = sample->overrides;
	return bench_openai_body_write(&with_overrides, body, buf, err);
}

const struct bench_adapter bench_adapter_openai_chat = {
	.has_socket = true,
	.encode = encode_chat,
	.decode = bench_openai_decode,
};
