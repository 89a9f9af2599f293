#include "bench/data/tokenizer.h"
#include "io/sock.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/text.h"

#define CONNECTIONS_MAX 256
#define BODY_BYTES_MAX  (1u << 20)

/* How the server behaves. */
enum manner {
	HONEST,
	NO_CALLS,
	NO_INFO,
	BROKEN_JSON,
	NO_TOKENS,
	EMPTY,
	OTHER_KEYS,
	SGLANG_KEYS, /* as vLLM, and /detokenize answers with 'text' */
	ODD_KEYS,    /* /detokenize answers in a form that no server has */
	FAILS_LATER,
	NO_TEMPLATE,       /* messages are refused */
	NO_MESSAGES,       /* and not known */
	OTHER_NO_TEMPLATE, /* llama.cpp's keys, without its /apply-template */
};

/* A server whose tokens are the bytes of the text, preceded by the special token 1. */
struct server {
	enum manner manner;
	int fd;
	struct io_addr addr;
	pthread_t accepter;
	pthread_t threads[CONNECTIONS_MAX];
	size_t thread_count;
	pthread_mutex_t lock;
	unsigned calls; /* of /tokenize and /detokenize */
	bool wrong;     /* a request was not as it should be */
};

struct connection {
	struct server *server;
	int fd;
};

static bool has_other_keys(enum manner manner)
{
	return manner == OTHER_KEYS || manner == OTHER_NO_TEMPLATE;
}

/* Returns "<u>text<a>" followed by the template's only argument; NULL: no messages. */
static char *templated(const json_t *request)
{
	const json_t *message = json_array_get(json_object_get(request, "messages"), 0);
	const json_t *kwargs = json_object_get(request, "chat_template_kwargs");

	if (message == NULL)
		return NULL;
	assert_string_equal(json_string_value(json_object_get(message, "role")), "user");
	assert_true(json_is_true(json_object_get(request, "add_generation_prompt")));
	return pl_asprintf("<u>%s<a>%s", json_string_value(json_object_get(message, "content")),
			   json_is_false(json_object_get(kwargs, "thinking")) ? "no" : "");
}

static char *tokenize(const json_t *request, enum manner manner)
{
	bool other = has_other_keys(manner);
	auto_free char *chat = other || manner == NO_MESSAGES ? NULL : templated(request);
	const char *text = chat != NULL ? chat
					: json_string_value(json_object_get(
						  request, other ? "content" : "prompt"));
	bool specials = json_is_true(
		json_object_get(request, other ? "add_special" : "add_special_tokens"));
	json_t *tokens = json_array();
	auto_json json_t *reply = json_object();

	if (specials)
		json_array_append_new(tokens, json_integer(1));
	for (; text != NULL && *text != '\0'; text++)
		json_array_append_new(tokens, json_integer((unsigned char)*text));
	json_object_set_new(reply, "count", json_integer((json_int_t)json_array_size(tokens)));
	json_object_set_new(reply, "max_model_len", json_integer(2048));
	json_object_set_new(reply, "tokens", tokens);
	return pl_json_to_text(reply, PL_JSON_COMPACT);
}

static const char *key_of_text(enum manner manner)
{
	if (has_other_keys(manner))
		return "content";
	return manner == SGLANG_KEYS ? "text" : manner == ODD_KEYS ? "words" : "prompt";
}

static char *detokenize(const json_t *request, enum manner manner)
{
	json_t *tokens = json_object_get(request, "tokens");
	auto_free char *text = pl_alloc(json_array_size(tokens) + 1);
	auto_json json_t *reply = json_object();

	for (size_t i = 0; i < json_array_size(tokens); i++)
		text[i] = (char)json_integer_value(json_array_get(tokens, i));
	json_object_set_new(reply, key_of_text(manner), json_string(text));
	return pl_json_to_text(reply, PL_JSON_COMPACT);
}

/* The answer's body; *status is 200 unless changed. */
static char *answer_call(struct server *server, const char *path, const char *body, int *status)
{
	auto_json json_t *request = json_loads(body, 0, NULL);
	const char *model = json_string_value(json_object_get(request, "model"));

	pthread_mutex_lock(&server->lock);
	unsigned call = ++server->calls;
	server->wrong = server->wrong || !pl_text_equal(model, "m \"1\"");
	pthread_mutex_unlock(&server->lock);
	if (server->manner == NO_CALLS)
		*status = 404;
	if (server->manner == FAILS_LATER && call > 10)
		*status = 500;
	if (server->manner == NO_TEMPLATE && json_object_get(request, "messages") != NULL) {
		*status = 400;
		return pl_strdup("{\"error\": {\"message\": \"there is\\nno template\"}}");
	}
	if (*status != 200)
		return pl_strdup("{\"detail\": \"no\"}");
	if (server->manner == BROKEN_JSON)
		return pl_strdup("{\"tokens\": [1, ");
	if (server->manner == NO_TOKENS)
		return pl_strdup("{\"tokens\": [-1]}");
	if (server->manner == EMPTY)
		return pl_strdup("{\"tokens\": []}");
	return pl_text_equal(path, "/tokenize") ? tokenize(request, server->manner)
						: detokenize(request, server->manner);
}

static char *apply_template(const char *body)
{
	auto_json json_t *request = json_loads(body, 0, NULL);
	auto_free char *text = templated(request);
	auto_json json_t *reply = json_pack("{s:s}", "prompt", text);

	return pl_json_to_text(reply, PL_JSON_COMPACT);
}

static char *answer(struct server *server, const char *path, const char *body, int *status)
{
	*status = 200;
	if (pl_text_equal(path, "/apply-template") && server->manner == OTHER_KEYS)
		return apply_template(body);
	if (pl_text_equal(path, "/tokenize") || pl_text_equal(path, "/detokenize"))
		return answer_call(server, path, body, status);
	if (server->manner == NO_INFO || !pl_text_equal(path, "/tokenizer_info")) {
		*status = 404;
		return pl_strdup("{}");
	}
	return pl_strdup("{\"vocab_size\": 256, \"added_tokens_decoder\": {"
			 "\"1\": {\"special\": true}, \"7\": {\"special\": false},"
			 "\"x\": {\"special\": true}, \"255\": {\"special\": true}}}");
}

/* One request into `data`, NUL-ended; the length of its head, 0 at the end. */
static size_t read_request(int fd, char *data)
{
	size_t len = 0, head = 0, body = 0;

	while (head == 0 || len < head + body) {
		ssize_t got = read(fd, data + len, BODY_BYTES_MAX - 1 - len);
		if (got <= 0)
			return 0;
		len += (size_t)got;
		data[len] = '\0';
		const char *end = strstr(data, "\r\n\r\n");
		if (head > 0 || end == NULL)
			continue;
		head = (size_t)(end - data) + 4;
		const char *length = strcasestr(data, "\r\nContent-Length:");
		body = length != NULL && length < end ? strtoul(length + 17, NULL, 10) : 0;
	}
	return head;
}

static void *serve(void *data)
{
	struct connection *connection = data;
	struct server *server = connection->server;
	auto_free char *request = pl_alloc(BODY_BYTES_MAX);
	size_t head;

	while ((head = read_request(connection->fd, request)) > 0) {
		char path[64] = "";
		int status = 0;
		sscanf(request, "%*15s %63s", path);
		bool has_header = strstr(request, "X-Key: secret\r\n") != NULL;
		pthread_mutex_lock(&server->lock);
		server->wrong = server->wrong || !has_header;
		pthread_mutex_unlock(&server->lock);
		auto_free char *body = answer(server, path, request + head, &status);
		auto_free char *reply = pl_asprintf("HTTP/1.1 %d X\r\nContent-Type: "
						    "application/json\r\nContent-Length: "
						    "%zu\r\n\r\n%s",
						    status, strlen(body), body);
		if (send(connection->fd, reply, strlen(reply), MSG_NOSIGNAL) < 0)
			break;
	}
	close(connection->fd);
	free(connection);
	return NULL;
}

static void *accept_all(void *data)
{
	struct server *server = data;
	int fd;

	while (server->thread_count < CONNECTIONS_MAX &&
	       (fd = accept(server->fd, NULL, NULL)) >= 0) {
		struct connection *connection = pl_alloc(sizeof(*connection));
		*connection = (struct connection){ server, fd };
		pthread_create(&server->threads[server->thread_count++], NULL, serve, connection);
	}
	return NULL;
}

static void server_start(struct server *server, enum manner manner)
{
	struct sockaddr_in any = { .sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	*server = (struct server){ .manner = manner, .lock = PTHREAD_MUTEX_INITIALIZER };
	server->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(server->fd >= 0);
	assert_int_equal(bind(server->fd, (struct sockaddr *)&any, sizeof(any)), 0);
	assert_int_equal(listen(server->fd, 64), 0);
	server->addr.len = sizeof(server->addr.u.v4);
	assert_int_equal(getsockname(server->fd, &server->addr.u.any, &server->addr.len), 0);
	assert_int_equal(pthread_create(&server->accepter, NULL, accept_all, server), 0);
}

static void server_stop(struct server *server)
{
	shutdown(server->fd, SHUT_RDWR);
	pthread_join(server->accepter, NULL);
	for (size_t i = 0; i < server->thread_count; i++)
		pthread_join(server->threads[i], NULL);
	close(server->fd);
	assert_false(server->wrong);
}

static int open_at(const struct server *server, struct bench_tokenizer **ret, struct pl_err *err)
{
	return bench_tokenizer_open_server(&server->addr, "tokens.example", "", "X-Key: secret\r\n",
					   "m \"1\"", NULL, ret, err);
}

static void round_trip(enum manner manner)
{
	const char *texts[50];
	struct bench_ids ids[50];
	char *back[50];
	PL_AUTO(bench_tokenizer_free) struct bench_tokenizer *tokenizer = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct server server;
	size_t special_count = 0;

	server_start(&server, manner);
	assert_int_equal(open_at(&server, &tokenizer, &err), 0);
	assert_int_equal(bench_tokenizer_vocab_size(tokenizer), 256);
	assert_int_equal(bench_tokenizer_special_count(tokenizer), 1);
	const uint32_t *special = bench_tokenizer_special_ids(tokenizer, &special_count);
	assert_int_equal(special_count, 2);
	assert_int_equal(special[0], 1);
	assert_int_equal(special[1], 255);

	for (size_t i = 0; i < 50; i++)
		texts[i] = pl_asprintf("text \"%zu\"\n", i);
	assert_int_equal(bench_tokenizer_encode(tokenizer, texts, 50, false, ids, &err), 0);
	assert_int_equal(bench_tokenizer_decode(tokenizer, ids, 50, back, &err), 0);
	for (size_t i = 0; i < 50; i++) {
		assert_int_equal(ids[i].count, strlen(texts[i]));
		assert_string_equal(back[i], texts[i]);
		free(ids[i].ids);
		free(back[i]);
	}
	assert_int_equal(bench_tokenizer_encode(tokenizer, texts, 2, true, ids, &err), 0);
	assert_int_equal(ids[1].count, strlen(texts[1]) + 1);
	assert_int_equal(ids[1].ids[0], 1);
	free(ids[0].ids);
	free(ids[1].ids);
	for (size_t i = 0; i < 50; i++)
		free((char *)texts[i]);
	server_stop(&server);
}

static void test_round_trip(void **state)
{
	(void)state;
	round_trip(HONEST);
}

/* llama.cpp's server: a text without the key that it knows is an empty one to it. */
static void test_round_trip_with_other_keys(void **state)
{
	(void)state;
	round_trip(OTHER_KEYS);
}

static void test_round_trip_with_sglang(void **state)
{
	(void)state;
	round_trip(SGLANG_KEYS);
}

static void test_vocabulary_unknown(void **state)
{
	PL_AUTO(bench_tokenizer_free) struct bench_tokenizer *tokenizer = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct server server;
	size_t special_count = 9;

	(void)state;
	server_start(&server, NO_INFO);
	assert_int_equal(open_at(&server, &tokenizer, &err), 0);
	assert_int_equal(bench_tokenizer_vocab_size(tokenizer), 0);
	bench_tokenizer_special_ids(tokenizer, &special_count);
	assert_int_equal(special_count, 0);
	server_stop(&server);
}

static void test_no_tokenizer(void **state)
{
	static const struct {
		enum manner manner;
		enum pl_err_code code;
		const char *text;
	} cases[] = {
		{ NO_CALLS, PL_ERR_NOT_FOUND, "the server has no '/tokenize'" },
		{ ODD_KEYS, PL_ERR_NETWORK,
		  "'/detokenize': found {\"words\": \"Hello world\"}, expected an object with a "
		  "string 'prompt', 'content' or 'text'" },
		{ BROKEN_JSON, PL_ERR_INVALID, "not valid JSON" },
		{ NO_TOKENS, PL_ERR_NETWORK, "'tokens' contains an invalid id" },
		{ EMPTY, PL_ERR_NETWORK, "no tokens for 'Hello world'" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct bench_tokenizer *tokenizer = NULL;
		struct pl_err err = PL_ERR_INIT;
		struct server server;
		server_start(&server, cases[i].manner);
		assert_int_equal(open_at(&server, &tokenizer, &err), -1);
		assert_null(tokenizer);
		assert_int_equal(err.code, cases[i].code);
		assert_non_null(strstr(err.text, cases[i].text));
		server_stop(&server);
	}
}

/* One failure among many: nothing is given, nothing leaks. */
static void test_batch_fails_whole(void **state)
{
	const char *texts[20];
	struct bench_ids ids[20] = { { 0 } };
	PL_AUTO(bench_tokenizer_free) struct bench_tokenizer *tokenizer = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct server server;

	(void)state;
	server_start(&server, FAILS_LATER);
	assert_int_equal(open_at(&server, &tokenizer, &err), 0);
	for (size_t i = 0; i < 20; i++)
		texts[i] = "abc";
	assert_int_equal(bench_tokenizer_encode(tokenizer, texts, 20, false, ids, &err), -1);
	assert_int_equal(err.code, PL_ERR_NETWORK);
	assert_non_null(strstr(err.text, "status 500"));
	for (size_t i = 0; i < 20; i++)
		assert_null(ids[i].ids);
	server_stop(&server);
}

static void check_templates(enum manner manner, bool counted)
{
	enum { COUNT = 30 };
	PL_AUTO(bench_tokenizer_free) struct bench_tokenizer *tokenizer = NULL;
	auto_json json_t *kwargs = json_pack("{s:b}", "thinking", 0);
	struct bench_templated made[COUNT];
	struct pl_err err = PL_ERR_INIT;
	const char *texts[COUNT];
	struct server server;

	server_start(&server, manner);
	assert_int_equal(open_at(&server, &tokenizer, &err), 0);
	for (size_t i = 0; i < COUNT; i++)
		texts[i] = pl_asprintf("text \"%zu\"\n", i);
	for (int with = 0; with < 2; with++) {
		assert_int_equal(bench_tokenizer_template(tokenizer, NULL, texts, COUNT,
							  with ? kwargs : NULL, made, &err),
				 0);
		for (size_t i = 0; i < COUNT; i++) {
			auto_free char *wanted = pl_asprintf("<u>%s<a>%s", texts[i],
							     with ? "no" : "");
			assert_string_equal(made[i].text, wanted);
			assert_int_equal(made[i].tokens, counted ? strlen(wanted) : 0);
			free(made[i].text);
		}
	}
	for (size_t i = 0; i < COUNT; i++)
		free((char *)texts[i]);
	server_stop(&server);
}

static void test_templates(void **state)
{
	(void)state;
	check_templates(HONEST, true);
	check_templates(OTHER_KEYS, false);
}

static void test_templates_refused(void **state)
{
	static const struct {
		enum manner manner;
		enum pl_err_code code;
		const char *text;
		unsigned calls; /* to open: three; llama.cpp's form is the second tried */
	} cases[] = {
		{ NO_TEMPLATE, PL_ERR_INVALID, "the server responded: there is no template", 4 },
		{ NO_MESSAGES, PL_ERR_NOT_FOUND, "'/tokenize' does not accept messages", 4 },
		{ OTHER_NO_TEMPLATE, PL_ERR_NOT_FOUND, "the server has no '/apply-template'", 4 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		PL_AUTO(bench_tokenizer_free) struct bench_tokenizer *tokenizer = NULL;
		const char *texts[] = { "a", "b", "c" };
		struct bench_templated made[3] = { { 0 } };
		struct pl_err err = PL_ERR_INIT;
		struct server server;
		server_start(&server, cases[i].manner);
		assert_int_equal(open_at(&server, &tokenizer, &err), 0);
		assert_int_equal(
			bench_tokenizer_template(tokenizer, NULL, texts, 3, NULL, made, &err), -1);
		assert_int_equal(err.code, cases[i].code);
		assert_non_null(strstr(err.text, cases[i].text));
		assert_null(made[0].text);
		/* one is asked, not all */
		assert_int_equal(server.calls, cases[i].calls);
		server_stop(&server);
	}
}

/* The first goes well, one of the others does not. */
static void test_templates_fail_whole(void **state)
{
	PL_AUTO(bench_tokenizer_free) struct bench_tokenizer *tokenizer = NULL;
	struct bench_templated made[20] = { { 0 } };
	struct pl_err err = PL_ERR_INIT;
	const char *texts[20];
	struct server server;

	(void)state;
	server_start(&server, FAILS_LATER);
	assert_int_equal(open_at(&server, &tokenizer, &err), 0);
	for (size_t i = 0; i < 20; i++)
		texts[i] = "abc";
	assert_int_equal(bench_tokenizer_template(tokenizer, NULL, texts, 20, NULL, made, &err),
			 -1);
	assert_int_equal(err.code, PL_ERR_NETWORK);
	assert_non_null(strstr(err.text, "status 500"));
	for (size_t i = 0; i < 20; i++)
		assert_null(made[i].text);
	server_stop(&server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_round_trip_with_other_keys),
		cmocka_unit_test(test_round_trip_with_sglang),
		cmocka_unit_test(test_vocabulary_unknown),
		cmocka_unit_test(test_no_tokenizer),
		cmocka_unit_test(test_batch_fails_whole),
		cmocka_unit_test(test_templates),
		cmocka_unit_test(test_templates_refused),
		cmocka_unit_test(test_templates_fail_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
