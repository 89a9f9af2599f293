/*
 * TLS without sockets: converts between encrypted and plain bytes. The owner of the socket keeps
 * its single recvmsg() with the kernel's timestamp, and all plain bytes of a read share that
 * timestamp.
 *
 *  recvmsg() -> io_tls_receive() -> plain bytes
 *  plain bytes -> io_tls_write() -> io_tls_out() -> send(), io_tls_sent(): io_tls_flush() does both
 *
 * - io_tls_new_client() queues the first bytes of the handshake at once. The rest of it happens
 *   inside io_tls_receive(), which queues the responses: flush after each call.
 * - TLS 1.2 and 1.3; no renegotiation, no resumption (a full handshake per connection, as in vLLM's
 *   client), no client certificate.
 * - A context serves all connections of a run and is thread-safe. A connection belongs to one
 *   thread.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct io_tls_client; /* trusted certificates and expected name for outgoing connections */
struct io_tls_server; /* certificate and key of a server in this process */
struct io_tls;        /* a connection */

/*
 * io_tls_receive() of n bytes returns at most n + this, because earlier calls may have buffered
 * part of a record.
 */
#define IO_TLS_PLAIN_SLACK 32768

struct io_tls_trust {
	bool insecure; /* accepts any certificate */
	/*
	 * accept exactly the first certificate in this file, whatever its names and dates; NULL:
	 * the system's trust store decides (SSL_CERT_FILE and SSL_CERT_DIR override it)
	 */
	const char *pinned_file;
	/* trust the certificates in this PEM file instead of the system's; NULL: the system's */
	const char *ca_file;
	/*
	 * end the messages about a certificate of an unknown issuer and about one for another name, such as "; use
	 * --ca-file"; static. NULL: --insecure is the remedy
	 */
	const char *issuer_remedy, *name_remedy;
};

/*
 * `host`: the name or address that the certificate must contain ("::1" with or without brackets).
 */
int io_tls_client_new(const char *host, const struct io_tls_trust *trust,
		      struct io_tls_client **ret, struct pl_err *err) PL_MUST_CHECK;
void io_tls_client_free(struct io_tls_client *client);
PL_AUTO_DEFINE(struct io_tls_client, io_tls_client_free);

/* PEM files; key_file NULL: the key is in cert_file. */
int io_tls_server_new(const char *cert_file, const char *key_file, struct io_tls_server **ret,
		      struct pl_err *err) PL_MUST_CHECK;
void io_tls_server_free(struct io_tls_server *server);
PL_AUTO_DEFINE(struct io_tls_server, io_tls_server_free);

/*
 * `out_bytes_max`: limit of the bytes queued for sending. The context must outlive the connection.
 */
struct io_tls *io_tls_new_client(const struct io_tls_client *client, size_t out_bytes_max);
struct io_tls *io_tls_new_server(const struct io_tls_server *server, size_t out_bytes_max);
void io_tls_free(struct io_tls *tls);
PL_AUTO_DEFINE(struct io_tls, io_tls_free);

/* Returns whether the handshake has finished and the peer is verified. */
bool io_tls_is_established(const struct io_tls *tls);

enum io_tls_result {
	/*
	 * err has the reason, with the code INVALID for an untrusted certificate; afterwards only
	 * the queued bytes may be sent
	 */
	IO_TLS_FAILED = -1,
	IO_TLS_CLOSED = 0, /* the peer ended the stream (close_notify) */
	IO_TLS_OPEN = 1,
};

/*
 * Consumes all of `bytes`. *ret_len plain bytes are valid whatever the result; `room` must be at
 * least len + slack.
 */
enum io_tls_result io_tls_receive(struct io_tls *tls, const char *bytes, size_t len, char *plain,
				  size_t room, size_t *ret_len, struct pl_err *err) PL_MUST_CHECK;
/* Encrypts; call it only once established. Also returns -1 if the queue is full. */
int io_tls_write(struct io_tls *tls, const char *bytes, size_t len,
		 struct pl_err *err) PL_MUST_CHECK;
/* Queues close_notify if the connection is established. */
void io_tls_close(struct io_tls *tls);

/* Returns the bytes queued for sending; valid until the next call. */
const char *io_tls_out(const struct io_tls *tls, size_t *ret_len);
void io_tls_sent(struct io_tls *tls, size_t len);
/*
 * Sends in pieces of at most `piece` bytes (0: unlimited). Returns 1 if everything was sent, 0 if
 * the socket is full, -1 with errno.
 */
int io_tls_flush(struct io_tls *tls, int fd, size_t piece);
