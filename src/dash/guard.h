/*
 * Who may ask. Nobody from outside reaches a loopback address, but a page of any site that the user's
 * browser shows can have it ask there:
 *
 * - by a name of that site that suddenly means 127.0.0.1 (DNS rebinding): Host tells the name, and
 *   only the loopback's own names are taken;
 * - by a form or a script of that site (CSRF): Origin tells whence, and changes are taken from the very
 *   host and port that were asked, or from what sends no Origin (no browser does that in a POST).
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

/* "localhost", "127.0.0.1:8421", "[::1]:8421"; any port: a tunnel's may be another. NULL: no. */
bool dash_guard_host(const char *host);
/* Is the origin that of the host, by http or https? NULL: there is none. */
bool dash_guard_origin(const char *origin, const char *host);
/* Returns whether a request with this Sec-Fetch-Site header may change something: "same-origin" (a
 * page of ours), "none" (the user) or NULL (no browser). */
bool dash_guard_site(const char *site);
bool dash_guard_is_loopback(const struct sockaddr *addr);
