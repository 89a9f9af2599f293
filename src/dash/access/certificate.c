#include "dash/access/certificate.h"

#include <gnutls/x509.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "dash/access/private_file.h"
#include "dash/access/tokens.h"

#define CHAIN_MAX    16
#define KEY_ID_BYTES 32 /* SHA-256 */
/* A program that renews the pair may write the files one after the other. */
#define SETTLE_NS (2 * PL_NS_PER_S)
#define LOOK_NS   PL_NS_PER_S

/* The texts of both files. */
struct pair {
	char *cert, *key;
	size_t cert_len, key_len;
};

struct dash_certificate {
	const char *cert_path, *key_path;
	pthread_mutex_t lock; /* protects the fields below */
	struct pair pair;
	struct dash_file_stamp seen[2]; /* of the files that were read last, usable or not */
	int64_t looked_ns;              /* when the status of the files was read last */
};

static void pair_done(struct pair *pair)
{
	if (pair->key != NULL)
		dash_wipe(pair->key, pair->key_len);
	free(pair->key);
	free(pair->cert);
	*pair = (struct pair){ 0 };
}
#define auto_pair __attribute__((cleanup(pair_done), unused)) struct pair

/* ---- parsing ------------------------------------------------------------------------------- */

static gnutls_datum_t datum(char *text, size_t len)
{
	return (gnutls_datum_t){ .data = (unsigned char *)text, .size = (unsigned)len };
}

static void chain_free(gnutls_pcert_st *chain, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		gnutls_pcert_deinit(&chain[i]);
	gnutls_free(chain);
}

/* *ret_chain is freed by gnutls_free() after its certificates. Returns a code of GnuTLS. */
static int parse_chain(const struct pair *pair, gnutls_pcert_st **ret_chain, unsigned *ret_count)
{
	gnutls_datum_t text = datum(pair->cert, pair->cert_len);
	gnutls_pcert_st *chain = gnutls_calloc(CHAIN_MAX, sizeof(*chain));
	unsigned count = CHAIN_MAX;

	if (chain == NULL)
		return GNUTLS_E_MEMORY_ERROR;
	int code = gnutls_pcert_list_import_x509_raw(chain, &count, &text, GNUTLS_X509_FMT_PEM, 0);
	if (code < 0) {
		gnutls_free(chain);
		return code;
	}
	*ret_chain = chain;
	*ret_count = count;
	return 0;
}

static int parse_key(const struct pair *pair, gnutls_privkey_t *ret)
{
	gnutls_datum_t text = datum(pair->key, pair->key_len);
	gnutls_privkey_t key;
	int code = gnutls_privkey_init(&key);

	if (code < 0)
		return code;
	code = gnutls_privkey_import_x509_raw(key, &text, GNUTLS_X509_FMT_PEM, NULL, 0);
	if (code < 0) {
		gnutls_privkey_deinit(key);
		return code;
	}
	*ret = key;
	return 0;
}

/* ---- checks -------------------------------------------------------------------------------- */

static bool has_public_key(const gnutls_pcert_st *cert, gnutls_privkey_t key)
{
	unsigned char of_cert[KEY_ID_BYTES], of_key[KEY_ID_BYTES];
	size_t cert_len = sizeof(of_cert), key_len = sizeof(of_key);
	gnutls_pubkey_t public;

	if (gnutls_pubkey_init(&public) < 0)
		return false;
	bool is_same = gnutls_pubkey_import_privkey(public, key, 0, 0) == 0 &&
		       gnutls_pubkey_get_key_id(public, GNUTLS_KEYID_USE_SHA256, of_key,
						&key_len) == 0 &&
		       gnutls_pubkey_get_key_id(cert->pubkey, GNUTLS_KEYID_USE_SHA256, of_cert,
						&cert_len) == 0 &&
		       cert_len == key_len && memcmp(of_cert, of_key, key_len) == 0;
	gnutls_pubkey_deinit(public);
	return is_same;
}

/* A client refuses such a certificate, but the clock of the server may be the wrong one. */
static void warn_of_dates(const char *path, const gnutls_pcert_st *cert)
{
	time_t now = pl_clock_real_ns() / PL_NS_PER_S;
	gnutls_x509_crt_t parsed;
	char time_text[32];

	if (gnutls_x509_crt_init(&parsed) < 0)
		return;
	if (gnutls_x509_crt_import(parsed, &cert->cert, GNUTLS_X509_FMT_DER) == 0) {
		time_t begin = gnutls_x509_crt_get_activation_time(parsed);
		time_t end = gnutls_x509_crt_get_expiration_time(parsed);
		bool has_expired = end < now;
		pl_clock_rfc3339((has_expired ? end : begin) * PL_NS_PER_S, time_text);
		if (has_expired || begin > now)
			pl_log(PL_LOG_WARNING, "the certificate '%s' %s %s", path,
			       has_expired ? "expired at" : "is not valid before", time_text);
	}
	gnutls_x509_crt_deinit(parsed);
}

static int check_pair(const struct dash_certificate *certificate, const struct pair *pair,
		      struct pl_err *err)
{
	gnutls_pcert_st *chain;
	gnutls_privkey_t key;
	unsigned count;
	int code, rc = 0;

	if (strstr(pair->key, "ENCRYPTED") != NULL)
		return pl_err_invalid(err,
				      "--tls-key: '%s' has a password; remove it with 'openssl "
				      "pkey'",
				      certificate->key_path);
	code = parse_chain(pair, &chain, &count);
	if (code == GNUTLS_E_SHORT_MEMORY_BUFFER)
		return pl_err_invalid(err, "--tls-cert: '%s' has more than %d certificates",
				      certificate->cert_path, CHAIN_MAX);
	if (code < 0)
		return pl_err_invalid(err, "--tls-cert: '%s' has no certificate in PEM: %s",
				      certificate->cert_path, gnutls_strerror(code));
	code = parse_key(pair, &key);
	if (code < 0) {
		chain_free(chain, count);
		return pl_err_invalid(err, "--tls-key: '%s' has no private key in PEM: %s",
				      certificate->key_path, gnutls_strerror(code));
	}
	if (has_public_key(&chain[0], key))
		warn_of_dates(certificate->cert_path, &chain[0]);
	else
		rc = pl_err_invalid(err,
				    "--tls-key: '%s' does not belong to the first certificate of "
				    "'%s'",
				    certificate->key_path, certificate->cert_path);
	gnutls_privkey_deinit(key);
	chain_free(chain, count);
	return rc;
}

/* ---- the files ----------------------------------------------------------------------------- */

static void read_stamps(const struct dash_certificate *certificate, struct dash_file_stamp ret[2])
{
	ret[0] = dash_file_stamp_of(certificate->cert_path);
	ret[1] = dash_file_stamp_of(certificate->key_path);
}

static bool is_same(const struct dash_file_stamp a[2], const struct dash_file_stamp b[2])
{
	return dash_file_stamp_equal(&a[0], &b[0]) && dash_file_stamp_equal(&a[1], &b[1]);
}

/* Replaces the pair by that of the files, if it can be used. The caller has locked. */
static int read_files(struct dash_certificate *certificate, struct pl_err *err)
{
	auto_buf key = PL_BUF(DASH_PRIVATE_FILE_BYTES_MAX);
	auto_pair pair = { 0 };

	/* before the files are read: a later change gives other stamps */
	read_stamps(certificate, certificate->seen);
	if (pl_file_read(certificate->cert_path, DASH_PRIVATE_FILE_BYTES_MAX, &pair.cert,
			 &pair.cert_len, err) < 0)
		return pl_err_wrap(err, "--tls-cert");
	if (dash_private_file_read(certificate->key_path, &key, err) < 0)
		return pl_err_wrap(err, "--tls-key");
	pl_buf_add_char(&key, '\0');
	pair.key_len = key.len - 1;
	pair.key = pl_buf_take(&key);
	if (check_pair(certificate, &pair, err) < 0)
		return -1;
	struct pair former = certificate->pair;
	certificate->pair = pair;
	pair = former;
	return 0;
}

static void read_again(struct dash_certificate *certificate)
{
	struct pl_err err = PL_ERR_INIT;

	if (read_files(certificate, &err) == 0)
		pl_log(PL_LOG_INFO, "--tls-cert: '%s' was read again", certificate->cert_path);
	else
		pl_log(PL_LOG_ERROR, "%s; the former certificate remains in use", err.text);
}

/* The caller has locked. */
static void look(struct dash_certificate *certificate)
{
	int64_t now_ns = pl_clock_now_ns(), real_ns = pl_clock_real_ns();
	struct dash_file_stamp stamps[2];

	if (now_ns - certificate->looked_ns < LOOK_NS)
		return;
	certificate->looked_ns = now_ns;
	read_stamps(certificate, stamps);
	if (is_same(stamps, certificate->seen))
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(stamps); i++) {
		int64_t age_ns = real_ns - stamps[i].changed_ns;
		if (age_ns >= 0 && age_ns < SETTLE_NS)
			return;
	}
	read_again(certificate);
}

int dash_certificate_open(const char *cert_path, const char *key_path,
			  struct dash_certificate **ret, struct pl_err *err)
{
	auto_certificate *certificate = pl_alloc(sizeof(*certificate));

	certificate->cert_path = cert_path;
	certificate->key_path = key_path;
	pthread_mutex_init(&certificate->lock, NULL);
	if (read_files(certificate, err) < 0)
		return -1;
	*ret = pl_take(certificate);
	return 0;
}

void dash_certificate_free(struct dash_certificate *certificate)
{
	if (certificate == NULL)
		return;
	pair_done(&certificate->pair);
	pthread_mutex_destroy(&certificate->lock);
	free(certificate);
}

void dash_certificate_reload(struct dash_certificate *certificate)
{
	pthread_mutex_lock(&certificate->lock);
	read_again(certificate);
	pthread_mutex_unlock(&certificate->lock);
}

int dash_certificate_get(struct dash_certificate *certificate, gnutls_pcert_st **ret_chain,
			 unsigned *ret_count, gnutls_privkey_t *ret_key)
{
	pthread_mutex_lock(&certificate->lock);
	look(certificate);
	int code = parse_chain(&certificate->pair, ret_chain, ret_count);
	if (code == 0) {
		code = parse_key(&certificate->pair, ret_key);
		if (code < 0)
			chain_free(*ret_chain, *ret_count);
	}
	pthread_mutex_unlock(&certificate->lock);
	return code < 0 ? -1 : 0;
}
