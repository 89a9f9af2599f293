/*
 * Sequential HTTP exchanges on an event loop, over a persistent connection if both sides allow it,
 * with TLS if the address requires it.
 *
 * - If the server does not start to respond on a reused connection, the request is sent once more
 *   on a new one.
 * - Redirects are not followed. All calls belong to the loop's thread.
 */
#pragma once

#include "io/fetch.h"
#include "io/loop.h"

struct io_exchange;
/*
 * Called once for each io_exchange_begin() that returned 0, never from within it. failure NULL: the
 * reply is complete; otherwise the reason why there is none. The callback may begin the next
 * exchange, but may not free this object.
 */
typedef void io_exchange_fn(void *data, const struct pl_err *failure);

/* If keep is false, asks the server to close the connection after its reply. */
struct io_exchange *io_exchange_new(struct io_loop *loop, bool keep, io_exchange_fn *fn,
				    void *data);
/* Cancels a pending exchange without calling fn. */
void io_exchange_free(struct io_exchange *exchange);

/*
 * Requires that no exchange is pending. Borrows `fetch` until fn is called, and its address until
 * the next call. Fills *reply, which must be all zero or done. Returns -1 if the exchange cannot
 * start.
 */
int io_exchange_begin(struct io_exchange *exchange, const struct io_fetch *fetch,
		      struct io_reply *reply, struct pl_err *err) PL_MUST_CHECK;
