#include "io/fetch_head.h"

#include <string.h>

#include "io/http_text.h"

const char *io_fetch_method(const struct io_fetch *fetch)
{
	if (fetch->method != NULL)
		return fetch->method;
	return fetch->body != NULL ? "POST" : "GET";
}

/*
 * HTTP/1.1 requires Host (RFC 9112, 3.2); for a unix socket, which has no name, clients send
 * "localhost".
 */
static void add_host(struct pl_buf *head, const struct io_fetch *fetch)
{
	char text[160];

	if (fetch->host != NULL) {
		pl_buf_addf(head, "Host: %s\r\n", fetch->host);
		return;
	}
	io_addr_text(fetch->addr, text, sizeof(text));
	pl_buf_addf(head, "Host: %s\r\n",
		    fetch->addr->u.any.sa_family == AF_UNIX ? "localhost" : text);
}

/* Returns whether the path has no character that would end the request line. */
static bool is_target(const char *path)
{
	for (const char *c = path; *c != '\0'; c++) {
		if (*c <= ' ' || *c > '~')
			return false;
	}
	return *path != '\0';
}

int io_fetch_head_add(const struct io_fetch *fetch, bool keep, struct pl_buf *ret,
		      struct pl_err *err)
{
	const char *method = io_fetch_method(fetch);
	bool sends = fetch->body != NULL || strcmp(method, "POST") == 0 ||
		     strcmp(method, "PUT") == 0;

	if (!is_target(fetch->path))
		return pl_err_invalid(err, "'%s' is not a valid request path", fetch->path);
	pl_buf_addf(ret, "%s %s HTTP/1.1\r\n", method, fetch->path);
	add_host(ret, fetch);
	pl_buf_addf(ret, "User-Agent: profllm/%s\r\n", PROFLLM_VERSION);
	pl_buf_add_text(ret, "Accept: */*\r\nAccept-Encoding: identity\r\n");
	/*
	 * A single fetch does not reuse its connection; with this header the server needs no
	 * keep-alive timeout.
	 */
	if (!keep)
		pl_buf_add_text(ret, "Connection: close\r\n");
	if (fetch->body != NULL && !io_http_lines_have(fetch->headers, "content-type"))
		pl_buf_add_text(ret, "Content-Type: application/json\r\n");
	/* A POST without a body also has a length, 0: otherwise some servers return 411. */
	if (sends)
		pl_buf_addf(ret, "Content-Length: %zu\r\n",
			    fetch->body != NULL ? fetch->body_len : 0);
	if (fetch->headers != NULL)
		pl_buf_add_text(ret, fetch->headers);
	pl_buf_add_text(ret, "\r\n");
	if (ret->full)
		return pl_err_invalid(err, "request head is larger than %zu bytes", ret->max);
	return 0;
}
