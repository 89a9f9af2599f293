#include "bench/adapters/adapters_priv.h"

#include "bench/adapters/openai_common.h"

/* Key order, and repetition_penalty always there: as vLLM's client sends it. */
static int encode_completions(const struct bench_encode *encode, const struct bench_sample *sample,
			      struct pl_buf *buf, struct pl_err *err)
{
	auto_json json_t *body = json_object();
	json_t *prompt;

	if (sample->ids != NULL) {
		prompt = json_array();
		for (size_t i = 0; i < sample->id_count; i++)
			json_array_append_new(prompt, json_integer(sample->ids[i]));
	} else if (sample->prompt != NULL) {
		prompt = pl_json_from_ctext(sample->prompt);
	} else {
		return pl_err_invalid(err, "sample %lld has no prompt for a completion",
				      (long long)sample->index);
	}
	if (prompt == NULL)
		return pl_err_invalid(err, "prompt of sample %lld is not UTF-8",
				      (long long)sample->index);
	json_object_set_new(body, "model", json_string(encode->model));
	json_object_set_new(body, "prompt", prompt);
	json_object_set_new(body, "repetition_penalty", json_real(1.0));
	json_object_set_new(body, "max_tokens", json_integer(sample->output_tokens));
	json_object_set_new(body, "logprobs",
			    encode->bench->logprobs == OPTION_NO_I64
				    ? json_null()
				    : json_integer(encode->bench->logprobs));
	bench_openai_body_stream(encode, body);
	return bench_openai_body_write(encode, body, buf, err);
}

#define COMPLETIONS                                                           \
	.types_last = true, .has_socket = true, .encode = encode_completions, \
	.decode = bench_openai_decode

const struct bench_adapter bench_adapter_openai = { COMPLETIONS };
const struct bench_adapter bench_adapter_vllm = { COMPLETIONS };
