/*
 * Server-sent events by the standard (WHATWG HTML 9.2), for input that may be split anywhere: LF,
 * CR and CRLF line ends, comments, `data:` with or without a blank, several data lines joined by
 * LF, a byte order mark at the start. Events without data are dropped. An event that is completely
 * in one piece with one data line needs no allocation: `data` then points into the fed bytes.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

#define IO_SSE_EVENT_BYTES_MAX (16u << 20)

/*
 * `data` is not NUL-terminated and valid during the call. A non-zero value ends feeding and becomes
 * its result.
 */
typedef int io_sse_fn(void *user, const char *data, size_t len);

#define IO_SSE_NAME_BYTES 24 /* including the NUL; a longer name is truncated */

struct io_sse {
	io_sse_fn *fn;
	void *user;
	struct pl_buf line;           /* an unfinished line from earlier pieces */
	struct pl_buf event;          /* data lines of the unfinished event */
	char name[IO_SSE_NAME_BYTES]; /* `event` field of the event passed on, or "" */
	bool has_data;
	bool skip_lf;  /* the last byte was a CR */
	bool started;  /* past the position of a byte order mark */
	size_t events; /* passed on so far */
};

void io_sse_init(struct io_sse *sse, io_sse_fn *fn, void *user);
void io_sse_done(struct io_sse *sse);
void io_sse_reset(struct io_sse *sse); /* for the next stream; keeps small buffers */
/* Returns 0, the callback's non-zero value, or -1 with err if an event exceeds the limit. */
int io_sse_feed(struct io_sse *sse, const char *bytes, size_t len,
		struct pl_err *err) PL_MUST_CHECK;

/* The format of a body, guessed from its first bytes. */
enum io_sse_guess {
	IO_SSE_SHORT,  /* too few bytes to decide */
	IO_SSE_STREAM, /* a comment, or a field of the standard: data, event, id, retry */
	IO_SSE_JSON,   /* an object or an array */
	IO_SSE_HTML,   /* a tag */
	IO_SSE_TEXT,   /* anything else */
};
/* The guess is final after this many bytes other than blanks. */
#define IO_SSE_GUESS_BYTES 64

enum io_sse_guess io_sse_guess(const char *bytes, size_t len);
