/*
 * One blocking HTTP exchange on a separate connection: health checks, /metrics, /tokenize. A batch
 * runs many exchanges in parallel over a few connections. Never used in a thread that is measuring
 * time.
 */
#pragma once

#include "base/err.h"
#include "io/sock.h"

#include <stdatomic.h>
#include <stddef.h>

struct io_fetch {
	const struct io_addr *addr;
	const char *host;    /* Host header; NULL: from addr */
	const char *method;  /* NULL: GET, or POST with a body */
	const char *path;    /* "/health" */
	const char *headers; /* further lines, each ending in CRLF, or NULL */
	const char *body;    /* NULL: none; sent as application/json */
	size_t body_len;
	const int *
		/*
		 * read the body, body_len bytes, from this file while sending (`body` is then "");
		 * NULL: from memory
		 */
		body_fd;
	int64_t timeout_ns;     /* the whole exchange; 0: 30 s */
	size_t reply_bytes_max; /* 0: 64 MiB */
	/* a non-zero value cancels the exchange within 100 ms; NULL: never */
	const atomic_int *stop_signal;
};

struct io_reply {
	int status; /* 0: the exchange failed, see error */
	char *body; /* NUL-ended */
	size_t body_len;
	char *server; /* the `server` header or NULL */
	char *content_type;
	char *location; /* of a redirect (not followed), or NULL */
	char *error;    /* batch only: why status is 0 */
};

int io_fetch(const struct io_fetch *fetch, struct io_reply *ret, struct pl_err *err) PL_MUST_CHECK;
/*
 * Uses `parallel` connections; replies[i] belongs to fetches[i]. Returns -1 only if no exchange
 * could be tried.
 */
int io_fetch_batch(const struct io_fetch *fetches, size_t count, unsigned parallel,
		   struct io_reply *replies, struct pl_err *err) PL_MUST_CHECK;
void io_reply_done(struct io_reply *reply);
#define auto_reply __attribute__((cleanup(io_reply_done), unused)) struct io_reply
