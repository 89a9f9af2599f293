#include "bench/adapters/openai_common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/jwalk.h"

static void add_f64(json_t *body, const char *name, double value)
{
	if (!isnan(value))
		json_object_set_new(body, name, json_real(value));
}

void bench_openai_body_stream(const struct bench_encode *encode, json_t *body)
{
	json_t *options = json_object();

	json_object_set_new(options, "include_usage", json_true());
	if (encode->bench->continuous_usage)
		json_object_set_new(options, "continuous_usage_stats", json_true());
	json_object_set_new(body, "stream", json_true());
	json_object_set_new(body, "stream_options", options);
}

static int write_body(const json_t *body, struct pl_buf *buf, struct pl_err *err)
{
	if (!pl_json_write(body, PL_JSON_PYTHON, buf))
		return pl_err_invalid(err, "request body is larger than %zu bytes", buf->max);
	return 0;
}

int bench_openai_body_write(const struct bench_encode *encode, json_t *body, struct pl_buf *buf,
			    struct pl_err *err)
{
	const struct vllm_bench *bench = encode->bench;

	if (encode->ignore_eos)
		json_object_set_new(body, "ignore_eos", json_true());
	/* Adds the keys in vLLM's order; an existing key keeps its position. */
	add_f64(body, "top_p", bench->top_p);
	if (bench->top_k != OPTION_NO_I64)
		json_object_set_new(body, "top_k", json_integer(bench->top_k));
	add_f64(body, "min_p", bench->min_p);
	add_f64(body, "temperature", bench->temperature);
	add_f64(body, "frequency_penalty", bench->frequency_penalty);
	add_f64(body, "presence_penalty", bench->presence_penalty);
	add_f64(body, "repetition_penalty", bench->repetition_penalty);
	if (bench->extra_body != NULL)
		json_object_update(body, bench->extra_body);
	if (encode->overrides != NULL)
		json_object_update(body, (json_t *)encode->overrides);
	/* servers reject stream options for a request without streaming */
	if (json_is_false(json_object_get(body, "stream")) &&
	    json_object_get(bench->extra_body, "stream_options") == NULL)
		json_object_del(body, "stream_options");
	return write_body(body, buf, err);
}

int bench_pooled_body_write(const struct bench_encode *encode, json_t *body, struct pl_buf *buf,
			    struct pl_err *err)
{
	if (encode->ignore_eos)
		json_object_set_new(body, "ignore_eos", json_true());
	if (encode->bench->extra_body != NULL)
		json_object_update(body, encode->bench->extra_body);
	return write_body(body, buf, err);
}

json_t *bench_openai_messages(const struct bench_sample *sample, const char *text,
			      enum bench_media_place place)
{
	json_t *content;

	if (sample->messages != NULL)
		return json_incref(sample->messages);
	text = text != NULL ? text : sample->prompt;
	if (text == NULL)
		return NULL;
	json_t *part = json_pack("{s:s, s:o}", "type", "text", "text", pl_json_from_ctext(text));
	content = json_array();
	if (place == BENCH_MEDIA_FIRST)
		json_array_extend(content, sample->media);
	json_array_append_new(content, part);
	if (place == BENCH_MEDIA_LAST)
		json_array_extend(content, sample->media);
	return json_pack("[{s:s, s:o}]", "role", "user", "content", content);
}

/* No response has this many tokens: a larger count is invalid, and sums of it might overflow. */
#define OPENAI_COUNT_MAX INT32_MAX

/* The content of one choice of an event. */
struct choice {
	int64_t index;
	int64_t ids;      /* token ids; RES_NO_COUNT: unknown */
	int64_t logprobs; /* entries of logprobs; RES_NO_COUNT: unknown */
	bool content;
	bool role;
	bool empty_text;
	bool finish;
	unsigned kinds; /* as of the event */
	char finish_reason[24];
	const char *text; /* as in the JSON text */
	size_t text_len;
};

/* Values of an array just entered; -1: broken. */
static int64_t count_array(struct io_jwalk *walk)
{
	int64_t count = 0;

	for (;; count++) {
		enum io_jwalk_token token = io_jwalk_skip_value(walk);
		if (token == IO_JWALK_END)
			return count;
		if (token == IO_JWALK_ERROR || token == IO_JWALK_DONE)
			return -1;
	}
}

/* Skips the value that starts with `token`. */
int bench_openai_pass(struct io_jwalk *walk, enum io_jwalk_token token)
{
	if (token == IO_JWALK_OBJECT || token == IO_JWALK_ARRAY)
		token = io_jwalk_skip(walk);
	return token == IO_JWALK_ERROR ? -1 : 0;
}

/* Sets *ret to an array's length; leaves it unchanged for another value. */
static int read_count(struct io_jwalk *walk, int64_t *ret)
{
	enum io_jwalk_token token = io_jwalk_next(walk);

	if (token != IO_JWALK_ARRAY)
		return bench_openai_pass(walk, token);
	int64_t count = count_array(walk);
	if (count < 0)
		return -1;
	*ret = count;
	return 0;
}

/* Returns whether the key is a label, and not text from the model. */
static bool is_label(const struct io_jwalk *walk)
{
	static const char *const names[] = { "type", "id", "index", "format", "signature" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		if (io_jwalk_is(walk, names[i]))
			return true;
	}
	return false;
}

/* The content of a value. */
struct found {
	bool output;   /* a text that is not empty and not a label */
	bool thinking; /* some of it in a part of this name */
};

/*
 * Looks for output in the value, at any depth of its lists and objects. Mistral's thinking, for example, is a
 * list of parts with a list of parts in each. `token`: the value's first. The walker bounds the depth.
 */
static int pass_content(struct io_jwalk *walk, enum io_jwalk_token token, struct found *ret)
{
	ret->output |= token == IO_JWALK_STRING && walk->len > 0;
	if (token != IO_JWALK_ARRAY && token != IO_JWALK_OBJECT)
		return bench_openai_pass(walk, token);
	while ((token = io_jwalk_next(walk)) != IO_JWALK_END) {
		struct found inner = { 0 };
		bool label = false, thinking = false;
		if (token == IO_JWALK_KEY) {
			label = is_label(walk);
			thinking = io_jwalk_is(walk, "thinking");
			token = io_jwalk_next(walk);
		}
		if (token == IO_JWALK_DONE || pass_content(walk, token, &inner) < 0)
			return -1;
		ret->output |= inner.output && !label;
		ret->thinking |= inner.thinking || (inner.output && thinking);
	}
	return 0;
}

/* Takes the next value as output of this kind. */
static int read_output(struct io_jwalk *walk, struct choice *choice, enum res_output_kind kind)
{
	struct found found = { 0 };

	if (pass_content(walk, io_jwalk_next(walk), &found) < 0)
		return -1;
	choice->content |= found.output;
	choice->kinds |= found.output ? 1u << kind : 0;
	return 0;
}

static int read_role(struct io_jwalk *walk, struct choice *choice)
{
	struct found found = { 0 };

	if (pass_content(walk, io_jwalk_next(walk), &found) < 0)
		return -1;
	choice->role |= found.output;
	return 0;
}

/*
 * Reads the text of a choice, and whether it has output. The text of a list of parts is not stored.
 */
static int read_text(struct io_jwalk *walk, struct choice *choice, bool in_chat)
{
	enum io_jwalk_token token = io_jwalk_next(walk);
	struct found found = { 0 };

	if (token == IO_JWALK_STRING && walk->len > 0) {
		choice->text = walk->text;
		choice->text_len = walk->len;
	}
	choice->empty_text |= in_chat && token == IO_JWALK_STRING && walk->len == 0;
	if (pass_content(walk, token, &found) < 0)
		return -1;
	choice->content |= found.output;
	if (found.output)
		choice->kinds |= 1u << (found.thinking ? RES_KIND_REASONING : RES_KIND_TEXT);
	return 0;
}

/* Returns the kind of a key with output other than `content`; RES_KIND_COUNT: not such a key. */
static enum res_output_kind kind_of(const struct io_jwalk *walk)
{
	static const struct {
		const char *name;
		enum res_output_kind kind;
	} names[] = {
		{ "reasoning", RES_KIND_REASONING },
		{ "reasoning_content", RES_KIND_REASONING },
		{ "reasoning_details", RES_KIND_REASONING },
		{ "thinking", RES_KIND_REASONING },
		{ "thinking_blocks", RES_KIND_REASONING },
		{ "tool_calls", RES_KIND_TOOL_CALL },
		{ "function_call", RES_KIND_TOOL_CALL },
		{ "refusal", RES_KIND_TEXT },
		{ "audio", RES_KIND_TEXT },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		if (io_jwalk_is(walk, names[i].name))
			return names[i].kind;
	}
	return RES_KIND_COUNT;
}

static int read_delta(struct io_jwalk *walk, struct choice *choice)
{
	enum io_jwalk_token token = io_jwalk_next(walk);
	enum res_output_kind kind;
	int rc = 0;

	if (token != IO_JWALK_OBJECT)
		return bench_openai_pass(walk, token);
	while (rc == 0 && (token = io_jwalk_next(walk)) == IO_JWALK_KEY) {
		if (io_jwalk_is(walk, "content"))
			rc = read_text(walk, choice, true);
		else if (io_jwalk_is(walk, "role"))
			rc = read_role(walk, choice);
		else if ((kind = kind_of(walk)) != RES_KIND_COUNT)
			rc = read_output(walk, choice, kind);
		else
			rc = bench_openai_pass(walk, io_jwalk_next(walk));
	}
	return rc == 0 && token == IO_JWALK_END ? 0 : -1;
}

/* Completions: {"tokens": […]}; chat: {"content": […]}. */
static int read_logprobs(struct io_jwalk *walk, struct choice *choice)
{
	enum io_jwalk_token token = io_jwalk_next(walk);
	int rc = 0;

	if (token != IO_JWALK_OBJECT)
		return bench_openai_pass(walk, token);
	while (rc == 0 && (token = io_jwalk_next(walk)) == IO_JWALK_KEY) {
		if (io_jwalk_is(walk, "tokens") || io_jwalk_is(walk, "content"))
			rc = read_count(walk, &choice->logprobs);
		else
			rc = bench_openai_pass(walk, io_jwalk_next(walk));
	}
	return rc == 0 && token == IO_JWALK_END ? 0 : -1;
}

static int read_index(struct io_jwalk *walk, struct choice *choice)
{
	enum io_jwalk_token token = io_jwalk_next(walk);

	if (token == IO_JWALK_NUMBER && !io_jwalk_to_i64(walk, &choice->index))
		return -1;
	return bench_openai_pass(walk, token);
}

static int read_choice_key(struct io_jwalk *walk, struct choice *choice)
{
	if (io_jwalk_is(walk, "index"))
		return read_index(walk, choice);
	if (io_jwalk_is(walk, "text"))
		return read_text(walk, choice, false);
	/* "message" where the answer came in one piece */
	if (io_jwalk_is(walk, "delta") || io_jwalk_is(walk, "message"))
		return read_delta(walk, choice);
	if (io_jwalk_is(walk, "finish_reason")) {
		enum io_jwalk_token token = io_jwalk_next(walk);
		char text[sizeof(choice->finish_reason)];
		/* some servers send "" instead of null */
		if (token != IO_JWALK_STRING || walk->len == 0)
			return bench_openai_pass(walk, token);
		size_t len = io_jwalk_decode(walk, text, sizeof(text));
		if (len >= sizeof(text)) {
			memcpy(choice->finish_reason, "other", sizeof("other"));
		} else {
			memcpy(choice->finish_reason, text, len);
			choice->finish_reason[len] = '\0';
		}
		choice->finish = true;
		return 0;
	}
	if (io_jwalk_is(walk, "logprobs"))
		return read_logprobs(walk, choice);
	if (io_jwalk_is(walk, "token_ids"))
		return read_count(walk, &choice->ids);
	return bench_openai_pass(walk, io_jwalk_next(walk));
}

/* Merges a choice into the event's totals. */
static void add_choice(struct bench_event *event, const struct choice *choice)
{
	unsigned bit = choice->index >= 0 && choice->index < 32 ? 1u << choice->index : 0;
	bool content = choice->content || choice->ids > 0;
	int64_t tokens = choice->ids != RES_NO_COUNT ? choice->ids : choice->logprobs;
	bool role_only = choice->role && !content && !choice->finish;

	if (role_only && tokens == RES_NO_COUNT)
		tokens = 0;
	if (tokens == RES_NO_COUNT)
		event->tokens = RES_NO_COUNT;
	else if (event->choices == 0)
		event->tokens = tokens;
	else if (event->tokens != RES_NO_COUNT)
		event->tokens += tokens;
	if (event->choices == 0) {
		event->text = choice->text;
		event->text_len = choice->text_len;
	}
	event->role_only = role_only && (event->choices == 0 || event->role_only);
	event->choices++;
	event->has_choices = true;
	event->choice_mask |= bit;
	event->empty_text |= choice->empty_text && !choice->role && !content;
	event->content |= content;
	event->outputs += content;
	event->kinds |= choice->kinds | (role_only ? 1u << RES_KIND_ROLE : 0);
	if (!choice->finish)
		return;
	event->finish = true;
	event->choice_finished = true;
	event->finished_mask |= bit;
	if (choice->index == 0)
		memcpy(event->finish_reason, choice->finish_reason, sizeof(event->finish_reason));
}

static int read_choice(struct io_jwalk *walk, struct bench_event *event)
{
	struct choice choice = { .ids = RES_NO_COUNT, .logprobs = RES_NO_COUNT };
	enum io_jwalk_token token;

	while ((token = io_jwalk_next(walk)) == IO_JWALK_KEY) {
		if (read_choice_key(walk, &choice) < 0)
			return -1;
	}
	if (token != IO_JWALK_END)
		return -1;
	add_choice(event, &choice);
	return 0;
}

static int read_choices(struct io_jwalk *walk, struct bench_event *event)
{
	enum io_jwalk_token token = io_jwalk_next(walk);

	if (token == IO_JWALK_NULL)
		return 0;
	if (token != IO_JWALK_ARRAY)
		return -1;
	while ((token = io_jwalk_next(walk)) == IO_JWALK_OBJECT) {
		if (read_choice(walk, event) < 0)
			return -1;
	}
	return token == IO_JWALK_END ? 0 : -1;
}

static bool count_of_token(const struct io_jwalk *walk, enum io_jwalk_token token, int64_t *ret)
{
	int64_t count;

	if (token != IO_JWALK_NUMBER || !io_jwalk_to_i64(walk, &count) || count < 0 ||
	    count > OPENAI_COUNT_MAX)
		return false;
	*ret = count;
	return true;
}

/* {"cached_tokens": 64}, or null */
static int read_details(struct io_jwalk *walk, enum io_jwalk_token token, struct bench_event *event)
{
	if (token != IO_JWALK_OBJECT)
		return bench_openai_pass(walk, token);
	while ((token = io_jwalk_next(walk)) == IO_JWALK_KEY) {
		bool is_cached = io_jwalk_is(walk, "cached_tokens");
		token = io_jwalk_next(walk);
		if ((!is_cached || !count_of_token(walk, token, &event->usage_cached)) &&
		    bench_openai_pass(walk, token) < 0)
			return -1;
	}
	return token == IO_JWALK_END ? 0 : -1;
}

int bench_openai_read_usage(struct io_jwalk *walk, const char *output_key, const char *prompt_key,
			    struct bench_event *event)
{
	enum io_jwalk_token token = io_jwalk_next(walk);

	if (token != IO_JWALK_OBJECT)
		return bench_openai_pass(walk, token);
	while ((token = io_jwalk_next(walk)) == IO_JWALK_KEY) {
		bool is_details = io_jwalk_is(walk, "prompt_tokens_details") ||
				  io_jwalk_is(walk, "input_tokens_details");
		int64_t *into = NULL;
		if (io_jwalk_is(walk, output_key))
			into = &event->usage_completion;
		else if (io_jwalk_is(walk, prompt_key))
			into = &event->usage_prompt;
		token = io_jwalk_next(walk);
		if (is_details) {
			if (read_details(walk, token, event) < 0)
				return -1;
		} else if ((into == NULL || !count_of_token(walk, token, into)) &&
			   bench_openai_pass(walk, token) < 0) {
			return -1;
		}
	}
	return token == IO_JWALK_END ? 0 : -1;
}

void bench_openai_keep_error_text(const struct io_jwalk *walk, struct bench_event *event)
{
	size_t room = sizeof(event->error_text) - 1;
	auto_free char *text = pl_alloc(walk->len + 1);
	size_t len = io_jwalk_decode(walk, text, walk->len + 1);

	if (len == (size_t)-1)
		return;
	len = len < room ? len : room;
	memcpy(event->error_text, text, len);
	event->error_text[len] = '\0';
}

/*
 * As in Python, null, false, 0, "", [] and {} are not errors. For the start of an object the answer
 * is still open.
 */
static bool is_error(const struct io_jwalk *walk, enum io_jwalk_token token)
{
	switch (token) {
	case IO_JWALK_NULL:
	case IO_JWALK_FALSE:
	case IO_JWALK_OBJECT:
		return false;
	case IO_JWALK_STRING:
		return walk->len > 0;
	case IO_JWALK_NUMBER:
		return walk->len != 1 || walk->text[0] != '0';
	default:
		return true;
	}
}

int bench_openai_read_error(struct io_jwalk *walk, struct bench_event *event)
{
	enum io_jwalk_token token = io_jwalk_next(walk);

	if (token == IO_JWALK_ARRAY) {
		int64_t count = count_array(walk);
		event->error |= count > 0;
		return count < 0 ? -1 : 0;
	}
	event->error |= is_error(walk, token);
	if (token == IO_JWALK_STRING && walk->len > 0)
		bench_openai_keep_error_text(walk, event);
	if (token != IO_JWALK_OBJECT)
		return bench_openai_pass(walk, token);
	while ((token = io_jwalk_next(walk)) == IO_JWALK_KEY) {
		bool message = io_jwalk_is(walk, "message");
		event->error = true;
		token = io_jwalk_next(walk);
		if (message && token == IO_JWALK_STRING)
			bench_openai_keep_error_text(walk, event);
		if (bench_openai_pass(walk, token) < 0)
			return -1;
	}
	return token == IO_JWALK_END ? 0 : -1;
}

/*
 * {"object": "error", "message": …} and {"detail": …}: the format of other servers and older
 * releases.
 */
int bench_openai_read_plain_error(struct io_jwalk *walk, struct bench_event *event, bool object)
{
	enum io_jwalk_token token = io_jwalk_next(walk);

	if (token == IO_JWALK_STRING && object)
		event->error |= io_jwalk_is(walk, "error");
	else if (token == IO_JWALK_STRING && event->error_text[0] == '\0')
		bench_openai_keep_error_text(walk, event);
	return bench_openai_pass(walk, token);
}

/* The last NUMBER, in ms, as seconds; NaN: the last token is another one. */
static double read_ms(const struct io_jwalk *walk, enum io_jwalk_token token)
{
	char text[64];

	if (token != IO_JWALK_NUMBER || walk->len >= sizeof(text))
		return NAN;
	memcpy(text, walk->text, walk->len);
	text[walk->len] = '\0';
	double ms = strtod(text, NULL);
	return isfinite(ms) ? ms / 1000 : NAN;
}

/* The value of "metrics": vLLM's own times of the request, which it sends with the usage. */
static int read_server_times(struct io_jwalk *walk, struct bench_event *event)
{
	enum io_jwalk_token token = io_jwalk_next(walk);

	if (token != IO_JWALK_OBJECT)
		return bench_openai_pass(walk, token);
	event->has_server_times = true;
	event->server_queue_s = NAN;
	event->server_ttft_s = NAN;
	event->server_decode_s = NAN;
	while ((token = io_jwalk_next(walk)) == IO_JWALK_KEY) {
		bool queue = io_jwalk_is(walk, "queue_time_ms");
		bool ttft = io_jwalk_is(walk, "time_to_first_token_ms");
		bool decode = io_jwalk_is(walk, "generation_time_ms");
		token = io_jwalk_next(walk);
		if (queue)
			event->server_queue_s = read_ms(walk, token);
		if (ttft)
			event->server_ttft_s = read_ms(walk, token);
		if (decode)
			event->server_decode_s = read_ms(walk, token);
		if (bench_openai_pass(walk, token) < 0)
			return -1;
	}
	return token == IO_JWALK_END ? 0 : -1;
}

static int read_key(struct io_jwalk *walk, struct bench_event *event)
{
	if (io_jwalk_is(walk, "choices"))
		return read_choices(walk, event);
	if (io_jwalk_is(walk, "usage"))
		return bench_openai_read_usage(walk, "completion_tokens", "prompt_tokens", event);
	if (io_jwalk_is(walk, "metrics"))
		return read_server_times(walk, event);
	if (io_jwalk_is(walk, "error"))
		return bench_openai_read_error(walk, event);
	if (io_jwalk_is(walk, "object"))
		return bench_openai_read_plain_error(walk, event, true);
	if (io_jwalk_is(walk, "message") || io_jwalk_is(walk, "detail"))
		return bench_openai_read_plain_error(walk, event, false);
	return bench_openai_pass(walk, io_jwalk_next(walk));
}

/* error_text is only cut to "": clearing half a KB for each token would be the decoder's main
 * cost. */
void bench_openai_event_clear(struct bench_event *event)
{
	event->has_choices = false;
	event->content = false;
	event->outputs = 0;
	event->kinds = 0;
	event->empty_text = false;
	event->role_only = false;
	event->has_server_times = false;
	event->finish = false;
	event->finish_reason[0] = '\0';
	event->tokens = RES_NO_COUNT;
	event->usage_completion = RES_NO_COUNT;
	event->usage_prompt = RES_NO_COUNT;
	event->usage_cached = RES_NO_COUNT;
	event->results = RES_NO_COUNT;
	event->done = false;
	event->error = false;
	event->text = NULL;
	event->text_len = 0;
	event->error_text[0] = '\0';
	event->choices = 0;
	event->choice_mask = 0;
	event->choice_finished = false;
	event->finished_mask = 0;
}

void bench_openai_trim(const char **data, size_t *len)
{
	while (*len > 0 && ((*data)[*len - 1] == ' ' || (*data)[*len - 1] == '\t'))
		(*len)--;
	while (*len > 0 && (**data == ' ' || **data == '\t')) {
		(*data)++;
		(*len)--;
	}
}

int bench_openai_decode(const char *data, size_t len, struct bench_event *ret)
{
	struct io_jwalk walk;
	enum io_jwalk_token token;

	bench_openai_event_clear(ret);
	bench_openai_trim(&data, &len);
	if (len == 6 && memcmp(data, "[DONE]", 6) == 0) {
		ret->done = true;
		return 0;
	}
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
