/*
 * The head of an outgoing request, for both senders: io/exchange.c sends one request at a time,
 * io/acks.c several at once.
 */
#pragma once

#include "base/buf.h"
#include "io/fetch.h"

#include <stdbool.h>

#define IO_FETCH_HEAD_BYTES_MAX 65536

/* Returns the method, or the default if the fetch names none. */
const char *io_fetch_method(const struct io_fetch *fetch);
/*
 * Appends the head with its empty line to `ret`. If keep is false, asks the server to close the
 * connection after its reply. Returns -1 if the path or the size cannot be sent.
 */
int io_fetch_head_add(const struct io_fetch *fetch, bool keep, struct pl_buf *ret,
		      struct pl_err *err) PL_MUST_CHECK;
