#include "bench/data/tokenizer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "bench/data/tokenizer_priv.h"
#include "bench/load/peer_text.h"
#include "io/fetch.h"
#include "io/sock.h"

#define SERVER_PARALLEL   8
#define SERVER_TIMEOUT_NS (60 * PL_NS_PER_S)
#define BODY_BYTES_MAX    (64u << 20)
#define WORDS_BYTES       512
/* Limits the memory for bodies and replies, whatever the dataset's size. */
#define BATCH_MAX 4096
/* No model has more tokens; a larger number is not an id. */
#define ID_MAX UINT32_MAX

/*
 * The keys of a server's API: for the text in request and response, and for adding special tokens;
 * and the source of the chat template. template_path NULL: /tokenize, which returns tokens;
 * otherwise this path, which returns a text.
 */
struct dialect {
	const char *text;
	const char *specials;
	const char *template_path;
};

static const struct dialect dialects[] = {
	{ "prompt", "add_special_tokens", NULL },        /* vLLM */
	{ "content", "add_special", "/apply-template" }, /* llama.cpp */
};

struct server_tokenizer {
	struct bench_tokenizer base;
	const struct dialect *dialect;
	struct io_addr addr;
	char *host;
	char *prefix;
	char *headers;
	char *model;
	const atomic_int *stop_signal;
};

static const struct server_tokenizer *server_of(const struct bench_tokenizer *tokenizer)
{
	return PL_CONTAINER_OF(tokenizer, const struct server_tokenizer, base);
}

int64_t bench_tokenizer_vocab_size(const struct bench_tokenizer *tokenizer)
{
	return tokenizer->vocab_size;
}

size_t bench_tokenizer_special_count(const struct bench_tokenizer *tokenizer)
{
	return tokenizer->special_count;
}

const uint32_t *bench_tokenizer_special_ids(const struct bench_tokenizer *tokenizer,
					    size_t *ret_count)
{
	*ret_count = tokenizer->special_id_count;
	return tokenizer->special_ids;
}

void bench_tokenizer_learn(struct bench_tokenizer *tokenizer, int64_t vocab_size,
			   const uint32_t *special_ids, size_t special_count)
{
	free(tokenizer->special_ids);
	tokenizer->special_ids = (uint32_t *)pl_memdup(special_ids,
						       special_count * sizeof(*special_ids));
	tokenizer->special_id_count = special_count;
	tokenizer->vocab_size = vocab_size;
}

int bench_tokenizer_encode(const struct bench_tokenizer *tokenizer, const char *const *texts,
			   size_t count, bool specials, struct bench_ids *ret, struct pl_err *err)
{
	return tokenizer->calls->encode(tokenizer, texts, count, specials, ret, err);
}

int bench_tokenizer_decode(const struct bench_tokenizer *tokenizer, const struct bench_ids *ids,
			   size_t count, char **ret, struct pl_err *err)
{
	return tokenizer->calls->decode(tokenizer, ids, count, ret, err);
}

int bench_tokenizer_template(const struct bench_tokenizer *tokenizer, const char *const *systems,
			     const char *const *texts, size_t count, const json_t *kwargs,
			     struct bench_templated *ret, struct pl_err *err)
{
	if (tokenizer->calls->template == NULL)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "the tokenizer has no chat template");
	return tokenizer->calls->template(tokenizer, systems, texts, count, kwargs, ret, err);
}

void bench_tokenizer_free(struct bench_tokenizer *tokenizer)
{
	if (tokenizer != NULL)
		tokenizer->calls->free(tokenizer);
}

/*
 * Requests of one kind, one per text or list of ids: their contents, the parser of replies and the
 * destination.
 */
struct questions {
	const struct server_tokenizer *server;
	const char *path;
	void (*report)(const struct questions *all, size_t i, struct pl_buf *body);
	int (*read)(const struct io_reply *reply, const char *path, json_t **ret,
		    struct pl_err *err);
	int (*take)(const struct questions *all, size_t i, const json_t *reply, struct pl_err *err);
	const char *const *texts;
	const char *const *systems; /* NULL: none */
	const struct bench_ids *tokens;
	bool specials;
	const char *kwargs;
	struct bench_ids *ret_ids;
	char **ret_texts;
};

/* Bodies. */

static void encode_body(const struct questions *all, size_t i, struct pl_buf *body)
{
	const struct dialect *dialect = all->server->dialect;

	pl_buf_addf(body, ", \"%s\": ", dialect->text);
	pl_text_add_json(body, all->texts[i], strlen(all->texts[i]), true);
	pl_buf_addf(body, ", \"%s\": %s", dialect->specials, all->specials ? "true" : "false");
}

static void decode_body(const struct questions *all, size_t i, struct pl_buf *body)
{
	const struct bench_ids *ids = &all->tokens[i];

	pl_buf_add_text(body, ", \"tokens\": [");
	for (size_t k = 0; k < ids->count; k++)
		pl_buf_addf(body, "%s%" PRIu32, k > 0 ? ", " : "", ids->ids[k]);
	pl_buf_add_char(body, ']');
}

/* One user message, after a system message if there is one; kwargs is JSON, or NULL. */
static void template_body(const struct questions *all, size_t i, struct pl_buf *body)
{
	pl_buf_add_text(body, ", \"messages\": [");
	if (all->systems != NULL) {
		pl_buf_add_text(body, "{\"role\": \"system\", \"content\": ");
		pl_text_add_json(body, all->systems[i], strlen(all->systems[i]), true);
		pl_buf_add_text(body, "}, ");
	}
	pl_buf_add_text(body, "{\"role\": \"user\", \"content\": ");
	pl_text_add_json(body, all->texts[i], strlen(all->texts[i]), true);
	pl_buf_add_text(body, "}], \"add_generation_prompt\": true");
	if (all->kwargs != NULL)
		pl_buf_addf(body, ", \"chat_template_kwargs\": %s", all->kwargs);
}

/* Answers. */

static int read_ids(const json_t *reply, struct bench_ids *ret, struct pl_err *err)
{
	json_t *tokens = json_object_get(reply, "tokens");
	size_t count = json_array_size(tokens);
	auto_free uint32_t *ids = pl_alloc_array(count, sizeof(uint32_t));

	if (!json_is_array(tokens))
		return pl_err_set(err, PL_ERR_NETWORK,
				  "'/tokenize': the response has no 'tokens' list");
	for (size_t i = 0; i < count; i++) {
		const json_t *id = json_array_get(tokens, i);
		if (!json_is_integer(id) || json_integer_value(id) < 0 ||
		    json_integer_value(id) > ID_MAX)
			return pl_err_set(err, PL_ERR_NETWORK, "'tokens' contains an invalid id");
		ids[i] = (uint32_t)json_integer_value(id);
	}
	ret->ids = pl_take(ids);
	ret->count = count;
	return 0;
}

/* Accepts the key of vLLM, llama.cpp or SGLang. */
static int read_text(const json_t *reply, const char *path, char **ret, struct pl_err *err)
{
	static const char *const keys[] = { "prompt", "content", "text" };
	auto_free char *whole = NULL;

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		char *text = pl_json_to_ctext(json_object_get(reply, keys[i]));
		if (text != NULL) {
			*ret = text;
			return 0;
		}
	}
	whole = pl_json_to_text(reply, PL_JSON_PYTHON);
	return pl_err_set(err, PL_ERR_NETWORK,
			  "'%s': found %.200s, expected an object with a string 'prompt', "
			  "'content' or 'text'",
			  path, whole);
}

/* Returns the server's error message as one line; the caller frees it. */
static char *words_of(const struct io_reply *reply)
{
	char words[WORDS_BYTES] = "";

	if (reply->body != NULL)
		bench_peer_words(reply->body, reply->body_len, words, sizeof(words));
	return pl_clean_line(words);
}

static int parse_reply(const struct io_reply *reply, const char *path, json_t **ret,
		       struct pl_err *err)
{
	if (reply->status == 0)
		return pl_err_set(err, PL_ERR_NETWORK, "'%s': %s", path,
				  reply->error != NULL ? reply->error : "no response");
	if (reply->status == 404 || reply->status == 405 || reply->status == 501)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "the server has no '%s' (status %d)", path,
				  reply->status);
	if (reply->status != 200) {
		auto_free char *words = words_of(reply);
		return pl_err_set(err, PL_ERR_NETWORK, "'%s': status %d: %s", path, reply->status,
				  words);
	}
	return pl_json_parse_texts(reply->body, reply->body_len, path, ret, err);
}

static int ask_batch(const struct questions *all, size_t first, size_t count, struct pl_err *err)
{
	const struct server_tokenizer *server = all->server;
	auto_free struct io_fetch *fetches = pl_alloc_array(count, sizeof(*fetches));
	auto_free struct io_reply *replies = pl_alloc_array(count, sizeof(*replies));
	auto_free char **bodies = pl_alloc_array(count, sizeof(*bodies));
	auto_free char *path = pl_asprintf("%s%s", server->prefix, all->path);

	for (size_t i = 0; i < count; i++) {
		auto_buf body = PL_BUF(BODY_BYTES_MAX);
		pl_buf_add_text(&body, "{\"model\": ");
		pl_text_add_json(&body, server->model, strlen(server->model), true);
		all->report(all, first + i, &body);
		pl_buf_add_char(&body, '}');
		bodies[i] = pl_buf_take(&body);
		fetches[i] = (struct io_fetch){
			.addr = &server->addr,
			.host = server->host,
			.method = "POST",
			.path = path,
			.headers = server->headers,
			.body = bodies[i],
			.body_len = strlen(bodies[i]),
			.timeout_ns = SERVER_TIMEOUT_NS,
			.stop_signal = server->stop_signal,
		};
	}
	int rc = io_fetch_batch(fetches, count, SERVER_PARALLEL, replies, err);
	for (size_t i = 0; i < count; i++) {
		auto_json json_t *reply = NULL;
		if (rc == 0)
			rc = all->read(&replies[i], all->path, &reply, err);
		if (rc == 0)
			rc = all->take(all, first + i, reply, err);
		io_reply_done(&replies[i]);
		free(bodies[i]);
	}
	return rc;
}

/* Results before an error are complete; the caller frees them. */
static int ask(const struct questions *all, size_t count, struct pl_err *err)
{
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < count; at += BATCH_MAX)
		rc = ask_batch(all, at, count - at < BATCH_MAX ? count - at : BATCH_MAX, err);
	return rc;
}

static int take_ids(const struct questions *all, size_t i, const json_t *reply, struct pl_err *err)
{
	return read_ids(reply, &all->ret_ids[i], err);
}

static int take_text(const struct questions *all, size_t i, const json_t *reply, struct pl_err *err)
{
	return read_text(reply, all->path, &all->ret_texts[i], err);
}

static int server_encode(const struct bench_tokenizer *tokenizer, const char *const *texts,
			 size_t count, bool specials, struct bench_ids *ret, struct pl_err *err)
{
	auto_free struct bench_ids *ids = pl_alloc_array(count, sizeof(*ids));
	const struct questions all = { .server = server_of(tokenizer),
				       .path = "/tokenize",
				       .report = encode_body,
				       .read = parse_reply,
				       .take = take_ids,
				       .texts = texts,
				       .specials = specials,
				       .ret_ids = ids };
	int rc = ask(&all, count, err);

	for (size_t i = 0; rc < 0 && i < count; i++)
		free(ids[i].ids);
	if (rc == 0 && count > 0)
		memcpy(ret, ids, count * sizeof(*ids));
	return rc;
}

static int server_decode(const struct bench_tokenizer *tokenizer, const struct bench_ids *tokens,
			 size_t count, char **ret, struct pl_err *err)
{
	auto_free char **texts = pl_alloc_array(count, sizeof(*texts));
	const struct questions all = { .server = server_of(tokenizer),
				       .path = "/detokenize",
				       .report = decode_body,
				       .read = parse_reply,
				       .take = take_text,
				       .tokens = tokens,
				       .ret_texts = texts };
	int rc = ask(&all, count, err);

	for (size_t i = 0; rc < 0 && i < count; i++)
		free(texts[i]);
	if (rc == 0 && count > 0)
		memcpy(ret, texts, count * sizeof(*texts));
	return rc;
}

static int read_template(const struct io_reply *reply, const char *path, json_t **ret,
			 struct pl_err *err)
{
	if (reply->status >= 400 && reply->status < 500 && reply->status != 404 &&
	    reply->status != 405) {
		auto_free char *words = words_of(reply);
		return pl_err_invalid(err, "the server responded: %s", words);
	}
	return parse_reply(reply, path, ret, err);
}

/* The templated text, or its tokens. */
static int take_template(const struct questions *all, size_t i, const json_t *reply,
			 struct pl_err *err)
{
	if (all->server->dialect->template_path != NULL)
		return read_text(reply, all->path, &all->ret_texts[i], err);
	if (take_ids(all, i, reply, err) < 0)
		return -1;
	/* one that does not know messages finds nothing to tokenize */
	if (all->ret_ids[i].count == 0)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "'/tokenize' does not accept messages");
	return 0;
}

static int template_part(const struct server_tokenizer *server, const char *const *systems,
			 const char *const *texts, size_t count, const char *kwargs,
			 struct bench_templated *ret, struct pl_err *err)
{
	const char *path = server->dialect->template_path;
	auto_free struct bench_ids *ids = pl_alloc_array(count, sizeof(*ids));
	auto_free char **made = pl_alloc_array(count, sizeof(*made));
	const struct questions all = { .server = server,
				       .path = path != NULL ? path : "/tokenize",
				       .systems = systems,
				       .report = template_body,
				       .read = read_template,
				       .take = take_template,
				       .texts = texts,
				       .kwargs = kwargs,
				       .ret_ids = ids,
				       .ret_texts = made };
	int rc = ask(&all, count, err);

	if (rc == 0 && path == NULL)
		rc = server_decode(&server->base, ids, count, made, err);
	for (size_t i = 0; i < count; i++) {
		ret[i] = (struct bench_templated){ .text = made[i], .tokens = ids[i].count };
		free(ids[i].ids);
	}
	return rc;
}

/* The first text alone: where it is refused, so would be the others. */
static int server_template(const struct bench_tokenizer *tokenizer, const char *const *systems,
			   const char *const *texts, size_t count, const json_t *kwargs,
			   struct bench_templated *ret, struct pl_err *err)
{
	const struct server_tokenizer *server = server_of(tokenizer);
	auto_free struct bench_templated *made = pl_alloc_array(count, sizeof(*made));
	auto_free char *arguments = kwargs != NULL ? pl_json_to_text(kwargs, PL_JSON_PYTHON) : NULL;
	int rc = 0;

	if (count > 0)
		rc = template_part(server, systems, texts, 1, arguments, made, err);
	if (rc == 0 && count > 1)
		rc = template_part(server, systems != NULL ? systems + 1 : NULL, texts + 1,
				   count - 1, arguments, made + 1, err);
	for (size_t i = 0; rc < 0 && i < count; i++)
		free(made[i].text);
	if (rc == 0 && count > 0)
		memcpy(ret, made, count * sizeof(*made));
	return rc;
}

static void server_free(struct bench_tokenizer *tokenizer)
{
	struct server_tokenizer *server = PL_CONTAINER_OF(tokenizer, struct server_tokenizer, base);

	free(server->base.special_ids);
	free(server->host);
	free(server->prefix);
	free(server->headers);
	free(server->model);
	free(server);
}

static const struct bench_tokenizer_calls server_calls = {
	.encode = server_encode,
	.decode = server_decode,
	.template = server_template,
	.free = server_free,
};

/* Not every server provides this; missing data stays unknown. */
static void ask_info(struct server_tokenizer *server)
{
	auto_json json_t *info = NULL;
	auto_reply reply = { 0 };
	auto_free char *path = pl_asprintf("%s/tokenizer_info", server->prefix);
	struct io_fetch fetch = {
		.addr = &server->addr,
		.host = server->host,
		.path = path,
		.headers = server->headers,
		.timeout_ns = SERVER_TIMEOUT_NS,
		.stop_signal = server->stop_signal,
	};

	if (io_fetch(&fetch, &reply, PL_ERR_IGNORED) < 0 || reply.status != 200 ||
	    pl_json_parse(reply.body, reply.body_len, fetch.path, &info, PL_ERR_IGNORED) < 0)
		return;
	json_int_t size = pl_json_get_i64(info, "vocab_size");
	server->base.vocab_size = size > 0 && size <= ID_MAX ? size : 0;
	/* Some servers return `added_tokens_decoder`: {"50256": {"special": true, …}, …}. */
	json_t *added = json_object_get(info, "added_tokens_decoder");
	size_t room = 0;
	PL_JSON_EACH_MEMBER(key, token, added) {
		int64_t id = -1;
		if (!pl_json_get_true(token, "special") || !pl_text_to_i64(key, &id) || id < 0 ||
		    id > (int64_t)ID_MAX)
			continue;
		*PL_PUSH(server->base.special_ids, server->base.special_id_count,
			 room) = (uint32_t)id;
	}
}

/*
 * The first dialect in which the text has tokens: a server that does not know the key of the text
 * may take it for an empty one.
 */
static int find_dialect(struct server_tokenizer *server, const char *text, struct bench_ids *ret,
			struct pl_err *err)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(dialects); i++) {
		server->dialect = &dialects[i];
		if (server_encode(&server->base, &text, 1, false, ret, err) < 0)
			return -1;
		if (ret->count > 0)
			return 0;
		free(ret->ids);
		*ret = (struct bench_ids){ 0 };
	}
	return pl_err_set(err, PL_ERR_NETWORK, "'/tokenize' returned no tokens for '%s'", text);
}

/*
 * Tries both calls once and counts the special tokens added to a text: a missing call is reported
 * before the first of thousands of prompts.
 */
static int try_calls(struct server_tokenizer *server, struct pl_err *err)
{
	const char *text = "Hello world";
	struct bench_ids plain = { 0 }, special = { 0 };
	auto_free char *back = NULL;
	int rc = find_dialect(server, text, &plain, err);

	if (rc == 0)
		rc = server_encode(&server->base, &text, 1, true, &special, err);
	if (rc == 0)
		rc = server_decode(&server->base, &plain, 1, &back, err);
	if (rc == 0 && special.count > plain.count)
		server->base.special_count = special.count - plain.count;
	free(plain.ids);
	free(special.ids);
	return rc;
}

int bench_tokenizer_open_server(const struct io_addr *addr, const char *host, const char *prefix,
				const char *headers, const char *model,
				const atomic_int *stop_signal, struct bench_tokenizer **ret,
				struct pl_err *err)
{
	struct server_tokenizer *server = pl_alloc(sizeof(*server));

	server->base.calls = &server_calls;
	server->addr = *addr;
	server->host = pl_strdup(host);
	server->prefix = pl_strdup(prefix);
	server->headers = pl_strdup(headers);
	server->model = pl_strdup(model != NULL ? model : "");
	server->stop_signal = stop_signal;
	if (try_calls(server, err) < 0) {
		bench_tokenizer_free(&server->base);
		return pl_err_wrap(err, "tokenizer of the server");
	}
	ask_info(server);
	*ret = &server->base;
	return 0;
}
