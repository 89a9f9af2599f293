#include "io/tls.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/buf.h"

/* An empty buffer above this size is freed. */
#define OUT_KEEP_BYTES 4096

#define REMEDY "; use --insecure to accept it"

struct io_tls_client {
	SSL_CTX *context;
	char *host; /* without brackets or a last dot */
	bool is_address;
	X509 *pinned; /* NULL: the store decides */
	const char *issuer_remedy, *name_remedy;
};

struct io_tls_server {
	SSL_CTX *context;
};

struct io_tls {
	SSL *ssl;
	const struct io_tls_client *client; /* NULL: we are the server */
	const char *in;                     /* the caller's, only inside io_tls_receive() */
	size_t in_len;
	struct pl_buf out;
	bool failed;
	bool requested; /* the server requested a client certificate */
};

/*
 * OpenSSL between two buffers in place of a socket:
 *
 *    recvmsg() + stamp ──> tls->in ──on_read──> SSL ──> plain bytes
 *    send() <── io_tls_flush <── tls->out <──on_write── SSL <── plain bytes
 *
 * When `in` is empty OpenSSL is told to come again, which ends SSL_read_ex() without blocking.
 */
static int on_read(BIO *bio, char *data, size_t room, size_t *ret_len)
{
	struct io_tls *tls = BIO_get_data(bio);
	size_t len = tls->in_len < room ? tls->in_len : room;

	BIO_clear_retry_flags(bio);
	if (len == 0) {
		BIO_set_retry_read(bio);
		return 0;
	}
	memcpy(data, tls->in, len);
	tls->in += len;
	tls->in_len -= len;
	*ret_len = len;
	return 1;
}

/* A full buffer is a failure and not a retry: nothing would empty it during this call. */
static int on_write(BIO *bio, const char *data, size_t len, size_t *ret_len)
{
	struct io_tls *tls = BIO_get_data(bio);

	BIO_clear_retry_flags(bio);
	if (!pl_buf_add(&tls->out, data, len))
		return 0;
	*ret_len = len;
	return 1;
}

/*
 * Flushing has nothing to do and must succeed, or the handshake fails; every other command is
 * answered with "no".
 */
static long on_control(BIO *bio, int command, long number, void *pointer)
{
	(void)bio;
	(void)number;
	(void)pointer;
	return command == BIO_CTRL_FLUSH;
}

/* One for the process and never freed: contexts of any thread may still use it at exit. */
static BIO_METHOD *method;
static pthread_once_t method_once = PTHREAD_ONCE_INIT;

static void make_method(void)
{
	method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "profllm");
	if (method == NULL || BIO_meth_set_read_ex(method, on_read) != 1 ||
	    BIO_meth_set_write_ex(method, on_write) != 1 ||
	    BIO_meth_set_ctrl(method, on_control) != 1)
		pl_must(NULL);
}

/* Returns the oldest error of the thread: later ones only show the path through the library. */
static const char *reason_text(void)
{
	const char *text = ERR_reason_error_string(ERR_peek_error());

	return text != NULL ? text : "unknown error";
}

static SSL_CTX *new_context(const SSL_METHOD *side)
{
	SSL_CTX *context = SSL_CTX_new(side);

	if (context == NULL || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1)
		pl_must(NULL);
	/*
	 * Renegotiation could begin in the middle of a stream and take a flush that no event is due
	 * for.
	 */
	SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
	/* idle connections hold no buffers of 16 KB: thousands of streams wait most of the time */
	SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
	/*
	 * Each connection pays for a whole handshake, as vLLM's client does: resumed ones would
	 * flatter the server.
	 */
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	return context;
}

static int read_pinned(const char *path, X509 **ret, struct pl_err *err)
{
	FILE *file = fopen(path, "re");

	if (file == NULL)
		return pl_err_errno(err, "could not read certificate '%s'", path);
	ERR_clear_error();
	*ret = PEM_read_X509(file, NULL, NULL, NULL);
	fclose(file);
	if (*ret == NULL)
		return pl_err_invalid(err, "'%s' contains no certificate: %s", path, reason_text());
	/* its hash is made now: comparing then only reads, in whichever thread */
	X509_check_purpose(*ret, -1, 0);
	return 0;
}

/* Replaces the verification of a chain. */
static int check_pinned(X509_STORE_CTX *store, void *data)
{
	const struct io_tls_client *client = data;
	X509 *leaf = X509_STORE_CTX_get0_cert(store);

	if (leaf != NULL && X509_cmp(leaf, client->pinned) == 0)
		return 1;
	X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_UNTRUSTED);
	return 0;
}

/* Fails if a configured store cannot be read: otherwise it would silently be an empty one. */
static int load_system_store(SSL_CTX *context, struct pl_err *err)
{
	const char *const names[] = { "SSL_CERT_FILE", "SSL_CERT_DIR" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		const char *path = getenv(names[i]);
		/* SSL_CERT_DIR may be a list */
		if (path != NULL && strchr(path, ':') == NULL && access(path, R_OK) < 0)
			return pl_err_errno(err, "could not read %s '%s'", names[i], path);
	}
	if (SSL_CTX_set_default_verify_paths(context) != 1)
		return pl_err_invalid(err, "could not load the system's certificates: %s",
				      reason_text());
	return 0;
}

static int load_ca_file(SSL_CTX *context, const char *path, struct pl_err *err)
{
	if (access(path, R_OK) < 0)
		return pl_err_errno(err, "could not read '%s'", path);
	if (SSL_CTX_load_verify_file(context, path) != 1)
		return pl_err_invalid(err, "'%s' contains no certificate: %s", path, reason_text());
	return 0;
}

static char *bare_host(const char *host)
{
	size_t len = strlen(host);

	if (len >= 2 && host[0] == '[' && host[len - 1] == ']')
		return pl_strndup(host + 1, len - 2);
	return pl_strndup(host, len > 1 && host[len - 1] == '.' ? len - 1 : len);
}

static int set_trust(struct io_tls_client *client, const struct io_tls_trust *trust,
		     struct pl_err *err)
{
	if (trust->insecure) {
		SSL_CTX_set_verify(client->context, SSL_VERIFY_NONE, NULL);
		return 0;
	}
	SSL_CTX_set_verify(client->context, SSL_VERIFY_PEER, NULL);
	if (trust->ca_file != NULL)
		return load_ca_file(client->context, trust->ca_file, err);
	if (trust->pinned_file == NULL)
		return load_system_store(client->context, err);
	if (read_pinned(trust->pinned_file, &client->pinned, err) < 0)
		return -1;
	SSL_CTX_set_cert_verify_callback(client->context, check_pinned, client);
	return 0;
}

static int on_certificate_wanted(SSL *ssl, X509 **ret_cert, EVP_PKEY **ret_key)
{
	struct io_tls *tls = SSL_get_app_data(ssl);

	(void)ret_cert;
	(void)ret_key;
	tls->requested = true;
	return 0; /* there is no client certificate */
}

int io_tls_client_new(const char *host, const struct io_tls_trust *trust,
		      struct io_tls_client **ret, struct pl_err *err)
{
	static const unsigned char http[] = "\x08http/1.1";
	PL_AUTO(io_tls_client_free) struct io_tls_client *client = pl_alloc(sizeof(*client));
	unsigned char address[sizeof(struct in6_addr)];

	ERR_clear_error();
	client->context = new_context(TLS_client_method());
	client->host = bare_host(host);
	client->is_address = inet_pton(AF_INET, client->host, address) == 1 ||
			     inet_pton(AF_INET6, client->host, address) == 1;
	/* A proxy with HTTP/2 as its default would use it; this offers only HTTP/1.1. */
	SSL_CTX_set_alpn_protos(client->context, http, sizeof(http) - 1);
	SSL_CTX_set_client_cert_cb(client->context, on_certificate_wanted);
	client->issuer_remedy = trust->issuer_remedy != NULL ? trust->issuer_remedy : REMEDY;
	client->name_remedy = trust->name_remedy != NULL ? trust->name_remedy : REMEDY;
	if (set_trust(client, trust, err) < 0)
		return -1;
	*ret = pl_take(client);
	return 0;
}

void io_tls_client_free(struct io_tls_client *client)
{
	if (client == NULL)
		return;
	SSL_CTX_free(client->context);
	X509_free(client->pinned);
	free(client->host);
	free(client);
}

/* Rejects a key that needs a password: there is no user to enter it. */
static int no_password(char *text, int room, int writes, void *data)
{
	(void)text;
	(void)room;
	(void)writes;
	(void)data;
	return -1;
}

int io_tls_server_new(const char *cert_file, const char *key_file, struct io_tls_server **ret,
		      struct pl_err *err)
{
	PL_AUTO(io_tls_server_free) struct io_tls_server *server = pl_alloc(sizeof(*server));

	if (key_file == NULL)
		key_file = cert_file;
	ERR_clear_error();
	server->context = new_context(TLS_server_method());
	SSL_CTX_set_default_passwd_cb(server->context, no_password);
	if (SSL_CTX_use_certificate_chain_file(server->context, cert_file) != 1)
		return pl_err_invalid(err, "cannot use certificate '%s': %s", cert_file,
				      reason_text());
	if (SSL_CTX_use_PrivateKey_file(server->context, key_file, SSL_FILETYPE_PEM) != 1)
		return pl_err_invalid(err, "cannot use private key '%s': %s", key_file,
				      reason_text());
	*ret = pl_take(server);
	return 0;
}

void io_tls_server_free(struct io_tls_server *server)
{
	if (server == NULL)
		return;
	SSL_CTX_free(server->context);
	free(server);
}

static struct io_tls *new_connection(SSL_CTX *context, size_t out_bytes_max)
{
	struct io_tls *tls = pl_alloc(sizeof(*tls));

	pthread_once(&method_once, make_method);
	tls->ssl = SSL_new(context);
	BIO *bio = BIO_new(method);
	if (tls->ssl == NULL || bio == NULL)
		pl_must(NULL);
	BIO_set_data(bio, tls);
	BIO_set_init(bio, 1);
	SSL_set_bio(tls->ssl, bio, bio);
	pl_buf_init(&tls->out, out_bytes_max);
	return tls;
}

static void expect_host(SSL *ssl, const struct io_tls_client *client)
{
	/* RFC 6066, 3: a literal address is not a server name. */
	/* if it fails, such as for a long name, the certificate is for another host and refused */
	if (!client->is_address)
		SSL_set_tlsext_host_name(ssl, client->host);
	if (SSL_get_verify_mode(ssl) == SSL_VERIFY_NONE || client->pinned != NULL)
		return;
	/* As in browsers: "w*.example.com" matches nothing (RFC 9525, 6.3). */
	SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	/* without it, any host's certificate would do */
	bool is_expected = client->is_address ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl),
									      client->host) == 1
					      : SSL_set1_host(ssl, client->host) == 1;
	if (!is_expected)
		pl_must(NULL);
}

struct io_tls *io_tls_new_client(const struct io_tls_client *client, size_t out_bytes_max)
{
	struct io_tls *tls = new_connection(client->context, out_bytes_max);

	tls->client = client;
	SSL_set_app_data(tls->ssl, tls);
	expect_host(tls->ssl, client);
	SSL_set_connect_state(tls->ssl);
	ERR_clear_error();
	/* the first io_tls_receive() reports any error */
	SSL_do_handshake(tls->ssl);
	return tls;
}

struct io_tls *io_tls_new_server(const struct io_tls_server *server, size_t out_bytes_max)
{
	struct io_tls *tls = new_connection(server->context, out_bytes_max);

	SSL_set_accept_state(tls->ssl);
	return tls;
}

void io_tls_free(struct io_tls *tls)
{
	if (tls == NULL)
		return;
	SSL_free(tls->ssl);
	pl_buf_done(&tls->out);
	free(tls);
}

bool io_tls_is_established(const struct io_tls *tls)
{
	return !tls->failed && SSL_is_init_finished(tls->ssl);
}

static int report_untrusted(const struct io_tls *tls, struct pl_err *err)
{
	const struct io_tls_client *client = tls->client;
	long why = SSL_get_verify_result(tls->ssl);

	if (client->pinned != NULL)
		return pl_err_invalid(err, "certificate verify failed: the certificate is not the "
					   "one in ssl_certfile");
	if (why == X509_V_ERR_HOSTNAME_MISMATCH || why == X509_V_ERR_IP_ADDRESS_MISMATCH)
		return pl_err_invalid(err,
				      "certificate verify failed: the certificate is not valid for "
				      "'%s'%s",
				      client->host, client->name_remedy);
	return pl_err_invalid(err, "certificate verify failed: %s%s",
			      X509_verify_cert_error_string(why), client->issuer_remedy);
}

/* Returns a text for handshake failures that the user can fix; NULL for others. */
static const char *handshake_text(const struct io_tls *tls, int reason)
{
	static const char wants_certificate[] =
		"the server requires a client certificate, which this version does not support";

	switch (reason) {
	case SSL_R_WRONG_VERSION_NUMBER:
		return "the server does not use TLS; try an address with http://";
	case SSL_R_UNSUPPORTED_PROTOCOL:
	case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
		return "the server supports no common TLS version; profllm supports 1.2 and 1.3";
	case SSL_R_TLSV1_UNRECOGNIZED_NAME:
		return "unrecognized name: the server has no certificate for this name; use the "
		       "server's host name in the address";
	case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
		return wants_certificate;
	case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
	case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
		return tls->requested ? wants_certificate : NULL;
	default:
		return NULL;
	}
}

/*
 * Returns the oldest error of the SSL library itself: older ones of lower layers only show how it
 * arose. Empties the queue. *ret_text: a description.
 */
static int take_reason(const char **ret_text)
{
	unsigned long code = ERR_get_error();
	unsigned long next = code;

	while (next != 0 && ERR_GET_LIB(next) != ERR_LIB_SSL)
		next = ERR_get_error();
	if (next != 0)
		code = next;
	ERR_clear_error();
	*ret_text = ERR_reason_error_string(code);
	if (*ret_text == NULL)
		*ret_text = "unknown error";
	return next != 0 ? ERR_GET_REASON(code) : 0;
}

static enum io_tls_result note_failure(struct io_tls *tls, struct pl_err *err)
{
	bool early = !SSL_is_init_finished(tls->ssl);
	const char *text;
	int reason = take_reason(&text);
	/* TLS 1.3 tells the client only after its handshake that it lacks a certificate */
	bool late = reason == SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED;
	const char *why = tls->client != NULL && (early || late) ? handshake_text(tls, reason)
								 : NULL;

	tls->failed = true;
	if (tls->out.full)
		pl_err_set(err, PL_ERR_NETWORK, "TLS: more than %zu bytes are waiting to be sent",
			   tls->out.max);
	else if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED && tls->client != NULL)
		report_untrusted(tls, err);
	else
		pl_err_set(err, PL_ERR_NETWORK, "TLS: %s", why != NULL ? why : text);
	return IO_TLS_FAILED;
}

enum io_tls_result io_tls_receive(struct io_tls *tls, const char *bytes, size_t len, char *plain,
				  size_t room, size_t *ret_len, struct pl_err *err)
{
	int done = 1;

	assert(room >= len + IO_TLS_PLAIN_SLACK);
	*ret_len = 0;
	if (tls->failed) {
		pl_err_set(err, PL_ERR_NETWORK, "TLS: the connection failed earlier");
		return IO_TLS_FAILED;
	}
	tls->in = bytes;
	tls->in_len = len;
	ERR_clear_error();
	/*
	 * One call returns one record. All are read; otherwise bytes would remain in OpenSSL while
	 * the edge-triggered socket reports nothing.
	 */
	while (done == 1) {
		size_t got = 0;
		done = SSL_read_ex(tls->ssl, plain + *ret_len, room - *ret_len, &got);
		*ret_len += done == 1 ? got : 0;
	}
	tls->in = NULL;
	tls->in_len = 0;
	switch (SSL_get_error(tls->ssl, done)) {
	case SSL_ERROR_WANT_READ:
		return IO_TLS_OPEN;
	case SSL_ERROR_ZERO_RETURN:
		return IO_TLS_CLOSED;
	default:
		return note_failure(tls, err);
	}
}

int io_tls_write(struct io_tls *tls, const char *bytes, size_t len, struct pl_err *err)
{
	size_t done = 0;

	assert(io_tls_is_established(tls));
	if (len == 0)
		return 0;
	ERR_clear_error();
	/* nothing is written in part: the buffer takes all or fails */
	if (SSL_write_ex(tls->ssl, bytes, len, &done) == 1)
		return 0;
	note_failure(tls, err);
	return -1;
}

void io_tls_close(struct io_tls *tls)
{
	if (!io_tls_is_established(tls))
		return;
	/* Our half only: the peer's answer is not waited for, the connection is closed next. */
	SSL_shutdown(tls->ssl);
	ERR_clear_error();
}

const char *io_tls_out(const struct io_tls *tls, size_t *ret_len)
{
	*ret_len = tls->out.len;
	return pl_buf_text(&tls->out);
}

void io_tls_sent(struct io_tls *tls, size_t len)
{
	if (len < tls->out.len)
		pl_buf_consume(&tls->out, len);
	else
		pl_buf_forget(&tls->out, OUT_KEEP_BYTES);
}

int io_tls_flush(struct io_tls *tls, int fd, size_t piece)
{
	size_t done = 0;

	while (done < tls->out.len) {
		size_t len = tls->out.len - done;
		if (piece > 0 && len > piece)
			len = piece;
		ssize_t sent = send(fd, tls->out.data + done, len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0) {
			int why = errno;
			io_tls_sent(tls, done);
			errno = why;
			return why == EAGAIN ? 0 : -1;
		}
		/* Moves the buffer once at the end, not after each piece. */
		done += (size_t)sent;
	}
	io_tls_sent(tls, done);
	return 1;
}
