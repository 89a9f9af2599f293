/*
 * The certificate and private key of the server (--tls-cert, --tls-key), in PEM.
 * - The certificate file may have further certificates after that of the server: its chain.
 * - The key must belong to the certificate, have no password, and be in a private file (private_file.h).
 * - A renewed pair replaces the former one, for new connections; existing connections keep theirs. The files are read
 *   again when they have not changed for 2 seconds, because a program that renews them may write them one after the
 *   other, or when reload() is called. If the new pair cannot be used, the former remains, with the reason in the log.
 * - The key is in memory until free(); the process should not be dumpable.
 * - All functions may be called from any thread.
 */
#pragma once

#include <gnutls/abstract.h>

#include "base/err.h"

struct dash_certificate;

/* TLS 1.2 and 1.3 with the ciphers that GnuTLS considers secure. */
#define DASH_TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* Reads the pair, which must be usable. Warns of a certificate that is not valid now. The paths are borrowed. */
int dash_certificate_open(const char *cert_path, const char *key_path,
			  struct dash_certificate **ret, struct pl_err *err) PL_MUST_CHECK;
void dash_certificate_free(struct dash_certificate *certificate);
PL_AUTO_DEFINE(struct dash_certificate, dash_certificate_free);
#define auto_certificate PL_AUTO(dash_certificate_free) struct dash_certificate

/* Reads the files now, and logs the outcome. */
void dash_certificate_reload(struct dash_certificate *certificate);

/*
 * Makes the pair for one handshake, of the files' current content. GnuTLS frees both (GNUTLS_CERT_RETR_DEINIT_ALL).
 * Returns -1 if memory is exhausted.
 */
int dash_certificate_get(struct dash_certificate *certificate, gnutls_pcert_st **ret_chain,
			 unsigned *ret_count, gnutls_privkey_t *ret_key) PL_MUST_CHECK;
