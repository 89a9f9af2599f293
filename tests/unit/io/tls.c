#include "io/tls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/buf.h"
#include "base/rng.h"
#include "base/scratch.h"

#define OUT_BYTES   (8u << 20)
#define PLAIN_BYTES 65536
#define DAY_S       86400L

/* Files of one test. */
struct position {
	char cert[SCRATCH_PATH + 16];
	char key[SCRATCH_PATH + 16];
	char other[SCRATCH_PATH + 16];  /* another certificate, of the same name */
	char both[SCRATCH_PATH + 16];   /* certificate and key in one */
	char locked[SCRATCH_PATH + 16]; /* a key with a password */
};

static EVP_PKEY *make_key(void)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");

	assert_non_null(key);
	return key;
}

/* Self-signed, for localhost and 127.0.0.1, from a day ago until `end_s` from now. */
static X509 *make_certificate(EVP_PKEY *key, long end_s)
{
	X509 *cert = X509_new();
	X509_NAME *name = X509_get_subject_name(cert);

	X509_set_version(cert, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(cert), 7);
	X509_gmtime_adj(X509_getm_notBefore(cert), -DAY_S);
	X509_gmtime_adj(X509_getm_notAfter(cert), end_s);
	X509_set_pubkey(cert, key);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"test", -1, -1,
				   0);
	X509_set_issuer_name(cert, name);
	X509_EXTENSION *names = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name,
						    "DNS:localhost,IP:127.0.0.1,IP:::1");
	assert_non_null(names);
	X509_add_ext(cert, names, -1);
	X509_EXTENSION_free(names);
	assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
	return cert;
}

static void write_files(const char *cert_path, X509 *cert, const char *key_path, EVP_PKEY *key,
			const EVP_CIPHER *cipher)
{
	FILE *file = fopen(key_path, "we");

	assert_non_null(file);
	assert_int_equal(PEM_write_PrivateKey(file, key, cipher, NULL, 0, NULL,
					      cipher != NULL ? (void *)(uintptr_t) "hush" : NULL),
			 1);
	fclose(file);
	file = fopen(cert_path, strcmp(cert_path, key_path) == 0 ? "ae" : "we");
	assert_non_null(file);
	assert_int_equal(PEM_write_X509(file, cert), 1);
	fclose(file);
}

static void place_make(struct position *position, long end_s)
{
	char folder[SCRATCH_PATH];
	EVP_PKEY *key = make_key();
	X509 *cert = make_certificate(key, end_s);
	EVP_PKEY *other_key = make_key();
	X509 *other = make_certificate(other_key, end_s);

	scratch_folder(folder);
	snprintf(position->cert, sizeof(position->cert), "%s/cert.pem", folder);
	snprintf(position->key, sizeof(position->key), "%s/key.pem", folder);
	snprintf(position->other, sizeof(position->other), "%s/other.pem", folder);
	snprintf(position->both, sizeof(position->both), "%s/both.pem", folder);
	snprintf(position->locked, sizeof(position->locked), "%s/locked.pem", folder);
	write_files(position->other, other, position->locked, other_key, EVP_aes_128_cbc());
	write_files(position->both, cert, position->both, key, NULL);
	write_files(position->cert, cert, position->key, key, NULL);
	X509_free(cert);
	X509_free(other);
	EVP_PKEY_free(key);
	EVP_PKEY_free(other_key);
}

/* Both ends of a connection, and their output. */
struct pair {
	struct io_tls_client *client_context;
	struct io_tls_server *server_context;
	struct io_tls *client;
	struct io_tls *server;
	struct pl_buf to_client, to_server; /* plain bytes that came there */
	enum io_tls_result client_is, server_is;
	struct pl_err client_err, server_err;
	char plain[PLAIN_BYTES + IO_TLS_PLAIN_SLACK];
};

static void pair_open(struct pair *pair, const struct position *position, const char *host,
		      const struct io_tls_trust *trust)
{
	struct pl_err err = PL_ERR_INIT;

	*pair = (struct pair){ .client_is = IO_TLS_OPEN, .server_is = IO_TLS_OPEN };
	if (io_tls_client_new(host, trust, &pair->client_context, &err) < 0 ||
	    io_tls_server_new(position->cert, position->key, &pair->server_context, &err) < 0)
		fail_msg("%s", err.text);
	pair->client = io_tls_new_client(pair->client_context, OUT_BYTES);
	pair->server = io_tls_new_server(pair->server_context, OUT_BYTES);
	pl_buf_init(&pair->to_client, OUT_BYTES);
	pl_buf_init(&pair->to_server, OUT_BYTES);
}

static void pair_done(struct pair *pair)
{
	io_tls_free(pair->client);
	io_tls_free(pair->server);
	io_tls_client_free(pair->client_context);
	io_tls_server_free(pair->server_context);
	pl_buf_done(&pair->to_client);
	pl_buf_done(&pair->to_server);
}

/* At most `most` bytes from one end to the other; false: there were none. */
static bool carry(struct pair *pair, bool to_server, size_t most)
{
	struct io_tls *from = to_server ? pair->client : pair->server;
	struct io_tls *to = to_server ? pair->server : pair->client;
	enum io_tls_result *is = to_server ? &pair->server_is : &pair->client_is;
	struct pl_err *err = to_server ? &pair->server_err : &pair->client_err;
	size_t len, plain_len;
	const char *bytes = io_tls_out(from, &len);

	if (len == 0 || *is != IO_TLS_OPEN)
		return false;
	if (len > most)
		len = most;
	*is = io_tls_receive(to, bytes, len, pair->plain, sizeof(pair->plain), &plain_len, err);
	pl_buf_add(to_server ? &pair->to_server : &pair->to_client, pair->plain, plain_len);
	io_tls_sent(from, len);
	return true;
}

static void settle(struct pair *pair, size_t most)
{
	while (carry(pair, true, most) || carry(pair, false, most))
		continue;
}

static void write_to(struct io_tls *tls, const char *bytes, size_t len)
{
	struct pl_err err = PL_ERR_INIT;

	if (io_tls_write(tls, bytes, len, &err) < 0)
		fail_msg("%s", err.text);
}

static void check_got(const struct pl_buf *got, const char *bytes, size_t len)
{
	assert_int_equal(got->len, len);
	assert_memory_equal(pl_buf_text(got), bytes, len);
}

/* Whatever pieces the bytes of the wire come in, the plain ones are the same. */
static void test_io_tls__cut_anywhere(void **state)
{
	static const size_t pieces[] = { 1, 2, 3, 5, 6, 7, 100, 1460, PLAIN_BYTES };
	const struct io_tls_trust trust = { .insecure = true };
	size_t len = 100000;
	auto_free char *bytes = pl_alloc(len);
	struct pl_pcg64 rng;
	struct position position;

	(void)state;
	pl_pcg64_seed(&rng, 3);
	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)pl_pcg64_next32(&rng);
	place_make(&position, DAY_S);
	for (size_t i = 0; i < PL_ARRAY_SIZE(pieces); i++) {
		struct pair pair;
		pair_open(&pair, &position, "localhost", &trust);
		assert_false(io_tls_is_established(pair.client));
		settle(&pair, pieces[i]);
		assert_true(io_tls_is_established(pair.client));
		assert_true(io_tls_is_established(pair.server));
		assert_int_equal(pair.to_client.len + pair.to_server.len, 0);
		write_to(pair.client, bytes, len);
		write_to(pair.server, "first", 5);
		write_to(pair.server, "second", 6);
		settle(&pair, pieces[i]);
		check_got(&pair.to_server, bytes, len);
		check_got(&pair.to_client, "firstsecond", 11);
		write_to(pair.server, "last", 4);
		io_tls_close(pair.server);
		settle(&pair, pieces[i]);
		check_got(&pair.to_client, "firstsecondlast", 15);
		assert_int_equal(pair.client_is, IO_TLS_CLOSED);
		assert_int_equal(pair.server_is, IO_TLS_OPEN);
		pair_done(&pair);
	}
}

struct trust_case {
	const char *host;
	bool trusted; /* SSL_CERT_FILE names the certificate */
	bool insecure;
	char pinned;      /* 'c' the certificate, 'o' another, 0 none */
	const char *says; /* NULL: accepted */
};

static void try_trust(const struct position *position, const struct trust_case *one)
{
	struct io_tls_trust trust = { .insecure = one->insecure };
	struct pair pair;

	setenv("SSL_CERT_FILE", one->trusted ? position->cert : "/dev/null", 1);
	if (one->pinned != 0)
		trust.pinned_file = one->pinned == 'c' ? position->cert : position->other;
	pair_open(&pair, position, one->host, &trust);
	settle(&pair, PLAIN_BYTES);
	unsetenv("SSL_CERT_FILE");
	if (one->says == NULL) {
		assert_true(io_tls_is_established(pair.client));
	} else {
		assert_int_equal(pair.client_is, IO_TLS_FAILED);
		assert_false(io_tls_is_established(pair.client));
		assert_int_equal(pair.client_err.code, PL_ERR_INVALID);
		if (strstr(pair.client_err.text, one->says) == NULL)
			fail_msg("'%s' for '%s'", pair.client_err.text, one->says);
		/* a refused connection stays refused, and the peer was notified */
		assert_int_equal(pair.server_is, IO_TLS_FAILED);
		size_t none;
		assert_int_equal(io_tls_receive(pair.client, "x", 1, pair.plain, sizeof(pair.plain),
						&none, &pair.client_err),
				 IO_TLS_FAILED);
		assert_int_equal(none, 0);
	}
	pair_done(&pair);
}

static void test_io_tls__trust(void **state)
{
	static const struct trust_case cases[] = {
		{ "localhost", true, false, 0, NULL },
		{ "LOCALHOST.", true, false, 0, NULL },
		{ "127.0.0.1", true, false, 0, NULL },
		{ "::1", true, false, 0, NULL },
		{ "[::1]", true, false, 0, NULL },
		{ "localhost", false, false, 0, "certificate verify failed: self-signed" },
		{ "localhost", false, false, 0, "; use --insecure to accept it" },
		{ "localhos", true, false, 0, "not valid for 'localhos'" },
		{ "a.localhost", true, false, 0, "not valid for 'a.localhost'" },
		{ "127.0.0.2", true, false, 0, "not valid for '127.0.0.2'" },
		{ "::2", true, false, 0, "not valid for '::2'" },
		{ "elsewhere", false, true, 0, NULL },
		{ "elsewhere", false, false, 'c', NULL },
		{ "localhost", true, false, 'o', "the certificate is not the one in ssl_certfile" },
	};
	struct position position;

	(void)state;
	place_make(&position, DAY_S);
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++)
		try_trust(&position, &cases[i]);
}

static void test_io_tls__expired(void **state)
{
	static const struct trust_case cases[] = {
		{ "localhost", true, false, 0,
		  "certificate verify failed: certificate has expired" },
		{ "localhost", true, true, 0, NULL },
		/* a server of our own: what it shows is what it was given */
		{ "localhost", false, false, 'c', NULL },
	};
	struct position position;

	(void)state;
	place_make(&position, -10);
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++)
		try_trust(&position, &cases[i]);
}

/* Every byte of a handshake and of a record, spoilt: never plain bytes that were not sent. */
static void test_io_tls__spoilt_bytes(void **state)
{
	const struct io_tls_trust trust = { .insecure = true };
	struct position position;
	size_t refused = 0;

	(void)state;
	place_make(&position, DAY_S);
	for (size_t at = 0; at < 700; at += 3) {
		struct pair pair;
		size_t len, plain_len;
		pair_open(&pair, &position, "localhost", &trust);
		carry(&pair, true, PLAIN_BYTES);
		const char *bytes = io_tls_out(pair.server, &len);
		auto_free char *spoilt = pl_memdup(bytes, len);
		if (at < len)
			spoilt[at] ^= 0x41;
		io_tls_sent(pair.server, len);
		pair.client_is = io_tls_receive(pair.client, spoilt, len, pair.plain,
						sizeof(pair.plain), &plain_len, &pair.client_err);
		assert_int_equal(plain_len, 0);
		refused += pair.client_is == IO_TLS_FAILED;
		settle(&pair, PLAIN_BYTES);
		if (at < len)
			assert_false(io_tls_is_established(pair.server));
		pair_done(&pair);
	}
	assert_true(refused > 100);
}

static void test_io_tls__a_spoilt_record(void **state)
{
	const struct io_tls_trust trust = { .insecure = true };
	struct position position;
	struct pair pair;
	size_t len, plain_len;

	(void)state;
	place_make(&position, DAY_S);
	pair_open(&pair, &position, "localhost", &trust);
	settle(&pair, PLAIN_BYTES);
	write_to(pair.server, "good", 4);
	io_tls_out(pair.server, &len);
	size_t good = len;
	write_to(pair.server, "evil", 4);
	const char *out = io_tls_out(pair.server, &len);
	auto_free char *bytes = pl_memdup(out, len);
	bytes[good + 7] ^= 1;
	/* the complete records before it are valid */
	assert_int_equal(io_tls_receive(pair.client, bytes, len, pair.plain, sizeof(pair.plain),
					&plain_len, &pair.client_err),
			 IO_TLS_FAILED);
	assert_int_equal(plain_len, 4);
	assert_memory_equal(pair.plain, "good", 4);
	assert_non_null(strstr(pair.client_err.text, "TLS: "));
	pair_done(&pair);
}

static void test_io_tls__no_tls_at_the_other_end(void **state)
{
	static const char http[] = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
	static const char get[] = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
	const struct io_tls_trust trust = { .insecure = true };
	struct position position;
	struct pair pair;
	size_t plain_len;

	(void)state;
	place_make(&position, DAY_S);
	pair_open(&pair, &position, "localhost", &trust);
	assert_int_equal(io_tls_receive(pair.client, http, sizeof(http) - 1, pair.plain,
					sizeof(pair.plain), &plain_len, &pair.client_err),
			 IO_TLS_FAILED);
	assert_non_null(strstr(pair.client_err.text, "the server does not use TLS"));
	assert_int_equal(io_tls_receive(pair.server, get, sizeof(get) - 1, pair.plain,
					sizeof(pair.plain), &plain_len, &pair.server_err),
			 IO_TLS_FAILED);
	assert_int_equal(plain_len, 0);
	pair_done(&pair);
}

static void test_io_tls__what_waits_is_bounded(void **state)
{
	const struct io_tls_trust trust = { .insecure = true };
	struct pl_err err = PL_ERR_INIT;
	char bytes[16384] = { 0 };
	struct position position;
	struct pair pair;
	int writes = 0;

	(void)state;
	place_make(&position, DAY_S);
	pair_open(&pair, &position, "localhost", &trust);
	settle(&pair, PLAIN_BYTES);
	while (io_tls_write(pair.server, bytes, sizeof(bytes), &err) == 0)
		writes++;
	assert_in_range(writes, OUT_BYTES / sizeof(bytes) - 20, OUT_BYTES / sizeof(bytes));
	assert_non_null(strstr(err.text, "waiting to be sent"));
	assert_false(io_tls_is_established(pair.server));
	pair_done(&pair);
}

/* A socket that takes a part of the data: the remainder waits, and nothing is lost or doubled. */
static void test_io_tls__flush(void **state)
{
	const struct io_tls_trust trust = { .insecure = true };
	size_t len = 2u << 20, plain_len;
	auto_free char *bytes = pl_alloc(len);
	int ends[2];
	struct position position;
	struct pair pair;
	int full = 0, room = 16384;

	(void)state;
	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)(i * 7 / 3);
	place_make(&position, DAY_S);
	pair_open(&pair, &position, "localhost", &trust);
	settle(&pair, PLAIN_BYTES);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)), 0);
	write_to(pair.client, bytes, len);
	for (int left = 0; left == 0;) {
		left = io_tls_flush(pair.client, ends[0], 1000);
		assert_true(left >= 0);
		full += left == 0;
		char some[4096];
		ssize_t got;
		while ((got = read(ends[1], some, sizeof(some))) > 0) {
			assert_int_equal(io_tls_receive(pair.server, some, (size_t)got, pair.plain,
							sizeof(pair.plain), &plain_len,
							&pair.server_err),
					 IO_TLS_OPEN);
			pl_buf_add(&pair.to_server, pair.plain, plain_len);
		}
	}
	assert_true(full > 0);
	check_got(&pair.to_server, bytes, len);
	close(ends[1]);
	write_to(pair.client, "x", 1);
	assert_int_equal(io_tls_flush(pair.client, ends[0], 0), -1);
	close(ends[0]);
	pair_done(&pair);
}

static void test_io_tls__files(void **state)
{
	struct io_tls_trust trust = { .insecure = false };
	struct io_tls_client *client = NULL;
	struct io_tls_server *server = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct position position;

	(void)state;
	place_make(&position, DAY_S);
	assert_int_equal(io_tls_server_new(position.both, NULL, &server, &err), 0);
	io_tls_server_free(server);
	assert_int_equal(io_tls_server_new(position.cert, NULL, &server, &err), -1);
	assert_int_equal(io_tls_server_new("/nowhere/cert.pem", NULL, &server, &err), -1);
	assert_non_null(strstr(err.text, "cannot use certificate '/nowhere/cert.pem'"));
	assert_int_equal(io_tls_server_new(position.other, position.key, &server, &err), -1);
	assert_non_null(strstr(err.text, "cannot use private key"));
	/* it does not prompt for a password */
	assert_int_equal(io_tls_server_new(position.other, position.locked, &server, &err), -1);
	setenv("SSL_CERT_FILE", "/nowhere/store.pem", 1);
	assert_int_equal(io_tls_client_new("a", &trust, &client, &err), -1);
	assert_non_null(strstr(err.text, "SSL_CERT_FILE '/nowhere/store.pem'"));
	unsetenv("SSL_CERT_FILE");
	trust.pinned_file = position.key;
	assert_int_equal(io_tls_client_new("a", &trust, &client, &err), -1);
	assert_non_null(strstr(err.text, "contains no certificate"));
	trust.pinned_file = "/nowhere/cert.pem";
	assert_int_equal(io_tls_client_new("a", &trust, &client, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_io_tls__cut_anywhere),
		cmocka_unit_test(test_io_tls__trust),
		cmocka_unit_test(test_io_tls__expired),
		cmocka_unit_test(test_io_tls__spoilt_bytes),
		cmocka_unit_test(test_io_tls__a_spoilt_record),
		cmocka_unit_test(test_io_tls__no_tls_at_the_other_end),
		cmocka_unit_test(test_io_tls__what_waits_is_bounded),
		cmocka_unit_test(test_io_tls__flush),
		cmocka_unit_test(test_io_tls__files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
