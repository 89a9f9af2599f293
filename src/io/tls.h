/*
 * TLS without sockets: bytes of the wire in, plain bytes out, and the other way. So whoever reads the
 * socket keeps its one recvmsg() with the kernel's stamp, and all plain bytes of a read share it.
 *
 *	recvmsg() -> io_tls_receive() -> plain bytes
 *	plain bytes -> io_tls_write() -> io_tls_out() -> send(), io_tls_sent(): io_tls_flush() does both
 *
 * - io_tls_new_client() puts the first bytes of the handshake out at once; all else of it happens
 *   inside io_tls_receive(), which puts out what is to be answered: flush behind each call.
 * - TLS 1.2 and 1.3; no renegotiation, no resumption (each connection a whole handshake, as with
 *   vLLM's client), no certificate of the client's own.
 * - A context is the same for all connections of a run and may be used by many threads; a connection
 *   belongs to one.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct io_tls_client; /* whom connections of ours trust, and whom they expect */
struct io_tls_server; /* certificate and key of a server of ours */
struct io_tls;        /* a connection */

/* io_tls_receive() of n bytes gives at most n + this: a record that earlier calls began. */
#define IO_TLS_PLAIN_SLACK 32768

struct io_tls_trust {
	bool insecure; /* any certificate will do */
	/* exactly the first certificate in this file, whatever its names and dates; NULL: what the
	 * system's store vouches for (SSL_CERT_FILE and SSL_CERT_DIR put another in its place) */
	const char *pinned_file;
};

/* `host`: the name or address that the certificate must be for ("::1" with or without brackets). */
int io_tls_client_new(const char *host, const struct io_tls_trust *trust,
		      struct io_tls_client **ret, struct pl_err *err) PL_MUST_CHECK;
void io_tls_client_free(struct io_tls_client *client);
PL_AUTO_DEFINE(struct io_tls_client, io_tls_client_free);

/* PEM files; key_file NULL: the key is in cert_file. */
int io_tls_server_new(const char *cert_file, const char *key_file, struct io_tls_server **ret,
		      struct pl_err *err) PL_MUST_CHECK;
void io_tls_server_free(struct io_tls_server *server);
PL_AUTO_DEFINE(struct io_tls_server, io_tls_server_free);

/* `out_bytes_max`: what may wait to be sent. The context must outlive the connection. */
struct io_tls *io_tls_new_client(const struct io_tls_client *client, size_t out_bytes_max);
struct io_tls *io_tls_new_server(const struct io_tls_server *server, size_t out_bytes_max);
void io_tls_free(struct io_tls *tls);
PL_AUTO_DEFINE(struct io_tls, io_tls_free);

/* The handshake is over, and the peer is who it should be. */
bool io_tls_is_established(const struct io_tls *tls);

enum io_tls_result {
	/* err says why, with the code INVALID for a certificate that is not trusted; not to be used
	 * further, but for what is left to send */
	IO_TLS_FAILED = -1,
	IO_TLS_CLOSED = 0, /* the peer said that nothing follows (close_notify) */
	IO_TLS_OPEN = 1,
};

/* Takes all of `bytes`. *ret_len plain bytes are good whatever the result; `room` >= len +
 * slack. */
enum io_tls_result io_tls_receive(struct io_tls *tls, const char *bytes, size_t len, char *plain,
				  size_t room, size_t *ret_len, struct pl_err *err) PL_MUST_CHECK;
/* Encrypts; only once established. -1 also where too much waits to be sent. */
int io_tls_write(struct io_tls *tls, const char *bytes, size_t len,
		 struct pl_err *err) PL_MUST_CHECK;
/* Puts close_notify out, where there is someone to read it. */
void io_tls_close(struct io_tls *tls);

/* What waits to be sent; valid until the next call. */
const char *io_tls_out(const struct io_tls *tls, size_t *ret_len);
void io_tls_sent(struct io_tls *tls, size_t len);
/* Sends in pieces of at most `piece` bytes (0: whole): 1 all is out, 0 the socket is full, -1
 * errno. */
int io_tls_flush(struct io_tls *tls, int fd, size_t piece);
