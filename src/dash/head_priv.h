/* Converts the header of a request from the form of the HTTP library, and refuses invalid ones. Part of server.c. */
#pragma once

#include <microhttpd.h>

#include "dash/routes.h"

#define DASH_HEAD_BYTES_MAX 65536
#define DASH_ADDRESS_BYTES  64 /* of an IPv6 address with its port */

struct dash_answer;
struct dash_hosts;
struct dash_target;

/* How a connection reaches the server; all borrowed. */
struct dash_head_options {
	const struct dash_hosts *hosts; /* that Host may name besides the loopback, or NULL */
	struct dash_proxies *proxies;   /* that are trusted, or NULL */
	bool is_secure;                 /* the connection uses TLS */
};

/*
 * `text`: the target as received. The head borrows everything, from the connection while its request exists. Returns
 * false if refused, with the reason in the response.
 */
bool dash_head_read(struct MHD_Connection *connection, const struct dash_head_options *options,
		    const char *method, const char *text, struct dash_target *target,
		    struct dash_head *ret, struct dash_answer *answer);
/*
 * Writes the id of the request: X-Request-Id if it has 1 to 64 letters, digits, "-", "_", "." and ":", otherwise a new one
 * of 16 hexadecimal digits.
 */
void dash_head_request_id(struct MHD_Connection *connection, char ret[DASH_REQUEST_ID_BYTES]);
/* Returns the length of the body; 0: none, UINT64_MAX: chunked. */
uint64_t dash_head_body_length(struct MHD_Connection *connection);
/* Returns whether the client waits for "100 Continue" before it sends its body. */
bool dash_head_awaits(struct MHD_Connection *connection);
/* Writes the address of the connection; "unix" for a Unix socket. */
void dash_head_address(struct MHD_Connection *connection, char ret[DASH_ADDRESS_BYTES]);
/* Writes the address of the client that a proxy has named, which has no port. */
void dash_head_client(const struct dash_head *head, char ret[DASH_ADDRESS_BYTES]);
