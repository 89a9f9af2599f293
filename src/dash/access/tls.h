/* TLS of the HTTP library's connections. Part of server.c. */
#pragma once

#include <gnutls/abstract.h>
#include <microhttpd.h>
#include <stdbool.h>

struct dash_certificate;

#define DASH_TLS_OPTIONS 3

/* Fills options for MHD_OPTION_ARRAY. `get` returns the certificate for a handshake. */
void dash_tls_set_options(gnutls_certificate_retrieve_function3 *get,
			  struct MHD_OptionItem ret[DASH_TLS_OPTIONS]);
/* For `get`: returns 0, or -1, with which GnuTLS ends the handshake. */
int dash_tls_get(struct dash_certificate *certificate, gnutls_pcert_st **ret_chain,
		 unsigned *ret_count, gnutls_ocsp_data_st **ret_ocsp, unsigned *ret_ocsp_count,
		 gnutls_privkey_t *ret_key, unsigned *ret_flags);
/*
 * The socket of a connection. It belongs to the connection's owner, and lives until the connection is closed.
 * A client that sends a request without TLS gets a response that says so.
 */
struct dash_tls_socket {
	int fd;
	bool has_begun; /* has received bytes */
};
void dash_tls_attach(struct dash_tls_socket *socket, int fd, gnutls_session_t session);
