/* Another's end of a connection does what ours never does: new keys, renegotiation, empty
 * records. */
#include "io/tls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/buf.h"

#define OUT_BYTES  (1u << 20)
#define READ_BYTES 65536

/* A client of ours and a server of OpenSSL's, and the plain bytes that came to the client. */
struct ends {
	struct io_tls_client *context;
	struct io_tls *client;
	SSL_CTX *server_context;
	SSL *server;
	BIO *into; /* what the server reads */
	BIO *out;
	enum io_tls_result client_is;
	struct pl_err err;
	struct pl_buf got;
	char plain[READ_BYTES + IO_TLS_PLAIN_SLACK];
};

static SSL_CTX *server_context(int version)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *cert = X509_new();

	assert_non_null(context);
	assert_non_null(key);
	X509_set_version(cert, 2);
	X509_gmtime_adj(X509_getm_notBefore(cert), -60);
	X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
	X509_set_pubkey(cert, key);
	assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
	assert_int_equal(SSL_CTX_use_certificate(context, cert), 1);
	assert_int_equal(SSL_CTX_use_PrivateKey(context, key), 1);
	SSL_CTX_set_min_proto_version(context, version);
	SSL_CTX_set_max_proto_version(context, version);
	X509_free(cert);
	EVP_PKEY_free(key);
	return context;
}

/* Passes the server's output to the client, in pieces of `piece` bytes. */
static void to_client(struct ends *ends, size_t piece)
{
	char bytes[READ_BYTES];
	int len;

	if (piece > sizeof(bytes))
		piece = sizeof(bytes);
	while (ends->client_is == IO_TLS_OPEN &&
	       (len = BIO_read(ends->out, bytes, (int)piece)) > 0) {
		size_t plain_len;
		ends->client_is = io_tls_receive(ends->client, bytes, (size_t)len, ends->plain,
						 sizeof(ends->plain), &plain_len, &ends->err);
		pl_buf_add(&ends->got, ends->plain, plain_len);
	}
}

static void to_server(struct ends *ends)
{
	size_t len;
	const char *bytes = io_tls_out(ends->client, &len);

	assert_int_equal(BIO_write(ends->into, bytes, (int)len), (int)len);
	io_tls_sent(ends->client, len);
}

static void ends_open(struct ends *ends, int version)
{
	const struct io_tls_trust any = { .insecure = true };
	struct pl_err err = PL_ERR_INIT;

	*ends = (struct ends){ .client_is = IO_TLS_OPEN };
	pl_buf_init(&ends->got, OUT_BYTES);
	assert_int_equal(io_tls_client_new("localhost", &any, &ends->context, &err), 0);
	ends->client = io_tls_new_client(ends->context, OUT_BYTES);
	ends->server_context = server_context(version);
	ends->server = SSL_new(ends->server_context);
	ends->into = BIO_new(BIO_s_mem());
	ends->out = BIO_new(BIO_s_mem());
	SSL_set_bio(ends->server, ends->into, ends->out);
	SSL_set_accept_state(ends->server);
	for (int i = 0; i < 8 && !SSL_is_init_finished(ends->server); i++) {
		to_server(ends);
		SSL_do_handshake(ends->server);
		to_client(ends, READ_BYTES);
	}
	assert_true(SSL_is_init_finished(ends->server));
	assert_true(io_tls_is_established(ends->client));
}

static void ends_done(struct ends *ends)
{
	io_tls_free(ends->client);
	io_tls_client_free(ends->context);
	SSL_free(ends->server);
	SSL_CTX_free(ends->server_context);
	pl_buf_done(&ends->got);
}

static void server_says(struct ends *ends, const char *text)
{
	assert_int_equal(SSL_write(ends->server, text, (int)strlen(text)), (int)strlen(text));
}

static void client_says(struct ends *ends, const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	char heard[64];

	assert_int_equal(io_tls_write(ends->client, text, strlen(text), &err), 0);
	to_server(ends);
	int len = SSL_read(ends->server, heard, sizeof(heard));
	assert_int_equal(len, (int)strlen(text));
	assert_memory_equal(heard, text, strlen(text));
}

static void assert_got(struct ends *ends, const char *text)
{
	assert_int_equal(ends->client_is, IO_TLS_OPEN);
	assert_string_equal(pl_buf_text(&ends->got), text);
}

/* New keys within a stream, asked of both sides and cut anywhere: no byte is lost, none is new. */
static void test_io_tls_updates__new_keys(void **state)
{
	(void)state;
	for (size_t piece = 1; piece < 200; piece += 7) {
		struct ends ends;
		ends_open(&ends, TLS1_3_VERSION);
		server_says(&ends, "one ");
		assert_int_equal(SSL_key_update(ends.server, SSL_KEY_UPDATE_REQUESTED), 1);
		server_says(&ends, "two ");
		assert_int_equal(SSL_key_update(ends.server, SSL_KEY_UPDATE_NOT_REQUESTED), 1);
		server_says(&ends, "three");
		to_client(&ends, piece);
		assert_got(&ends, "one two three");
		/* the client's own new keys come before its next words, where they belong */
		client_says(&ends, "and back");
		server_says(&ends, " four");
		to_client(&ends, piece);
		assert_got(&ends, "one two three four");
		ends_done(&ends);
	}
}

/* Declines a server's renegotiation, and reads its other data. */
static void test_io_tls_updates__renegotiation_is_declined(void **state)
{
	struct ends ends;

	(void)state;
	ends_open(&ends, TLS1_2_VERSION);
	server_says(&ends, "before ");
	SSL_clear_options(ends.server, SSL_OP_NO_RENEGOTIATION);
	assert_int_equal(SSL_renegotiate(ends.server), 1);
	SSL_do_handshake(ends.server);
	to_client(&ends, READ_BYTES);
	assert_got(&ends, "before ");
	size_t len;
	io_tls_out(ends.client, &len);
	assert_true(len > 0);
	assert_true(io_tls_is_established(ends.client));
	ends_done(&ends);
}

/* A peer may send records of nothing, some, and says goodbye within a read that has bytes before
 * it. */
static void test_io_tls_updates__goodbye_after_bytes(void **state)
{
	static const int versions[] = { TLS1_2_VERSION, TLS1_3_VERSION };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(versions); i++) {
		struct ends ends;
		ends_open(&ends, versions[i]);
		server_says(&ends, "last words");
		SSL_shutdown(ends.server);
		to_client(&ends, READ_BYTES);
		assert_int_equal(ends.client_is, IO_TLS_CLOSED);
		assert_string_equal(pl_buf_text(&ends.got), "last words");
		ends_done(&ends);
	}
}

/* A fatal alert in the middle is a failure that says which; what came before it counts. */
static void test_io_tls_updates__alert(void **state)
{
	struct ends ends;

	(void)state;
	ends_open(&ends, TLS1_3_VERSION);
	server_says(&ends, "some");
	/* nonsense in place of the client's next record makes the server complain */
	static const char nonsense[] = "\x17\x03\x03\x00\x20 this is no record at all, is it?";
	BIO_write(ends.into, nonsense, 37);
	char heard[16];
	assert_true(SSL_read(ends.server, heard, sizeof(heard)) <= 0);
	to_client(&ends, READ_BYTES);
	assert_int_equal(ends.client_is, IO_TLS_FAILED);
	assert_string_equal(pl_buf_text(&ends.got), "some");
	assert_non_null(strstr(ends.err.text, "TLS: "));
	assert_non_null(strstr(ends.err.text, "bad record mac"));
	ends_done(&ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_io_tls_updates__new_keys),
		cmocka_unit_test(test_io_tls_updates__renegotiation_is_declined),
		cmocka_unit_test(test_io_tls_updates__goodbye_after_bytes),
		cmocka_unit_test(test_io_tls_updates__alert),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
