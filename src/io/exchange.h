/*
 * HTTP exchanges one after the other on an event loop, over a connection that stays between them
 * where both sides let it; with TLS where the address says so.
 *
 * - What a kept connection does not begin to answer is asked once more on a new one.
 * - Redirects are not followed. The loop's thread only.
 */
#pragma once

#include "io/fetch.h"
#include "io/loop.h"

struct io_exchange;
/*
 * Once for each io_exchange_begin() that returned 0, never within it. NULL: the reply is whole; else
 * why there is none. May begin the next exchange, may not free this one.
 */
typedef void io_exchange_fn(void *data, const struct pl_err *failure);

/* keep false: the server is asked to close the connection behind its reply. */
struct io_exchange *io_exchange_new(struct io_loop *loop, bool keep, io_exchange_fn *fn,
				    void *data);
/* What is under way is given up, without a call of fn. */
void io_exchange_free(struct io_exchange *exchange);

/*
 * None may be under way. Borrows `fetch` until fn is called, its address until the next one; fills
 * *reply, which begins as all zero or done. -1: it cannot even begin.
 */
int io_exchange_begin(struct io_exchange *exchange, const struct io_fetch *fetch,
		      struct io_reply *reply, struct pl_err *err) PL_MUST_CHECK;
