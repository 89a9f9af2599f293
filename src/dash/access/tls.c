#include "dash/access/tls.h"

#include <sys/socket.h>

#include "dash/access/certificate.h"

#define PROBLEM                                                               \
	"{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400," \
	"\"detail\":\"this port accepts only https\"}"
#define LENGTH "97"

static const char refusal[] = "HTTP/1.1 400 Bad Request\r\n"
			      "Content-Type: application/problem+json\r\n"
			      "Content-Length: " LENGTH "\r\n"
			      "Connection: close\r\n\r\n" PROBLEM;

_Static_assert(sizeof(PROBLEM) - 1 == 97, "LENGTH");

void dash_tls_set_options(gnutls_certificate_retrieve_function3 *get,
			  struct MHD_OptionItem ret[DASH_TLS_OPTIONS])
{
	static const char priorities[] = DASH_TLS_PRIORITIES;

	ret[0] = (struct MHD_OptionItem){ .option = MHD_OPTION_HTTPS_PRIORITIES,
					  .ptr_value = (void *)priorities };
	ret[1] = (struct MHD_OptionItem){ .option = MHD_OPTION_HTTPS_CERT_CALLBACK2,
					  .ptr_value = (void *)get };
	ret[2] = (struct MHD_OptionItem){ .option = MHD_OPTION_END };
}

int dash_tls_get(struct dash_certificate *certificate, gnutls_pcert_st **ret_chain,
		 unsigned *ret_count, gnutls_ocsp_data_st **ret_ocsp, unsigned *ret_ocsp_count,
		 gnutls_privkey_t *ret_key, unsigned *ret_flags)
{
	if (dash_certificate_get(certificate, ret_chain, ret_count, ret_key) < 0)
		return -1;
	*ret_ocsp = NULL;
	*ret_ocsp_count = 0;
	*ret_flags = GNUTLS_CERT_RETR_DEINIT_ALL;
	return 0;
}

/* Unread bytes would reset the connection, and with it the response. */
static void refuse_plain(int fd)
{
	char block[4096];

	while (recv(fd, block, sizeof(block), MSG_DONTWAIT) > 0)
		;
	(void)send(fd, refusal, sizeof(refusal) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static ssize_t receive_bytes(gnutls_transport_ptr_t data, void *bytes, size_t len)
{
	struct dash_tls_socket *socket = data;
	ssize_t got = recv(socket->fd, bytes, len, 0);
	const char *first = bytes;

	if (got <= 0 || socket->has_begun)
		return got;
	socket->has_begun = true;
	/* a record of TLS begins with a control character, a method of HTTP with a letter */
	if (first[0] < 'A' || first[0] > 'Z')
		return got;
	refuse_plain(socket->fd);
	return 0;
}

static ssize_t send_bytes(gnutls_transport_ptr_t data, const void *bytes, size_t len)
{
	const struct dash_tls_socket *socket = data;

	return send(socket->fd, bytes, len, MSG_NOSIGNAL);
}

void dash_tls_attach(struct dash_tls_socket *socket, int fd, gnutls_session_t session)
{
	*socket = (struct dash_tls_socket){ .fd = fd };
	gnutls_transport_set_ptr(session, socket);
	gnutls_transport_set_pull_function(session, receive_bytes);
	gnutls_transport_set_push_function(session, send_bytes);
}
