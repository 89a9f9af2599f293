/*
 * HTTP/1.1 as a state machine for input that may be split anywhere, in both directions.
 *
 * - io_http_feed() takes pieces of any size and calls the callbacks. Body bytes are passed on as
 *   they arrive (borrowed from the caller); heads are buffered, up to IO_HTTP_HEAD_BYTES_MAX.
 * - Bodies use Content-Length, chunked coding (extensions and trailers are skipped), or the end of
 *   the connection (responses only). Responses 1xx except 101 are skipped; 204, 304 and `no_body`
 *   have no body.
 * - Errors, because they permit request smuggling or silent loss: two different Content-Length
 *   values, Content-Length with chunked coding, control bytes in names, bare CR, white space before
 *   a colon. A header that continues on the next line (obs-fold) is joined in a response and
 *   rejected in a request: RFC 9112, 5.2.
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
	/* Any may be NULL. A non-zero value from a callback ends feeding and becomes its result. */
	/* head is valid during the call */
	int (*on_head)(void *data, const struct io_http_head *head);
	int (*on_body)(void *data, const char *bytes, size_t len);
	/* the message is complete; the parser is ready for the next one */
	int (*on_done)(void *data);
};

enum io_http_kind { IO_HTTP_REQUEST, IO_HTTP_RESPONSE };

struct io_http *io_http_new(enum io_http_kind kind, const struct io_http_calls *calls, void *data);
void io_http_free(struct io_http *http);
/* Discards all state and waits for a new message. */
void io_http_reset(struct io_http *http);
/* Declares that the next response (only that one) answers a HEAD request. */
void io_http_set_no_body(struct io_http *http, bool no_body);
/*
 * Feeds bytes. With `stop_at_done`, stops after the first complete message. *ret_used is the number
 * of bytes consumed. Returns -1 with err if the peer violated the protocol. A callback's non-zero
 * value is returned unchanged, and the callback sets err. After either, only io_http_reset() may be
 * called. A callback may not free or reset the parser.
 */
int io_http_feed(struct io_http *http, const char *bytes, size_t len, bool stop_at_done,
		 size_t *ret_used, struct pl_err *err) PL_MUST_CHECK;
/*
 * Reports the end of the connection. Completes a body that lasts until then; otherwise fails
 * ("truncated"). Between messages it returns 0 for requests and an error for responses, because the
 * client expects one.
 */
int io_http_end(struct io_http *http, struct pl_err *err) PL_MUST_CHECK;
/* Returns true between messages: no byte of the next one has been fed. */
bool io_http_is_idle(const struct io_http *http);

/* Case-insensitive; returns NULL if the header is missing. */
const char *io_http_header_get(const struct io_http_head *head, const char *name);
