/*
 * HTTP/1.1 as a state machine that may be cut anywhere; both directions.
 *
 * - Bytes go in by io_http_feed() in pieces of any size; callbacks come out. Body bytes are passed
 *   on as they arrive (pieces are the caller's bytes, borrowed); heads are collected, bounded by
 *   IO_HTTP_HEAD_BYTES_MAX.
 * - Bodies: Content-Length, chunked (extensions and trailers skipped), until the end of the
 *   connection (responses only). Responses 1xx (but 101) are skipped; 204, 304 and `no_body`
 *   have none.
 * - Strict where smuggling or silent loss lurks: two different Content-Length, Content-Length with
 *   chunked, control bytes in names, bare CR, white space before a colon are errors. A header that
 *   goes on in the next line (obs-fold) is joined in a response and refused in a request: RFC 9112,
 *   5.2.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define IO_HTTP_HEAD_BYTES_MAX 65536
#define IO_HTTP_HEADERS_MAX    128

struct io_http;

struct io_http_header {
	const char *name;  /* NUL-ended, as sent */
	const char *value; /* NUL-ended, trimmed */
};

struct io_http_head {
	int status;         /* response; 0 for a request */
	const char *method; /* request */
	const char *target; /* request: "/v1/completions?x=y" */
	const char *reason; /* response */
	int minor_version;  /* HTTP/1.x */
	const struct io_http_header *headers;
	size_t header_count;
	int64_t content_length; /* -1: not given */
	bool chunked;
	bool keep_alive;
};

struct io_http_calls {
	/* Any may be NULL. Non-zero from a callback ends feeding with that value as an error. */
	int (*on_head)(void *data, const struct io_http_head *head); /* valid during the call */
	int (*on_body)(void *data, const char *bytes, size_t len);
	int (*on_done)(void *data); /* the message is whole; the parser is ready for the next */
};

enum io_http_kind { IO_HTTP_REQUEST, IO_HTTP_RESPONSE };

struct io_http *io_http_new(enum io_http_kind kind, const struct io_http_calls *calls, void *data);
void io_http_free(struct io_http *http);
/* Forgets everything and waits for a new message. */
void io_http_reset(struct io_http *http);
/* The response to come (that one only) answers a HEAD request. */
void io_http_set_no_body(struct io_http *http, bool no_body);
/*
 * Feeds bytes. With `stop_at_done` feeding ends behind the first whole message. *ret_used is how
 * many bytes were taken. -1: the peer broke the protocol (err). A callback's non-zero value is
 * returned as it is and leaves err to the callback. After either only io_http_reset() helps. A
 * callback may not free or reset the parser.
 */
int io_http_feed(struct io_http *http, const char *bytes, size_t len, bool stop_at_done,
		 size_t *ret_used, struct pl_err *err) PL_MUST_CHECK;
/*
 * The connection ended: completes a body that runs until then, else an error ("truncated"). Between
 * messages: 0 for requests; for responses an error, as whoever asks awaits one.
 */
int io_http_end(struct io_http *http, struct pl_err *err) PL_MUST_CHECK;
/* True between messages: nothing of a message has been fed. */
bool io_http_is_idle(const struct io_http *http);

/* After an error: the status a server should answer with: 400, 413, 431, 501 or 505. */
int io_http_error_status(const struct io_http *http);

/* Case-insensitive; NULL when absent. */
const char *io_http_header_get(const struct io_http_head *head, const char *name);
