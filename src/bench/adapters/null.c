#include "bench/adapters/adapters_priv.h"

#include <string.h>

/*
 * The protocol without a server: the worker answers each request at once with as many events as
 * tokens were requested. Such a run shows the cost of the load generator without sockets and HTTP:
 * the baseline of docs/performance.md. It is also the example of docs/how-to/add-an-adapter.md.
 */
static const char token_text[] = "token";
static const char last_text[] = "last";
static const char done_text[] = "done";

static int encode_null(const struct bench_encode *encode, const struct bench_sample *sample,
		       struct pl_buf *buf, struct pl_err *err)
{
	(void)encode;
	if (!pl_buf_addf(buf, "%lld", (long long)sample->output_tokens))
		return pl_err_invalid(err, "request body is larger than %zu bytes", buf->max);
	return 0;
}

static const char *answer_null(int64_t output_tokens, int64_t i)
{
	if (i < output_tokens - 1)
		return token_text;
	if (i == output_tokens - 1)
		return last_text;
	return i == output_tokens || (output_tokens < 0 && i == 0) ? done_text : NULL;
}

static int decode_null(const char *data, size_t len, struct bench_event *ret)
{
	*ret = (struct bench_event){
		.tokens = RES_NO_COUNT,
		.usage_completion = RES_NO_COUNT,
		.usage_prompt = RES_NO_COUNT,
	};
	if (len == sizeof(done_text) - 1 && memcmp(data, done_text, len) == 0) {
		ret->done = true;
		return 0;
	}
	bool last = len == sizeof(last_text) - 1 && memcmp(data, last_text, len) == 0;
	if (!last && (len != sizeof(token_text) - 1 || memcmp(data, token_text, len) != 0))
		return -1;
	ret->has_choices = true;
	ret->choices = 1;
	ret->choice_mask = 1;
	ret->content = true;
	ret->outputs = 1;
	ret->kinds = 1u << RES_KIND_TEXT;
	ret->tokens = 1;
	if (last) {
		ret->finish = true;
		ret->choice_finished = true;
		ret->finished_mask = 1;
		memcpy(ret->finish_reason, "length", sizeof("length"));
	}
	return 0;
}

const struct bench_adapter bench_adapter_null = {
	.has_socket = false,
	.encode = encode_null,
	.decode = decode_null,
	.answer = answer_null,
};
