/*
 * One request and its response, from the request line to the last byte. All calls for one exchange come from one thread
 * of the library; see dash/server.c. While its connection is suspended, a thread of a queue owns it.
 */
#pragma once

#include <microhttpd.h>
#include <stdatomic.h>

#include "dash/access/tls.h"
#include "dash/head_priv.h"
#include "dash/local.h"
#include "dash/observe/alive.h"
#include "dash/observe/monitor.h"
#include "dash/peers.h"
#include "dash/routes.h"
#include "dash/server.h"
#include "dash/work.h"

/*
 * Separate queues, so that none delays another: slow responses, some of which are cached; short database queries;
 * changes, which wait for other writers; and analyses, which compute for many seconds at a low priority. Those of queries
 * and changes have room for every connection, and all their requests are executed: a change counts even if its client
 * disconnects before the response.
 */
enum dash_works {
	DASH_WORKS_LONG,
	DASH_WORKS_READS,
	DASH_WORKS_WRITES,
	DASH_WORKS_ANALYSES,
	DASH_WORKS_COUNT
};
_Static_assert((int)DASH_WORKS_COUNT == (int)DASH_QUEUE_COUNT, "one element per queue");

struct dash_server {
	const struct dash_context *context;
	struct dash_certificate *certificate; /* NULL: no TLS */
	bool verbose;
	struct io_addr addr;
	struct dash_local local; /* for a Unix socket */
	bool is_local; /* set before the first connection; `local` belongs to the main thread */
	struct MHD_Daemon *daemon;
	struct dash_work *works[DASH_WORKS_COUNT];
	struct dash_peers *peers;
	atomic_bool is_stopping;
	atomic_int in_flight;
	atomic_size_t body_bytes; /* of all exchanges */
	struct dash_alive alive;
	struct dash_observed observed;
};

/* One connection. */
struct dash_client {
	struct dash_certificate *certificate; /* of the server */
	struct dash_tls_socket tls;
	struct dash_peer *peer;
	struct dash_exchange *exchange; /* the current one, or NULL */
	bool is_foreign;                /* another user, on a Unix socket */
};

struct dash_exchange {
	struct dash_server *server;
	struct dash_client *client;
	struct dash_peer *peer;
	int64_t begun_ns;
	char *text; /* the target as received */
	char *method;
	struct dash_target target;
	struct dash_head head;
	struct dash_match match;
	struct pl_buf body;
	struct dash_sink *sink; /* receives the body instead */
	uint64_t came;          /* received bytes of the body */
	bool has_begun;
	bool is_refused;   /* the response is set; further bytes are discarded */
	bool is_requested; /* a handler was called */
	struct dash_answer answer;
	int status;
	size_t sent;
	char from[DASH_ADDRESS_BYTES]; /* address of the client, for the log */
	char id[DASH_REQUEST_ID_BYTES];

	/* while suspended */
	struct MHD_Connection *connection;
	int fd;
	struct dash_call call;
	struct dash_asker asker;
};

/* A new request on a connection of `client`. `text` is its target and is copied. */
struct dash_exchange *dash_exchange_new(struct dash_server *server, struct dash_client *client,
					const char *text);
/*
 * Handles the header, then pieces of the body, then its end (no bytes); the result is the library's. Sets *len to the
 * number of bytes that are left, as the library requires.
 */
enum MHD_Result dash_exchange_go_on(struct dash_exchange *exchange,
				    struct MHD_Connection *connection, const char *method,
				    const char *bytes, size_t *len);
/* Counts and logs the exchange, then frees it. */
void dash_exchange_free(struct dash_exchange *exchange);

/* For the queues: makes the response of an exchange; returns its connection to the library; is its client gone? */
void dash_exchange_answer(struct dash_asker *asker, struct mirror_cancel_token *cancel_token);
void dash_exchange_wake(struct dash_asker *asker);
bool dash_exchange_is_gone(const struct dash_asker *asker);
