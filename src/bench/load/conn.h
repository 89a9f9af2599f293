/*
 * A worker's connections: sockets, TLS, outgoing bytes of requests and incoming bytes of responses.
 * All calls belong to the worker's thread.
 */
#pragma once

struct bench_req;
struct bench_worker;

/* Sends on the most recently used connection or a new one; an error ends the request at once. */
void bench_conn_launch(struct bench_worker *worker, struct bench_req *req);
/* Ends all open requests as failed with `kind` and closes every socket. */
void bench_conn_close_all(struct bench_worker *worker, const char *kind, const char *error);
void bench_conn_free_all(struct bench_worker *worker);
