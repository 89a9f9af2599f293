/*
 * A server of the input's bytes in place of io/fetch.c: the target links this instead of the network.
 *
 * Parts of the input, divided by lines "%%", answer the requests in order. The first line of a part is
 * "STATUS", or "STATUS VALUE" with the `server` and `location` headers; the rest is the body. A part
 * with another first line, and every request after the last part, fails as a broken connection.
 */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "io/fetch.h"

static const char *peer_at;
static size_t peer_left;

static inline void peer_begin(const uint8_t *data, size_t len)
{
	peer_at = (const char *)data;
	peer_left = len;
}

/* The next part, without the mark after it; false: the input is used up. */
static inline bool peer_next(const char **ret, size_t *ret_len)
{
	static const char mark[] = "\n%%\n";

	if (peer_left == 0)
		return false;
	const char *found = memmem(peer_at, peer_left, mark, strlen(mark));
	*ret = peer_at;
	*ret_len = found != NULL ? (size_t)(found - peer_at) : peer_left;
	size_t used = *ret_len + (found != NULL ? strlen(mark) : 0);
	peer_at += used;
	peer_left -= used;
	return true;
}

/* Fills a reply of zeros; false: the connection breaks. */
static inline bool peer_answer(struct io_reply *ret)
{
	const char *part;
	size_t len, at = 0;

	*ret = (struct io_reply){ 0 };
	if (!peer_next(&part, &len))
		return false;
	for (; at < len && at < 3 && part[at] >= '0' && part[at] <= '9'; at++)
		ret->status = ret->status * 10 + (part[at] - '0');
	if (ret->status < 100) {
		ret->status = 0;
		return false;
	}
	const char *end = memchr(part, '\n', len);
	size_t head = end != NULL ? (size_t)(end - part) : len;
	if (at < head && part[at] == ' ') {
		ret->server = pl_strndup(part + at + 1, head - at - 1);
		ret->location = pl_strdup(ret->server);
	}
	size_t from = end != NULL ? head + 1 : len;
	/* zeroed, so that a NUL ends the body, which may hold others */
	ret->body = pl_alloc(len - from + 1);
	memcpy(ret->body, part + from, len - from);
	ret->body_len = len - from;
	return true;
}

int io_fetch(const struct io_fetch *fetch, struct io_reply *ret, struct pl_err *err)
{
	(void)fetch;
	if (peer_answer(ret))
		return 0;
	return pl_err_set(err, PL_ERR_NETWORK, "the connection was closed");
}

int io_fetch_batch(const struct io_fetch *fetches, size_t count, unsigned parallel,
		   struct io_reply *replies, struct pl_err *err)
{
	(void)fetches;
	(void)parallel;
	(void)err;
	for (size_t i = 0; i < count; i++) {
		if (!peer_answer(&replies[i]))
			replies[i].error = pl_strdup("the connection was closed");
	}
	return 0;
}
