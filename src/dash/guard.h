/*
 * Decides which requests are allowed. Other hosts cannot reach a loopback address, but any web page in the user's
 * browser can make it send requests there:
 * - through a name of its site that suddenly resolves to 127.0.0.1 (DNS rebinding): so only the loopback's own names,
 *   and those of --allow-host, are allowed in Host;
 * - through a form or a script of its site (CSRF): so changes are only allowed if Origin is the host and port of the
 *   request, or without an Origin (browsers always send it with a POST).
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/*
 * "localhost", "127.0.0.1:8421", "[::1]:8421", with any port, because a tunnel may use another one. NULL is not
 * allowed.
 */
bool dash_guard_host(const char *host);
/* What Host may name besides the loopback, if the server listens on other addresses. */
struct dash_hosts {
	const char *const *names; /* of --allow-host, without a port; borrowed */
	size_t count;
	/*
	 * any IP address: a browser that names one is connected to it, so no other site can have a page with this
	 * origin
	 */
	bool takes_addresses;
};
/* The same as dash_guard_host(), and with any port: a listed name, ignoring case, or an address. NULL: none. */
bool dash_guard_host_of(const struct dash_hosts *hosts, const char *host);
/* Returns whether a name has the form of a host name or address without a port. */
bool dash_guard_is_name(const char *name);
/*
 * Returns whether the origin is that of the host: by https, or by http if the request is not secure. A proxy may have
 * received an insecure request by https. NULL, no origin, is allowed.
 */
bool dash_guard_origin(const char *origin, const char *host, bool is_secure);
/*
 * Returns whether a request with this Sec-Fetch-Site header may change something: "same-origin" (our web UI), "none"
 * (the user) or NULL (no browser).
 */
bool dash_guard_site(const char *site);
bool dash_guard_is_loopback(const struct sockaddr *addr);
