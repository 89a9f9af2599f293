/*
 * A worker's connections: sockets, TLS, and the bytes of a request on their way out and of an answer
 * on their way in. The worker's thread only.
 */
#pragma once

struct bench_req;
struct bench_worker;

/* Sends on the connection used last or on a new one; a failure ends the request at once. */
void bench_conn_launch(struct bench_worker *worker, struct bench_req *req);
/* Ends what is open as failed with `kind` and closes every socket. */
void bench_conn_close_all(struct bench_worker *worker, const char *kind, const char *error);
void bench_conn_free_all(struct bench_worker *worker);
