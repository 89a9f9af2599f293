/*
 * The head of a request of ours, as whoever sends it writes it: io/exchange.c for one answer after the
 * other, io/acks.c several at once.
 */
#pragma once

#include "base/buf.h"
#include "io/fetch.h"

#include <stdbool.h>

#define IO_FETCH_HEAD_BYTES_MAX 65536

/* What stands for it where the fetch names none. */
const char *io_fetch_method(const struct io_fetch *fetch);
/*
 * Behind what `ret` holds, up to and with the empty line. keep false: the server is asked to close
 * the connection behind its reply. -1: the path or the size cannot be sent.
 */
int io_fetch_head_add(const struct io_fetch *fetch, bool keep, struct pl_buf *ret,
		      struct pl_err *err) PL_MUST_CHECK;
