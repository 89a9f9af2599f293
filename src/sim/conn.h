/*
 * A connection of a client: bytes to requests, answers to bytes.
 *
 * Lifetime: one that ends inside a callback is only marked dead; it is freed by calls->rest(), the last
 * thing in every callback. So pointers stay good all through a callback.
 */
#pragma once

#include "base/buf.h"
#include "io/http.h"
#include "io/loop.h"
#include "io/tls.h"

#include <sys/queue.h>

#define SIM_BODY_BYTES_MAX (64u << 20)
/* Of one read, and of what it can become behind TLS. */
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
	struct pl_buf out;   /* could not be sent yet */
	struct pl_buf later; /* arrived behind a request that is still being answered */
	struct pl_buf raw;   /* the request's bytes, kept for --sim-capture */
	char peer[80];
	int64_t arrival_ns; /* of the last byte read, by the kernel */
	/* the request being read or answered: */
	char *method;
	char *target;        /* without the query */
	char *query;         /* or NULL */
	char *request_id;    /* x-request-id or NULL */
	char *authorization; /* or NULL */
	int64_t answered;    /* requests, by this connection */
	size_t route;        /* a row of tbl/sim_routes.h, or SIM_ROUTE_NONE */
	bool keep_alive;
	bool too_large;
	bool whole; /* read to its end, not answered yet */
	bool halve; /* half of the answer's body is sent, then the connection ends */
	struct sim_job *job;
	bool closing; /* when all is sent */
	bool dead;
};

/* What it tells those above it, whom it does not know. */
struct sim_conn_calls {
	void (*request)(struct sim_conn *conn);  /* a whole one: to be answered, now or later */
	void (*gone)(struct sim_conn *conn);     /* nobody reads any more what is sent */
	void (*rest)(struct sim_server *server); /* the callback is over */
};

/* Of the listening socket: accepts all who wait. */
io_watch_fn sim_conn_on_listener;
void sim_conn_free(struct sim_conn *conn);
/* Closed with a reset, if `reset`; the job on it is aborted. */
void sim_conn_drop(struct sim_conn *conn, bool reset);
/* Sends or keeps for later; false: the connection is dead. */
bool sim_conn_send(struct sim_conn *conn, const char *data, size_t len);
/* A whole answer; type NULL: none. Ends the request. */
void sim_conn_answer(struct sim_conn *conn, int status, const char *type, const char *body,
		     size_t len);
/* The head of a stream. */
void sim_conn_begin_stream(struct sim_conn *conn);
/* The request has been answered: its parts are forgotten. */
void sim_conn_end_request(struct sim_conn *conn);
/* Reads what came behind a request that has been answered. */
void sim_conn_resume(struct sim_conn *conn);
