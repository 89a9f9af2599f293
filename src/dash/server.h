/*
 * The HTTP server: libmicrohttpd with a few threads, each with its own connections. Only this module uses the library;
 * dash/routes.h handles requests.
 * - Requests that are too large are refused while they arrive: a header over 64 KiB, a body over the limit of its
 *   route, or over 512 MiB for all bodies together (then 503: retry later).
 * - Slow responses are made by separate threads (dash/work.h); those of the library only transfer bytes. Requests over
 *   the limit of the queue are refused with 503.
 * - Clients that neither send nor receive are disconnected, sooner if connections are scarce (dash/peers.h).
 * - A refused body is read to its end and discarded if the end is near, because a client that is still sending would
 *   not see the response.
 * - Every response has headers that keep the web UI from loading, or being loaded by, other sites.
 */
#pragma once

#include "dash/request.h"
#include "io/sock.h"

struct dash_server;

struct dash_certificate;

struct dash_server_options {
	struct io_addr addr; /* a loopback address (port 0: any free one), or a Unix socket */
	const struct dash_context *context;   /* borrowed */
	struct dash_certificate *certificate; /* for TLS; NULL: plain HTTP; borrowed */
	bool verbose;                         /* a line on standard error for each request */
};

/* Starts serving. BUSY: the port is in use. */
int dash_server_start(const struct dash_server_options *options, struct dash_server **ret,
		      struct pl_err *err) PL_MUST_CHECK;
/* Returns the address it listens on. */
const struct io_addr *dash_server_addr(const struct dash_server *server);
/*
 * Accepts no new connections or requests. Current requests are answered if they finish before `patience_ns` has passed
 * and before *hurry returns true. After that, responses in transmission are reset, and those being made become 503.
 * Then everything is freed; the store answers no more queries.
 */
void dash_server_stop(struct dash_server *server, int64_t patience_ns, bool (*hurry)(void));
