#include "io/http.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"
#include "test_data.h"

/* The calls of the callbacks as text: pieces of a body are joined, so that cuts leave no trace. */
struct story {
	struct pl_buf text;
	bool in_body;
	int refuse_at; /* the callback that refuses, counted from 1 */
	int calls;
	int refuse_with;
};

static int reported(struct story *story)
{
	return ++story->calls == story->refuse_at ? story->refuse_with : 0;
}

static int on_head(void *data, const struct io_http_head *head)
{
	struct story *story = data;
	struct pl_buf *text = &story->text;

	if (head->status > 0)
		pl_buf_addf(text, "<%d %s", head->status, head->reason);
	else
		pl_buf_addf(text, "<%s %s", head->method, head->target);
	pl_buf_addf(text, " 1.%d", head->minor_version);
	for (size_t i = 0; i < head->header_count; i++)
		pl_buf_addf(text, " %s=%s", head->headers[i].name, head->headers[i].value);
	pl_buf_addf(text, " len=%d%s%s>", (int)head->content_length,
		    head->chunked ? " chunked" : "", head->keep_alive ? " keep" : "");
	return reported(story);
}

static int on_body(void *data, const char *bytes, size_t len)
{
	struct story *story = data;

	assert_true(len > 0);
	pl_buf_add(&story->text, bytes, len);
	return reported(story);
}

static int on_done(void *data)
{
	struct story *story = data;

	pl_buf_add_text(&story->text, "|");
	return reported(story);
}

static const struct io_http_calls calls = { on_head, on_body, on_done };

enum sort {
	REQ,
	RESP,
	RESP_ENDS,    /* the connection ends after it */
	RESP_NO_BODY, /* it answers a HEAD request */
};

struct message {
	enum sort sort;
	const char *bytes;
	const char *story;
};

#define OK   "HTTP/1.1 200 OK\r\n"
#define POST "POST /v1/completions HTTP/1.1\r\n"

static const struct message messages[] = {
	{ REQ, "GET / HTTP/1.1\r\n\r\n", "<GET / 1.1 len=-1 keep>|" },
	{ REQ, "GET /a?b=c%20d HTTP/1.1\r\nHost: x\r\nAccept:*/*\r\n\r\n",
	  "<GET /a?b=c%20d 1.1 Host=x Accept=*/* len=-1 keep>|" },
	{ REQ, "GET / HTTP/1.0\r\n\r\n", "<GET / 1.0 len=-1>|" },
	{ REQ, "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
	  "<GET / 1.0 Connection=Keep-Alive len=-1 keep>|" },
	{ REQ, "GET / HTTP/1.1\r\nConnection: upgrade , CLOSE\r\n\r\n",
	  "<GET / 1.1 Connection=upgrade , CLOSE len=-1>|" },
	{ REQ, "GET / HTTP/1.1\r\nConnection: closed, x-close\r\n\r\n",
	  "<GET / 1.1 Connection=closed, x-close len=-1 keep>|" },
	{ REQ, "\r\n\r\nGET / HTTP/1.1\r\n\r\n\r\nGET /2 HTTP/1.1\r\n\r\n",
	  "<GET / 1.1 len=-1 keep>|<GET /2 1.1 len=-1 keep>|" },
	{ REQ, "GET / HTTP/1.1\nHost:  \t x y \t \nEmpty:\n\n",
	  "<GET / 1.1 Host=x y Empty= len=-1 keep>|" },
	{ REQ, POST "Content-Length: 5\r\n\r\nhello",
	  "<POST /v1/completions 1.1 Content-Length=5 "
	  "len=5 keep>hello|" },
	{ REQ, POST "Content-Length: 0\r\n\r\n",
	  "<POST /v1/completions 1.1 Content-Length=0 len=0 keep>|" },
	{ REQ, POST "Content-Length: 2\r\ncontent-length: 2\r\n\r\nhi",
	  "<POST /v1/completions 1.1 Content-Length=2 content-length=2 len=2 keep>hi|" },
	{ REQ,
	  POST "Content-Length: 2\r\n\r\nhi" POST "Transfer-Encoding: Chunked\r\n\r\n"
	       "2\r\nyo\r\n0\r\n\r\nGET /3 HTTP/1.1\r\n\r\n",
	  "<POST /v1/completions 1.1 Content-Length=2 len=2 keep>hi|"
	  "<POST /v1/completions 1.1 Transfer-Encoding=Chunked len=-1 chunked keep>yo|"
	  "<GET /3 1.1 len=-1 keep>|" },
	{ REQ, "M-SEARCH * HTTP/1.1\r\nX: a:b: c\r\n\r\n",
	  "<M-SEARCH * 1.1 X=a:b: c len=-1 keep>|" },
	{ REQ, "GET / HTTP/1.1\r\nX: caf\xc3\xa9\r\n\r\n",
	  "<GET / 1.1 X=caf\xc3\xa9 len=-1 keep>|" },
	{ RESP, OK "Content-Length: 3\r\n\r\nabc", "<200 OK 1.1 Content-Length=3 len=3 keep>abc|" },
	{ RESP, "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
	  "<200  1.1 Content-Length=0 len=0 keep>|" },
	{ RESP, "HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n",
	  "<404  1.1 Content-Length=0 len=0 keep>|" },
	{ RESP, "HTTP/1.1 404 Not Found at all\r\nContent-Length: 0\r\n\r\n",
	  "<404 Not Found at all 1.1 Content-Length=0 len=0 keep>|" },
	{ RESP_ENDS, OK "\r\nuntil the end", "<200 OK 1.1 len=-1>until the end|" },
	{ RESP_ENDS, OK "\r\n", "<200 OK 1.1 len=-1>|" },
	{ RESP_ENDS, "HTTP/1.0 200 OK\r\n\r\nold", "<200 OK 1.0 len=-1>old|" },
	{ RESP, "HTTP/1.1 204 No Content\r\n\r\n" OK "Content-Length: 1\r\n\r\nx",
	  "<204 No Content 1.1 len=-1 keep>|<200 OK 1.1 Content-Length=1 len=1 keep>x|" },
	{ RESP, "HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n",
	  "<304 Not Modified 1.1 Content-Length=99 len=99 keep>|" },
	{ RESP_NO_BODY, OK "Content-Length: 99\r\n\r\n" OK "Content-Length: 1\r\n\r\nx",
	  "<200 OK 1.1 Content-Length=99 len=99 keep>|"
	  "<200 OK 1.1 Content-Length=1 len=1 keep>x|" },
	{ RESP_NO_BODY, OK "Transfer-Encoding: chunked\r\n\r\n",
	  "<200 OK 1.1 Transfer-Encoding=chunked len=-1 chunked keep>|" },
	{ RESP,
	  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" OK
	  "Content-Length: 1\r\n\r\nx",
	  "<200 OK 1.1 Content-Length=1 len=1 keep>x|" },
	{ RESP_NO_BODY, "HTTP/1.1 100 Continue\r\n\r\n" OK "Content-Length: 9\r\n\r\n",
	  "<200 OK 1.1 Content-Length=9 len=9 keep>|" },
	{ RESP, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
	  "<101 Switching Protocols 1.1 Upgrade=x len=-1>|" },
	/* a line that continues on the next one: RFC 9112, 5.2 */
	{ RESP, OK "A: 1\r\n 2\r\n\t3\r\nContent-Length:\r\n 1\r\n\r\nx",
	  "<200 OK 1.1 A=1   2  \t3 Content-Length=1 len=1 keep>x|" },
	{ RESP, OK "A:\n \n \r\nContent-Length: 0\r\n\r\n",
	  "<200 OK 1.1 A= Content-Length=0 len=0 keep>|" },
	{ RESP, OK "transfer-encoding: chunked\r\n\r\n4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n",
	  "<200 OK 1.1 transfer-encoding=chunked len=-1 chunked keep>Wikipedia|" },
	{ RESP,
	  OK "transfer-encoding: chunked\r\n\r\n"
	     "00A;name=\"v;\" ; x\r\n0123456789\r\n1 \t;y\r\nA\r\n0b  \r\nabcdefghijk\r\n"
	     "000;last\r\nTrail: er\r\nMore: 1\r\n\r\n" OK "Content-Length: 1\r\n\r\nx",
	  "<200 OK 1.1 transfer-encoding=chunked len=-1 chunked keep>0123456789Aabcdefghijk|"
	  "<200 OK 1.1 Content-Length=1 len=1 keep>x|" },
	{ RESP, OK "transfer-encoding: chunked\r\n\r\n2\r\n\r\n\r\n3\r\n0\r\n\r\n0\r\n\r\n",
	  "<200 OK 1.1 transfer-encoding=chunked len=-1 chunked keep>\r\n0\r\n|" },
};

static struct io_http *new_parser(const struct message *message, struct story *story)
{
	struct io_http *http = io_http_new(
		message->sort == REQ ? IO_HTTP_REQUEST : IO_HTTP_RESPONSE, &calls, story);

	pl_buf_init(&story->text, 1 << 20);
	io_http_set_no_body(http, message->sort == RESP_NO_BODY);
	return http;
}

/* Feeds a copy of exactly these bytes, so that a sanitizer sees a read beyond them. */
static int feed_exact(struct io_http *http, const char *bytes, size_t len, struct pl_err *err)
{
	char *copy = pl_memdup(bytes, len);
	size_t used = len + 1;
	int rc = io_http_feed(http, copy, len, false, &used, err);

	if (rc == 0)
		assert_int_equal(used, len);
	free(copy);
	return rc;
}

static void check_cut(const struct message *message, size_t first, size_t step)
{
	struct pl_err err = PL_ERR_INIT;
	struct story story = { 0 };
	struct io_http *http = new_parser(message, &story);
	size_t len = strlen(message->bytes);
	size_t piece = first;

	for (size_t at = 0; at < len; at += piece, piece = step) {
		if (piece > len - at)
			piece = len - at;
		int rc = feed_exact(http, message->bytes + at, piece, &err);
		if (rc != 0)
			fail_msg("'%s' cut at %zu: %s", message->bytes, first, err.text);
	}
	if (message->sort == RESP_ENDS)
		assert_int_equal(io_http_end(http, &err), 0);
	assert_string_equal(pl_buf_text(&story.text), message->story);
	assert_true(io_http_is_idle(http));
	io_http_free(http);
	pl_buf_done(&story.text);
}

static void test_io_http__cuts_change_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(messages); i++) {
		size_t len = strlen(messages[i].bytes);
		check_cut(&messages[i], 1, 1);
		check_cut(&messages[i], 3, 3);
		for (size_t cut = 1; cut <= len; cut++)
			check_cut(&messages[i], cut, len);
	}
}

struct malformed {
	enum sort sort;
	const char *bytes;
	const char *error; /* a part of the text */
};

#define CHUNKS OK "transfer-encoding: chunked\r\n\r\n"

static const struct malformed malformed[] = {
	{ REQ, "GET /\r\n\r\n", "three parts" },
	{ REQ, "GET  / HTTP/1.1\r\n\r\n", "empty target" },
	{ REQ, "GET / HTTP/1.1 \r\n\r\n", "HTTP version" },
	{ REQ, "GET / x HTTP/1.1\r\n\r\n", "HTTP version" },
	{ REQ, " GET / HTTP/1.1\r\n\r\n", "method is missing" },
	{ REQ, "G@T / HTTP/1.1\r\n\r\n", "method is missing" },
	{ REQ, "GET /\xc3\xa9 HTTP/1.1\r\n\r\n", "target" },
	{ REQ, "GET /\tx HTTP/1.1\r\n\r\n", "target" },
	{ REQ, "GET / HTTP/2.0\r\n\r\n", "version '2.0'" },
	{ REQ, "GET / HTTP/1.x\r\n\r\n", "HTTP version" },
	{ REQ, "GET / http/1.1\r\n\r\n", "HTTP version" },
	{ REQ, "GET / HTTP/1.10\r\n\r\n", "HTTP version" },
	{ REQ, "GET / HTTP/1.1\r\nHost : x\r\n\r\n", "header name" },
	{ REQ, "GET / HTTP/1.1\r\nHost\r\n\r\n", "no colon" },
	{ REQ, "GET / HTTP/1.1\r\n: x\r\n\r\n", "header name" },
	{ REQ, "GET / HTTP/1.1\r\nHo st: x\r\n\r\n", "header name" },
	{ REQ, "GET / HTTP/1.1\r\nHo\x01st: x\r\n\r\n", "control byte 0x01" },
	{ REQ, "GET / HTTP/1.1\r\nHost: x\x7f\r\n\r\n", "control byte 0x7f" },
	{ REQ, "GET / HTTP/1.1\r\nHost: x\ry\r\n\r\n", "control byte 0x0d" },
	{ REQ, "GET / HTTP/1.1\r\r\nHost: x\r\n\r\n", "control byte 0x0d" },
	{ REQ, "GET / HTTP/1.1\r\nA: 1\r\n b\r\n\r\n", "space or tab" },
	{ REQ, "GET / HTTP/1.1\r\n A: 1\r\n\r\n", "space or tab" },
	{ REQ, POST "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "two different" },
	{ REQ, POST "Content-Length: 1, 1\r\n\r\n", "invalid content-length '1, 1'" },
	{ REQ, POST "Content-Length: +1\r\n\r\n", "invalid content-length '+1'" },
	{ REQ, POST "Content-Length: -1\r\n\r\n", "invalid content-length '-1'" },
	{ REQ, POST "Content-Length: 0x1\r\n\r\n", "content-length" },
	{ REQ, POST "Content-Length:\r\n\r\n", "invalid content-length ''" },
	{ REQ, POST "Content-Length: 9223372036854775808\r\n\r\n", "content-length" },
	{ REQ, POST "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "and transfer" },
	{ REQ, POST "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", "and transfer" },
	{ REQ, POST "Transfer-Encoding: gzip, chunked\r\n\r\n", "'gzip, chunked'" },
	{ REQ, POST "Transfer-Encoding: identity\r\n\r\n", "'identity'" },
	{ REQ, POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
	  "more than one transfer-encoding" },
	{ REQ, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.0" },
	{ REQ, "\x16\x03\x01", "begins with a control byte" },
	{ RESP, "\x15\x03\x03", "begins with a control byte" },
	{ RESP, "\r\n", "empty line" },
	{ RESP, "ICY 200 OK\r\n\r\n", "HTTP version" },
	{ RESP, "HTTP/1.1\r\n\r\n", "status line" },
	{ RESP, "HTTP/1.1 20\r\n\r\n", "status line" },
	{ RESP, "HTTP/1.1 2x0 OK\r\n\r\n", "status code" },
	{ RESP, "HTTP/1.1 2000 OK\r\n\r\n", "status line" },
	{ RESP, "HTTP/1.1  200 OK\r\n\r\n", "status" },
	{ RESP, "HTTP/1.1 099 OK\r\n\r\n", "status 99" },
	{ RESP, "HTTP/2 200\r\n\r\n", "HTTP version" },
	{ RESP, OK " A: 1\r\nContent-Length: 0\r\n\r\n", "begins with a space or tab" },
	{ RESP, "HTTP/1.1 200 OK\r\n Content-Length: 0\r\n\r\n", "space or tab" },
	{ RESP, OK "Content-Length: 1\r\n 1\r\n\r\nx", "invalid content-length '1   1'" },
	{ RESP, OK "A: 1\r\n \x01\r\n\r\n", "control byte 0x01" },
	{ RESP, OK "Transfer-Encoding: chunked\r\n ,x\r\n\r\n", "transfer-encoding" },
	{ RESP, CHUNKS "\r\n", "has no size" },
	{ RESP, CHUNKS ";x\r\n", "has no size" },
	{ RESP, CHUNKS "-1\r\n", "has no size" },
	{ RESP, CHUNKS "0x1\r\n", "not a hexadecimal" },
	{ RESP, CHUNKS "1g\r\n", "not a hexadecimal" },
	{ RESP, CHUNKS "1 2\r\n", "not a hexadecimal" },
	{ RESP, CHUNKS "1\n", "not a hexadecimal" },
	{ RESP, CHUNKS "1;a\nb\r\n", "control byte" },
	{ RESP, CHUNKS "1\rA", "CR without LF" },
	{ RESP, CHUNKS "10000000000000000\r\n", "out of range" },
	{ RESP, CHUNKS "ffffffffffffffff\r\n", "out of range" },
	{ RESP, CHUNKS "1\r\nab\r\n", "longer than its size" },
	{ RESP, CHUNKS "1\r\na\n", "longer than its size" },
	{ RESP, CHUNKS "1\r\na\rb", "CR without LF" },
	{ RESP, CHUNKS "0\r\nA: 1\n\r\n", "control byte" },
	{ RESP, CHUNKS "0\r\nA: 1\rB", "CR without LF" },
	{ RESP, CHUNKS "0\r\n\rX", "CR without LF" },
};

/* Whole and byte by byte: refused with the same words, and for good. */
static void check_malformed(const struct malformed *row, size_t step)
{
	struct message message = { .sort = row->sort };
	struct pl_err err = PL_ERR_INIT;
	struct story story = { 0 };
	struct io_http *http = new_parser(&message, &story);
	size_t len = strlen(row->bytes);
	int rc = 0;

	for (size_t at = 0; at < len && rc == 0; at += step)
		rc = feed_exact(http, row->bytes + at, step < len - at ? step : len - at, &err);
	if (rc != -1 || strstr(err.text, row->error) == NULL)
		fail_msg("'%s': %d '%s'", row->bytes, rc, err.text);
	assert_int_equal(err.code, PL_ERR_NETWORK);
	assert_int_equal(feed_exact(http, "G", 1, &err), -1);
	assert_int_equal(io_http_end(http, &err), -1);
	io_http_free(http);
	pl_buf_done(&story.text);
}

static void test_io_http__malformed_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(malformed); i++) {
		check_malformed(&malformed[i], strlen(malformed[i].bytes));
		check_malformed(&malformed[i], 1);
	}
}

static void test_io_http__nul_in_head_is_refused(void **state)
{
	static const char bytes[] = "GET / HTTP/1.1\r\nA: \0b\r\n\r\n";
	const struct message message = { .sort = REQ };
	struct pl_err err = PL_ERR_INIT;
	struct story story = { 0 };
	struct io_http *http = new_parser(&message, &story);

	(void)state;
	assert_int_equal(feed_exact(http, bytes, sizeof(bytes) - 1, &err), -1);
	assert_non_null(strstr(err.text, "control byte 0x00"));
	io_http_free(http);
	pl_buf_done(&story.text);
}

/* Checks that each truncated message is an error, except a request that has not started. */
static void check_truncated(const struct message *message, size_t len)
{
	struct pl_err err = PL_ERR_INIT;
	struct story story = { 0 };
	struct io_http *http = new_parser(message, &story);

	assert_int_equal(feed_exact(http, message->bytes, len, &err), 0);
	bool idle = io_http_is_idle(http);
	int rc = io_http_end(http, &err);
	assert_int_equal(rc, idle && message->sort == REQ ? 0 : -1);
	if (!idle)
		assert_non_null(strstr(err.text, "truncated"));
	io_http_free(http);
	pl_buf_done(&story.text);
}

static void test_io_http__truncation_is_an_error(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(messages); i++) {
		if (messages[i].sort == RESP_ENDS)
			continue;
		for (size_t len = 0; len < strlen(messages[i].bytes); len++)
			check_truncated(&messages[i], len);
	}
}

static void test_io_http__stops_at_done(void **state)
{
	static const char first[] = "\r\nPOST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi";
	static const char second[] = "GET /2 HTTP/1.1\r\n\r\n";
	const struct message message = { .sort = REQ };
	struct pl_err err = PL_ERR_INIT;
	struct story story = { 0 };
	struct io_http *http = new_parser(&message, &story);
	char both[128];
	size_t used;

	(void)state;
	snprintf(both, sizeof(both), "%s%s", first, second);
	assert_int_equal(io_http_feed(http, both, strlen(both), true, &used, &err), 0);
	assert_int_equal(used, strlen(first));
	assert_string_equal(pl_buf_text(&story.text),
			    "<POST / 1.1 Content-Length=2 len=2 keep>hi|");
	assert_int_equal(io_http_feed(http, second, strlen(second), true, &used, &err), 0);
	assert_int_equal(used, strlen(second));
	io_http_free(http);
	pl_buf_done(&story.text);
}

static void test_io_http__interim_response_is_no_end(void **state)
{
	static const char bytes[] = "HTTP/1.1 100 Continue\r\n\r\n" OK
				    "Content-Length: 1\r\n\r\nx+";
	const struct message message = { .sort = RESP };
	struct pl_err err = PL_ERR_INIT;
	struct story story = { 0 };
	struct io_http *http = new_parser(&message, &story);
	size_t used;

	(void)state;
	assert_int_equal(io_http_feed(http, bytes, strlen(bytes), true, &used, &err), 0);
	assert_int_equal(used, strlen(bytes) - 1);
	assert_string_equal(pl_buf_text(&story.text), "<200 OK 1.1 Content-Length=1 len=1 keep>x|");
	io_http_free(http);
	pl_buf_done(&story.text);
}

static void test_io_http__callback_may_refuse(void **state)
{
	static const char plain[] = OK "Content-Length: 3\r\n\r\nabc";

	(void)state;
	for (int at = 1; at <= 3; at++) {
		struct pl_err err = PL_ERR_INIT;
		struct story story = { .refuse_at = at, .refuse_with = 6 + at };
		const struct message message = { .sort = RESP };
		struct io_http *http = new_parser(&message, &story);
		assert_int_equal(feed_exact(http, plain, strlen(plain), &err), 6 + at);
		assert_int_equal(err.code, PL_ERR_NONE);
		assert_int_equal(story.calls, at);
		assert_int_equal(feed_exact(http, "H", 1, &err), -1);
		story.refuse_at = 0;
		io_http_reset(http);
		assert_int_equal(feed_exact(http, plain, strlen(plain), &err), 0);
		io_http_free(http);
		pl_buf_done(&story.text);
	}
}

static void test_io_http__head_is_bounded(void **state)
{
	const struct message message = { .sort = REQ };
	struct pl_err err = PL_ERR_INIT;
	struct story story = { 0 };
	struct io_http *http = new_parser(&message, &story);
	char line[1024];
	int rc = feed_exact(http, "GET / HTTP/1.1\r\nA: ", 19, &err);

	(void)state;
	memset(line, 'a', sizeof(line));
	size_t fed = 19;
	for (; rc == 0 && fed < 2 * IO_HTTP_HEAD_BYTES_MAX; fed += sizeof(line))
		rc = feed_exact(http, line, sizeof(line), &err);
	assert_int_equal(rc, -1);
	assert_in_range(fed, IO_HTTP_HEAD_BYTES_MAX, IO_HTTP_HEAD_BYTES_MAX + 1024 + 19);
	io_http_free(http);
	pl_buf_done(&story.text);
}

static void test_io_http__header_count_is_bounded(void **state)
{
	const struct message message = { .sort = REQ };

	(void)state;
	for (int count = IO_HTTP_HEADERS_MAX; count <= IO_HTTP_HEADERS_MAX + 1; count++) {
		struct pl_err err = PL_ERR_INIT;
		struct story story = { 0 };
		struct io_http *http = new_parser(&message, &story);
		auto_buf text = { 0 };
		pl_buf_init(&text, 1 << 16);
		pl_buf_add_text(&text, "GET / HTTP/1.1\r\n");
		for (int i = 0; i < count; i++)
			pl_buf_addf(&text, "h%d: %d\r\n", i, i);
		pl_buf_add_text(&text, "\r\n");
		int rc = feed_exact(http, text.data, text.len, &err);
		assert_int_equal(rc, count > IO_HTTP_HEADERS_MAX ? -1 : 0);
		io_http_free(http);
		pl_buf_done(&story.text);
	}
}

static void test_io_http__chunk_line_and_trailer_are_bounded(void **state)
{
	static const char *const starts[] = { CHUNKS "1;", CHUNKS "0\r\nA: " };
	const struct message message = { .sort = RESP };
	char filler[4096];

	(void)state;
	memset(filler, 'a', sizeof(filler));
	for (size_t i = 0; i < PL_ARRAY_SIZE(starts); i++) {
		struct pl_err err = PL_ERR_INIT;
		struct story story = { 0 };
		struct io_http *http = new_parser(&message, &story);
		int rc = feed_exact(http, starts[i], strlen(starts[i]), &err);
		for (int n = 0; n < 20 && rc == 0; n++)
			rc = feed_exact(http, filler, sizeof(filler), &err);
		assert_int_equal(rc, -1);
		assert_non_null(strstr(err.text, "larger than"));
		io_http_free(http);
		pl_buf_done(&story.text);
	}
}

static int check_borrowed(void *data, const char *bytes, size_t len)
{
	const char **span = data;

	assert_true(bytes >= span[0] && bytes + len <= span[1]);
	return 0;
}

static void test_io_http__body_is_not_copied(void **state)
{
	static const char bytes[] = CHUNKS "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";
	const char *span[] = { bytes, bytes + sizeof(bytes) };
	const struct io_http_calls body_only = { .on_body = check_borrowed };
	struct io_http *http = io_http_new(IO_HTTP_RESPONSE, &body_only, span);
	struct pl_err err = PL_ERR_INIT;
	size_t used;

	(void)state;
	assert_int_equal(io_http_feed(http, bytes, sizeof(bytes) - 1, false, &used, &err), 0);
	assert_true(io_http_is_idle(http));
	io_http_free(http);
}

static void test_io_http__headers_are_found_without_case(void **state)
{
	const struct io_http_header headers[] = { { "Server", "uvicorn" }, { "X", "" } };
	const struct io_http_head head = { .headers = headers, .header_count = 2 };

	(void)state;
	assert_string_equal(io_http_header_get(&head, "server"), "uvicorn");
	assert_string_equal(io_http_header_get(&head, "x"), "");
	assert_null(io_http_header_get(&head, "serve"));
}

/*
 * Feeds the saved response seven bytes at a time. Its chunks were joined when it was saved, so a
 * head that announces chunks is read to its end only; bytes after the message are left.
 */
static void check_real_answer(const char *path)
{
	const struct message message = { .sort = RESP };
	struct story story = { 0 };
	struct pl_err err = PL_ERR_INIT;
	auto_free char *text = NULL;
	size_t len;

	assert_int_equal(pl_file_read(path, 1 << 20, &text, &len, &err), 0);
	const char *body = strstr(text, "\r\n\r\n");
	assert_non_null(body);
	bool chunked = strcasestr(text, "\r\ntransfer-encoding: chunked\r\n") != NULL;
	size_t end = chunked ? (size_t)(body + 4 - text) : len;
	struct io_http *http = new_parser(&message, &story);
	size_t used = 0;
	for (size_t at = 0; at < end && !pl_text_ends(pl_buf_text(&story.text), "|"); at += used)
		assert_int_equal(io_http_feed(http, text + at, end - at < 7 ? end - at : 7, true,
					      &used, &err),
				 0);
	assert_non_null(strstr(story.text.data, " server=uvicorn"));
	assert_int_equal(io_http_is_idle(http), !chunked);
	assert_int_equal(pl_text_ends(story.text.data, "|"), !chunked);
	io_http_free(http);
	pl_buf_done(&story.text);
}

/* Where they are at hand. */
static void test_io_http__real_answers(void **state)
{
	skip_without_test_data();
	auto_free char *folder = test_data_path("data/real/http");
	DIR *dir = opendir(folder);
	size_t count = 0;

	(void)state;
	assert_non_null(dir);
	for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
		if (!pl_text_ends(entry->d_name, ".txt"))
			continue;
		auto_free char *path = pl_asprintf("%s/%s", folder, entry->d_name);
		check_real_answer(path);
		count++;
	}
	closedir(dir);
	assert_true(count > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_io_http__cuts_change_nothing),
		cmocka_unit_test(test_io_http__malformed_is_refused),
		cmocka_unit_test(test_io_http__nul_in_head_is_refused),
		cmocka_unit_test(test_io_http__truncation_is_an_error),
		cmocka_unit_test(test_io_http__stops_at_done),
		cmocka_unit_test(test_io_http__interim_response_is_no_end),
		cmocka_unit_test(test_io_http__callback_may_refuse),
		cmocka_unit_test(test_io_http__head_is_bounded),
		cmocka_unit_test(test_io_http__header_count_is_bounded),
		cmocka_unit_test(test_io_http__chunk_line_and_trailer_are_bounded),
		cmocka_unit_test(test_io_http__body_is_not_copied),
		cmocka_unit_test(test_io_http__headers_are_found_without_case),
		cmocka_unit_test(test_io_http__real_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
