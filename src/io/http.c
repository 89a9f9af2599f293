#include "io/http.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/http_head.h"

/* A chunk's size line with its extensions. */
#define CHUNK_LINE_BYTES_MAX 4096
/* Far above any body, far below where a further digit could overflow. */
#define CHUNK_BYTES_MAX (INT64_C(1) << 58)

/*
 *   HEAD -> LENGTH | UNTIL_END | SIZE | (done) HEAD
 *   SIZE [-> SIZE_SPACE] [-> SIZE_EXTENSION] -> SIZE_LF -> DATA | TRAILER
 *   DATA -> DATA_CR -> DATA_LF -> SIZE
 *   TRAILER <-> TRAILER_LF -> (done) HEAD
 */
enum state {
	STATE_HEAD,
	STATE_LENGTH,
	STATE_UNTIL_END,
	STATE_SIZE,
	STATE_SIZE_SPACE,
	STATE_SIZE_EXTENSION,
	STATE_SIZE_LF,
	STATE_DATA,
	STATE_DATA_CR,
	STATE_DATA_LF,
	STATE_TRAILER,
	STATE_TRAILER_LF,
	STATE_ERROR,
};

struct io_http {
	enum io_http_kind kind;
	struct io_http_calls calls;
	void *data;
	enum state state;
	bool no_body;
	bool done; /* a message ended within this io_http_feed() */

	struct pl_buf head;
	size_t line_start; /* of the unfinished line in head */

	int64_t left;         /* remaining bytes of the body or chunk; in SIZE the size so far */
	size_t line_bytes;    /* of the size line or the trailer's line so far */
	size_t trailer_bytes; /* of all trailer lines */

	struct io_http_header headers[IO_HTTP_HEADERS_MAX];
};

static int fail(struct io_http *http, struct pl_err *err, const char *text)
{
	http->state = STATE_ERROR;
	return io_http_fail(http->kind, err, text);
}

static int refused(struct io_http *http, int rc)
{
	http->state = STATE_ERROR;
	return rc;
}

/*
 * Prepares for the next message before it calls on_done, so that the callback may call
 * io_http_set_no_body().
 */
static int message_done(struct io_http *http)
{
	http->state = STATE_HEAD;
	http->no_body = false;
	http->done = true;
	if (http->calls.on_done == NULL)
		return 0;
	int rc = http->calls.on_done(http->data);
	return rc != 0 ? refused(http, rc) : 0;
}

static void enter_size(struct io_http *http)
{
	http->state = STATE_SIZE;
	http->left = 0;
	http->line_bytes = 0;
}

/* Determines the framing of the body: RFC 9112, 6.3. STATE_HEAD: no body. */
static enum state body_state(const struct io_http *http, const struct io_http_head *head)
{
	if (http->kind == IO_HTTP_RESPONSE &&
	    (http->no_body || head->status == 204 || head->status == 304 || head->status == 101))
		return STATE_HEAD;
	if (head->chunked)
		return STATE_SIZE;
	if (head->content_length >= 0)
		return head->content_length > 0 ? STATE_LENGTH : STATE_HEAD;
	return http->kind == IO_HTTP_RESPONSE ? STATE_UNTIL_END : STATE_HEAD;
}

/*
 * Skips interim responses (100 Continue, 103 Early Hints): RFC 9110, 15.2. After 101 the protocol
 * is no longer HTTP.
 */
static int take_head(struct io_http *http, struct pl_err *err)
{
	struct io_http_head head;
	int rc = 0;

	if (io_http_head_parse(http->kind, http->head.data, http->head.len, http->headers, &head,
			       err) < 0) {
		http->state = STATE_ERROR;
		return -1;
	}
	bool interim = head.status >= 100 && head.status < 200 && head.status != 101;
	enum state next = body_state(http, &head);
	/* after 101 the connection uses another protocol */
	if (next == STATE_UNTIL_END || head.status == 101)
		head.keep_alive = false;
	if (!interim && http->calls.on_head != NULL)
		rc = http->calls.on_head(http->data, &head);
	pl_buf_clear(&http->head);
	http->line_start = 0;
	if (rc != 0)
		return refused(http, rc);
	if (interim)
		return 0;
	if (next == STATE_HEAD)
		return message_done(http);
	if (next == STATE_SIZE)
		enter_size(http);
	http->state = next;
	http->left = next == STATE_LENGTH ? head.content_length : 0;
	return 0;
}

/* Takes one line, or its available part; an empty line ends a head. */
static int feed_head(struct io_http *http, const char **at, const char *end, struct pl_err *err)
{
	struct pl_buf *head = &http->head;
	const char *lf = memchr(*at, '\n', (size_t)(end - *at));
	const char *stop = lf != NULL ? lf + 1 : end;

	if (!pl_buf_add(head, *at, (size_t)(stop - *at)))
		return fail(http, err, "the head is larger than 65536 bytes");
	*at = stop;
	/* usually the start of a TLS handshake, which may never contain a line end */
	if (io_http_is_control((unsigned char)head->data[0]) && head->data[0] != '\r' &&
	    head->data[0] != '\n')
		return fail(http, err, "the message begins with a control byte");
	if (lf == NULL)
		return 0;
	const char *line = head->data + http->line_start;
	size_t len = head->len - http->line_start;
	bool empty = len == 1 || (len == 2 && line[0] == '\r');
	if (!empty) {
		http->line_start = head->len;
		return 0;
	}
	if (http->line_start > 0)
		return take_head(http, err);
	/* some old clients send an empty line before a request, to be ignored: RFC 9112, 2.2 */
	if (http->kind == IO_HTTP_RESPONSE)
		return fail(http, err, "found an empty line, expected a status line");
	pl_buf_clear(head);
	return 0;
}

static int pass_body(struct io_http *http, const char *bytes, size_t len)
{
	if (http->calls.on_body == NULL)
		return 0;
	int rc = http->calls.on_body(http->data, bytes, len);
	return rc != 0 ? refused(http, rc) : 0;
}

/* Passes on the available part of the `left` bytes; `after` is the state after the last one. */
static int feed_counted(struct io_http *http, const char **at, const char *end, enum state after)
{
	int64_t len = end - *at;

	if (len > http->left)
		len = http->left;
	const char *bytes = *at;
	*at += len;
	/*
	 * Counted before the callback sees them: one that fails leaves a state of error, and no
	 * body that is counted twice.
	 */
	http->left -= len;
	int rc = pass_body(http, bytes, (size_t)len);
	if (rc != 0 || http->left > 0)
		return rc;
	if (after == STATE_HEAD)
		return message_done(http);
	http->state = after;
	return 0;
}

static int feed_size(struct io_http *http, char c, struct pl_err *err)
{
	/*
	 * Digits count only before the first blank or ';': "1 2" is not a size of 18. Lenient and
	 * strict parsers would disagree, which permits request smuggling.
	 */
	int digit = http->state == STATE_SIZE ? pl_hex_value(c) : -1;

	if (++http->line_bytes > CHUNK_LINE_BYTES_MAX)
		return fail(http, err, "the size line of a chunk is larger than 4096 bytes");
	if (digit >= 0) {
		if (http->left > CHUNK_BYTES_MAX)
			return fail(http, err, "the size of a chunk is out of range");
		http->left = http->left << 4 | digit;
		return 0;
	}
	if (http->line_bytes == 1)
		return fail(http, err, "a chunk has no size");
	if (c == '\r') {
		http->state = STATE_SIZE_LF;
		return 0;
	}
	if (http->state == STATE_SIZE_EXTENSION) {
		if (io_http_is_control((unsigned char)c))
			return fail(http, err, "the extension of a chunk contains a control byte");
		return 0;
	}
	if (c == ';')
		http->state = STATE_SIZE_EXTENSION;
	else if (c == ' ' || c == '\t')
		http->state = STATE_SIZE_SPACE;
	else
		return fail(http, err, "the size of a chunk is not a hexadecimal number");
	return 0;
}

static void enter_chunk(struct io_http *http)
{
	http->line_bytes = 0;
	http->trailer_bytes = 0;
	http->state = http->left > 0 ? STATE_DATA : STATE_TRAILER;
}

/* Skips trailers, with the same limit as a head: otherwise a peer could send them forever. */
static int feed_trailer(struct io_http *http, char c, struct pl_err *err)
{
	if (++http->trailer_bytes > IO_HTTP_HEAD_BYTES_MAX)
		return fail(http, err, "the trailer is larger than 65536 bytes");
	if (c == '\r') {
		http->state = STATE_TRAILER_LF;
		return 0;
	}
	if (io_http_is_control((unsigned char)c))
		return fail(http, err, "the trailer contains a control byte");
	http->line_bytes++;
	return 0;
}

static int end_trailer_line(struct io_http *http)
{
	if (http->line_bytes == 0)
		return message_done(http);
	http->line_bytes = 0;
	http->state = STATE_TRAILER;
	return 0;
}

/* The framing of chunked bodies, byte by byte: a few bytes a chunk. */
static int feed_framing(struct io_http *http, char c, struct pl_err *err)
{
	switch (http->state) {
	case STATE_SIZE:
	case STATE_SIZE_SPACE:
	case STATE_SIZE_EXTENSION:
		return feed_size(http, c, err);
	case STATE_TRAILER:
		return feed_trailer(http, c, err);
	case STATE_DATA_CR:
		if (c != '\r')
			return fail(http, err, "a chunk is longer than its size");
		http->state = STATE_DATA_LF;
		return 0;
	default:
		break;
	}
	/* the remaining states follow a CR */
	if (c != '\n')
		return fail(http, err, "CR without LF in a chunked body");
	if (http->state == STATE_SIZE_LF)
		enter_chunk(http);
	else if (http->state == STATE_DATA_LF)
		enter_size(http);
	else
		return end_trailer_line(http);
	return 0;
}

/* Takes at least one byte of at < end. */
static int feed_some(struct io_http *http, const char **at, const char *end, struct pl_err *err)
{
	switch (http->state) {
	case STATE_HEAD:
		return feed_head(http, at, end, err);
	case STATE_LENGTH:
		return feed_counted(http, at, end, STATE_HEAD);
	case STATE_DATA:
		return feed_counted(http, at, end, STATE_DATA_CR);
	case STATE_UNTIL_END: {
		const char *bytes = *at;
		*at = end;
		return pass_body(http, bytes, (size_t)(end - bytes));
	}
	case STATE_ERROR:
		return io_http_fail(http->kind, err, "data after an error");
	default:
		return feed_framing(http, *(*at)++, err);
	}
}

int io_http_feed(struct io_http *http, const char *bytes, size_t len, bool stop_at_done,
		 size_t *ret_used, struct pl_err *err)
{
	const char *at = bytes;
	const char *end = bytes + len;

	http->done = false;
	while (at < end && !(stop_at_done && http->done)) {
		int rc = feed_some(http, &at, end, err);
		if (rc != 0)
			return rc;
	}
	*ret_used = (size_t)(at - bytes);
	return 0;
}

/* The end of the connection ends the message only if nothing else could have ended it. */
int io_http_end(struct io_http *http, struct pl_err *err)
{
	if (http->state == STATE_UNTIL_END)
		return message_done(http);
	if (http->state == STATE_ERROR)
		return io_http_fail(http->kind, err, "the connection ended after an error");
	if (!io_http_is_idle(http))
		return fail(http, err, "truncated: the connection ended within the message");
	if (http->kind == IO_HTTP_REQUEST)
		return 0;
	return fail(http, err, "the connection ended before the message began");
}

bool io_http_is_idle(const struct io_http *http)
{
	return http->state == STATE_HEAD && http->head.len == 0;
}

void io_http_set_no_body(struct io_http *http, bool no_body)
{
	http->no_body = no_body;
}

void io_http_reset(struct io_http *http)
{
	pl_buf_clear(&http->head);
	http->line_start = 0;
	http->state = STATE_HEAD;
	http->no_body = false;
}

struct io_http *io_http_new(enum io_http_kind kind, const struct io_http_calls *calls, void *data)
{
	struct io_http *http = pl_alloc(sizeof(*http));

	http->kind = kind;
	http->calls = *calls;
	http->data = data;
	pl_buf_init(&http->head, IO_HTTP_HEAD_BYTES_MAX);
	return http;
}

void io_http_free(struct io_http *http)
{
	if (http == NULL)
		return;
	pl_buf_done(&http->head);
	free(http);
}
