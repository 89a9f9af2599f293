/*
 * Server-sent events by the standard (WHATWG HTML 9.2), cut anywhere: LF, CR and CRLF line ends,
 * comments, `data:` with or without a blank, several data lines joined by LF, a byte order mark at
 * the start. Events without data are not passed on. No allocation where an event lies whole in one
 * piece with one data line: `data` then points into the fed bytes.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

#define IO_SSE_EVENT_BYTES_MAX (16u << 20)

/* `data` is not NUL-ended and valid during the call. Non-zero ends feeding with that value. */
typedef int io_sse_fn(void *user, const char *data, size_t len);

struct io_sse {
	io_sse_fn *fn;
	void *user;
	struct pl_buf line;  /* an unfinished line from earlier pieces */
	struct pl_buf event; /* data lines of the unfinished event */
	bool has_data;
	bool skip_lf;  /* the last byte was a CR */
	bool started;  /* past the place of a byte order mark */
	size_t events; /* passed on so far */
};

void io_sse_init(struct io_sse *sse, io_sse_fn *fn, void *user);
void io_sse_done(struct io_sse *sse);
void io_sse_reset(struct io_sse *sse); /* for the next stream; keeps memory, but not megabytes */
/* 0, the callback's non-zero value, or -1 with err when an event is larger than the ceiling. */
int io_sse_feed(struct io_sse *sse, const char *bytes, size_t len,
		struct pl_err *err) PL_MUST_CHECK;
