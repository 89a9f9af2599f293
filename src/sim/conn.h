/*
 * A connection of a client: from bytes to requests, and from responses to bytes.
 * Lifetime: a connection that ends inside a callback is only marked dead; calls->rest(), the last call in every
 * callback, frees it. So pointers stay valid during a callback.
 */
#pragma once

#include "base/buf.h"
#include "io/http.h"
#include "io/loop.h"
#include "io/tls.h"

#include <sys/queue.h>

#define SIM_BODY_BYTES_MAX (64u << 20)
/* The size of one read, and of its plain text after TLS. */
#define SIM_INPUT_BYTES 65536
#define SIM_PLAIN_BYTES (SIM_INPUT_BYTES + IO_TLS_PLAIN_SLACK)

struct sim_job;
struct sim_server;

struct sim_conn {
	struct sim_server *server;
	LIST_ENTRY(sim_conn) link;
	struct io_watch watch;
	struct io_http *http;
	struct io_tls *tls; /* NULL: plain http */
	struct pl_buf body;
	struct pl_buf out;   /* not sent yet */
	struct pl_buf later; /* received after a request that is still in progress */
	struct pl_buf raw;   /* the bytes of the request, kept for --sim-capture */
	char peer[80];
	int64_t arrival_ns; /* of the last byte read, by the kernel */
	/* the current request */
	char *method;
	char *target;        /* without the query */
	char *query;         /* or NULL */
	char *request_id;    /* x-request-id or NULL */
	char *authorization; /* or NULL */
	char *content_type;  /* or NULL */
	int64_t answered;    /* number of requests on this connection */
	size_t route;        /* index of a row of tbl/sim_routes.h, or SIM_ROUTE_NONE */
	bool keep_alive;
	bool too_large;
	bool whole; /* completely received, not answered yet */
	bool halve; /* send half of the response's body and close the connection */
	struct sim_job *job;
	bool closing; /* after everything was sent */
	bool dead;
};

/* Callbacks into the layer above. */
struct sim_conn_calls {
	void (*request)(struct sim_conn *conn);  /* a complete request: respond now or later */
	void (*gone)(struct sim_conn *conn);     /* the client has disconnected */
	void (*rest)(struct sim_server *server); /* called at the end of a callback */
};

/* Accepts all waiting clients of the listening socket. */
io_watch_fn sim_conn_on_listener;
void sim_conn_free(struct sim_conn *conn);
/* Closes the connection, with a reset if `reset`; aborts its job. */
void sim_conn_drop(struct sim_conn *conn, bool reset);
/* Sends, or buffers for later; false: the connection is dead. */
bool sim_conn_send(struct sim_conn *conn, const char *data, size_t len);
/* Sends a complete response; type NULL: none. Ends the request. */
void sim_conn_answer(struct sim_conn *conn, int status, const char *type, const char *body,
		     size_t len);
/* The same with more header lines, each ending in CRLF; NULL: none. */
void sim_conn_answer_with(struct sim_conn *conn, int status, const char *type, const char *headers,
			  const char *body, size_t len);
/* Sends the header of a stream. */
void sim_conn_begin_stream(struct sim_conn *conn);
/* Frees the parts of an answered request. */
void sim_conn_end_request(struct sim_conn *conn);
/* Parses the bytes received after an answered request. */
void sim_conn_resume(struct sim_conn *conn);
