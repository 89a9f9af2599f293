/*
 * The HTTP server: libmicrohttpd with a few threads, each with connections of its own; the only place
 * that knows it. What is asked and answered is dash/routes.h's.
 *
 * - What is too large is refused while it comes: a head of more than 64 KiB, a body of more than its
 *   route takes, all bodies together beyond 512 MiB (then 503: later there is room again).
 * - What takes long is answered by a few threads of its own (dash/work.h): the library's only move bytes.
 *   So many wait for these; more are refused with 503.
 * - Who neither sends nor takes is cut off, sooner where connections are scarce (dash/peers.h).
 * - Refused bodies are read to their end where that is not far, and forgotten: a client that still sends
 *   would else never see the answer.
 * - Every answer has the headers that keep a page of ours from loading or being loaded by anything else.
 */
#pragma once

#include "dash/request.h"
#include "io/sock.h"

struct dash_server;

struct dash_server_options {
	struct io_addr addr; /* of the loopback (port 0: a free one), or a Unix socket */
	const struct dash_context *context; /* borrowed */
	bool verbose;                       /* a line on standard error for each request */
};
/* Begins to answer. BUSY: the port is taken. */
int dash_server_start(const struct dash_server_options *options, struct dash_server **ret,
		      struct pl_err *err) PL_MUST_CHECK;
/* Where it listens. */
const struct io_addr *dash_server_addr(const struct dash_server *server);
/*
 * No new connection and no new request from here on; those under way are answered, if they come to
 * their end before `patience_ns` is over, or before *hurry becomes true. Answers that are still on their way
 * then are reset, those that are being made are 503. Then all is freed; the store answers no more questions.
 */
void dash_server_stop(struct dash_server *server, int64_t patience_ns, bool (*hurry)(void));
