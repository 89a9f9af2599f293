#include "dash/analysis/webhook.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "io/fetch.h"
#include "io/tls.h"

#define TIMEOUT_NS      (5 * PL_NS_PER_S)
#define REPLY_BYTES_MAX 65536

struct dash_webhook {
	bool is_https;
	char *host;      /* to resolve, without brackets */
	char *authority; /* Host header */
	char *path;
	int64_t port;
	const atomic_int *stop;
	struct io_tls_client *tls;
};

void dash_webhook_free(struct dash_webhook *webhook)
{
	if (webhook == NULL)
		return;
	free(webhook->host);
	free(webhook->authority);
	free(webhook->path);
	io_tls_client_free(webhook->tls);
	free(webhook);
}

/* "name", "name:8080", "[::1]:8080" */
static bool read_authority(struct dash_webhook *webhook)
{
	const char *text = webhook->authority;
	bool is_bracketed = text[0] == '[';
	const char *end = is_bracketed ? strchr(text, ']') : text + strcspn(text, ":");

	if (end == NULL || end == text || text[strcspn(text, "@ \\")] != '\0')
		return false;
	const char *begin = is_bracketed ? text + 1 : text;
	webhook->host = pl_strndup(begin, (size_t)(end - begin));
	if (is_bracketed)
		end++;
	webhook->port = webhook->is_https ? 443 : 80;
	return webhook->host[0] != '\0' &&
	       (*end == '\0' || (*end == ':' && pl_text_to_i64(end + 1, &webhook->port) &&
				 webhook->port > 0 && webhook->port <= UINT16_MAX));
}

static bool read_url(struct dash_webhook *webhook, const char *url)
{
	webhook->is_https = pl_text_starts(url, "https://");
	if (!webhook->is_https && !pl_text_starts(url, "http://"))
		return false;
	const char *begin = strstr(url, "://") + strlen("://");
	size_t len = strcspn(begin, "/?#");
	if (begin[len] == '#' || strchr(begin, '#') != NULL)
		return false;
	webhook->authority = pl_strndup(begin, len);
	webhook->path = begin[len] == '/' ? pl_strdup(begin + len)
					  : pl_asprintf("/%s", begin + len);
	for (const char *at = webhook->path; *at != '\0'; at++) {
		if (*at <= ' ' || *at > '~')
			return false;
	}
	return read_authority(webhook);
}

int dash_webhook_new(const char *url, const atomic_int *stop, struct dash_webhook **ret,
		     struct pl_err *err)
{
	auto_webhook struct dash_webhook *webhook = pl_alloc(sizeof(*webhook));

	*webhook = (struct dash_webhook){ .stop = stop };
	if (!read_url(webhook, url))
		return pl_err_set(
			err, PL_ERR_INVALID,
			"--watch-webhook: expected http:// or https://, a host, and a path "
			"without spaces");
	if (webhook->is_https &&
	    io_tls_client_new(
		    webhook->host,
		    &(struct io_tls_trust){
			    .issuer_remedy = "; SSL_CERT_FILE names the certificates to trust",
			    .name_remedy = "" },
		    &webhook->tls, err) < 0)
		return pl_err_wrap(err, "--watch-webhook");
	*ret = pl_take(webhook);
	return 0;
}

/* The path often contains the secret of the receiver. */
static int hide_path(const struct dash_webhook *webhook, struct pl_err *err)
{
	if (webhook->path[1] == '\0')
		return -1;
	auto_free char *hidden = pl_text_replace(err->text, webhook->path, "/…");
	return pl_err_set(err, err->code, "%s", hidden);
}

int dash_webhook_send(struct dash_webhook *webhook, const char *body, size_t len,
		      struct pl_err *err)
{
	struct io_addr addr;
	auto_reply reply = { .status = 0 };

	if (io_addr_resolve(webhook->host, (uint16_t)webhook->port, &addr, err) < 0)
		return -1;
	addr.tls = webhook->tls;
	if (io_fetch(&(struct io_fetch){ .addr = &addr,
					 .host = webhook->authority,
					 .method = "POST",
					 .path = webhook->path,
					 .body = body,
					 .body_len = len,
					 .timeout_ns = TIMEOUT_NS,
					 .reply_bytes_max = REPLY_BYTES_MAX,
					 .stop_signal = webhook->stop },
		     &reply, err) < 0)
		return hide_path(webhook, err);
	if (reply.status >= 200 && reply.status <= 299)
		return 0;
	return pl_err_set(err, PL_ERR_NETWORK, "found status %d, expected 200 to 299",
			  reply.status);
}
