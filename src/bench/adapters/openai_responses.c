#include "bench/adapters/adapters_priv.h"

#include <string.h>

#include "bench/adapters/openai_common.h"

static int encode_responses(const struct bench_encode *encode, const struct bench_sample *sample,
			    struct pl_buf *buf, struct pl_err *err)
{
	auto_json json_t *body = json_object();
	json_t *input = sample->prompt != NULL ? pl_json_from_ctext(sample->prompt) : NULL;

	if (input == NULL)
		return pl_err_invalid(err, "sample %lld has no text for a response",
				      (long long)sample->index);
	json_object_set_new(body, "model", json_string(encode->model));
	json_object_set_new(body, "input", input);
	json_object_set_new(body, "max_output_tokens", json_integer(sample->output_tokens));
	json_object_set_new(body, "stream", json_true());
	json_object_set_new(body, "store", json_false());
	return bench_openai_body_write(encode, body, buf, err);
}

/*
 * The kind of an event, from its `type`. Other events (start and end of items and parts) have no
 * relevant content.
 */
enum kind { KIND_OTHER, KIND_DELTA, KIND_COMPLETED, KIND_INCOMPLETE, KIND_FAILED };

static enum kind kind_of(const struct io_jwalk *walk)
{
	static const struct {
		const char *type;
		enum kind kind;
	} kinds[] = {
		{ "response.output_text.delta", KIND_DELTA },
		{ "response.reasoning_text.delta", KIND_DELTA },
		{ "response.reasoning_summary_text.delta", KIND_DELTA },
		{ "response.function_call_arguments.delta", KIND_DELTA },
		{ "response.refusal.delta", KIND_DELTA },
		{ "response.completed", KIND_COMPLETED },
		{ "response.incomplete", KIND_INCOMPLETE },
		{ "response.failed", KIND_FAILED },
		{ "error", KIND_FAILED },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (io_jwalk_is(walk, kinds[i].type))
			return kinds[i].kind;
	}
	return KIND_OTHER;
}

/* For a response without streaming. */
static enum kind kind_of_status(const struct io_jwalk *walk)
{
	if (io_jwalk_is(walk, "completed"))
		return KIND_COMPLETED;
	if (io_jwalk_is(walk, "incomplete"))
		return KIND_INCOMPLETE;
	return io_jwalk_is(walk, "failed") ? KIND_FAILED : KIND_OTHER;
}

struct answer {
	struct bench_event *event;
	enum kind kind;
	const char *text; /* `delta` */
	size_t text_len;
	bool is_text; /* of the answer; vLLM leaves reasoning and tool calls out of it */
	enum res_output_kind output;
	bool has_output; /* the whole answer holds some */
};

static int read_usage(struct io_jwalk *walk, struct bench_event *event)
{
	return bench_openai_read_usage(walk, "output_tokens", "input_tokens", event);
}

/* The list of items of an answer in one piece. */
static int read_output(struct io_jwalk *walk, struct answer *answer)
{
	enum io_jwalk_token token = io_jwalk_next(walk);

	if (token != IO_JWALK_ARRAY)
		return bench_openai_pass(walk, token);
	while ((token = io_jwalk_next(walk)) == IO_JWALK_OBJECT) {
		answer->has_output = true;
		if (bench_openai_pass(walk, token) < 0)
			return -1;
	}
	return token == IO_JWALK_END ? 0 : -1;
}

/* {"response": {"usage": …, "error": …}} */
static int read_response(struct io_jwalk *walk, struct bench_event *event)
{
	enum io_jwalk_token token = io_jwalk_next(walk);
	int rc = 0;

	if (token != IO_JWALK_OBJECT)
		return bench_openai_pass(walk, token);
	while (rc == 0 && (token = io_jwalk_next(walk)) == IO_JWALK_KEY) {
		if (io_jwalk_is(walk, "usage"))
			rc = read_usage(walk, event);
		else if (io_jwalk_is(walk, "error"))
			rc = bench_openai_read_error(walk, event);
		else
			rc = bench_openai_pass(walk, io_jwalk_next(walk));
	}
	return rc == 0 && token == IO_JWALK_END ? 0 : -1;
}

static int read_key(struct io_jwalk *walk, struct answer *answer)
{
	bool type = io_jwalk_is(walk, "type");
	bool delta = io_jwalk_is(walk, "delta");

	if (io_jwalk_is(walk, "response"))
		return read_response(walk, answer->event);
	if (io_jwalk_is(walk, "error"))
		return bench_openai_read_error(walk, answer->event);
	if (io_jwalk_is(walk, "usage"))
		return read_usage(walk, answer->event);
	if (io_jwalk_is(walk, "output"))
		return read_output(walk, answer);
	bool status = io_jwalk_is(walk, "status");
	bool message = io_jwalk_is(walk, "message");
	enum io_jwalk_token token = io_jwalk_next(walk);
	if (status && token == IO_JWALK_STRING)
		answer->kind = kind_of_status(walk);
	if (type && token == IO_JWALK_STRING) {
		answer->kind = kind_of(walk);
		answer->is_text = io_jwalk_is(walk, "response.output_text.delta");
		answer->output = RES_KIND_TEXT;
		if (io_jwalk_is(walk, "response.function_call_arguments.delta"))
			answer->output = RES_KIND_TOOL_CALL;
		else if (io_jwalk_is(walk, "response.reasoning_text.delta") ||
			 io_jwalk_is(walk, "response.reasoning_summary_text.delta"))
			answer->output = RES_KIND_REASONING;
	}
	if (delta && token == IO_JWALK_STRING) {
		answer->text = walk->text;
		answer->text_len = walk->len;
	}
	if (message && token == IO_JWALK_STRING && answer->event->error_text[0] == '\0')
		bench_openai_keep_error_text(walk, answer->event);
	return bench_openai_pass(walk, token);
}

/* Sets the result for the single choice: the stream has no [DONE], so its last event ends it. */
static void sum_up(const struct answer *answer)
{
	struct bench_event *event = answer->event;

	if (answer->kind == KIND_DELTA) {
		event->has_choices = true;
		event->content = answer->text_len > 0;
		event->outputs = event->content;
		event->kinds = event->content ? 1u << answer->output : 0;
		event->text = answer->is_text ? answer->text : NULL;
		event->text_len = answer->text_len;
		event->choices = 1;
		event->choice_mask = 1;
	}
	if (answer->kind == KIND_COMPLETED || answer->kind == KIND_INCOMPLETE) {
		event->done = true;
		event->finish = true;
		event->choice_finished = true;
		event->finished_mask = 1;
		strcpy(event->finish_reason, answer->kind == KIND_COMPLETED ? "stop" : "length");
	}
	if (answer->has_output) {
		event->content = true;
		event->choice_mask = 1;
	}
	event->error |= answer->kind == KIND_FAILED;
}

static int decode_responses(const char *data, size_t len, struct bench_event *ret)
{
	struct answer answer = { .event = ret };
	enum io_jwalk_token token;
	struct io_jwalk walk;

	bench_openai_event_clear(ret);
	bench_openai_trim(&data, &len);
	/* some servers send it anyway */
	if (len == 6 && memcmp(data, "[DONE]", 6) == 0)
		return 0;
	io_jwalk_init(&walk, data, len);
	if (io_jwalk_next(&walk) != IO_JWALK_OBJECT)
		return -1;
	while ((token = io_jwalk_next(&walk)) == IO_JWALK_KEY) {
		if (read_key(&walk, &answer) < 0)
			return -1;
	}
	if (token != IO_JWALK_END || io_jwalk_next(&walk) != IO_JWALK_DONE)
		return -1;
	sum_up(&answer);
	return 0;
}

const struct bench_adapter bench_adapter_openai_responses = {
	.has_socket = true,
	.encode = encode_responses,
	.decode = decode_responses,
};
