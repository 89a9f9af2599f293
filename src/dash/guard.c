#include "dash/guard.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"

#define LOOPBACK_NET 127

static bool is_loopback_v4(struct in_addr addr)
{
	return ntohl(addr.s_addr) >> 24 == LOOPBACK_NET;
}

bool dash_guard_is_loopback(const struct sockaddr *addr)
{
	if (addr->sa_family == AF_INET)
		return is_loopback_v4(((const struct sockaddr_in *)(const void *)addr)->sin_addr);
	return addr->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)addr)->sin6_addr);
}

static bool is_port(const char *text)
{
	int64_t port;

	return text[0] == '\0' || (text[0] == ':' && text[1] >= '0' && text[1] <= '9' &&
				   pl_text_to_i64(text + 1, &port) && port <= UINT16_MAX);
}

static bool is_v6(const char *text, size_t len)
{
	auto_free char *name = pl_strndup(text, len);
	struct in6_addr addr;

	return inet_pton(AF_INET6, name, &addr) == 1 && IN6_IS_ADDR_LOOPBACK(&addr);
}

static bool is_v4(const char *text, size_t len)
{
	auto_free char *name = pl_strndup(text, len);
	struct in_addr addr;

	return inet_pton(AF_INET, name, &addr) == 1 && is_loopback_v4(addr);
}

bool dash_guard_host(const char *host)
{
	if (host == NULL)
		return false;
	if (host[0] == '[') {
		const char *end = strchr(host, ']');
		return end != NULL && is_port(end + 1) && is_v6(host + 1, (size_t)(end - host) - 1);
	}
	size_t len = strcspn(host, ":");

	if (!is_port(host + len))
		return false;
	/* RFC 6761, 6.3: localhost is always the loopback; browsers treat it so */
	return (len == strlen("localhost") && strncasecmp(host, "localhost", len) == 0) ||
	       is_v4(host, len);
}

bool dash_guard_origin(const char *origin, const char *host)
{
	if (origin == NULL)
		return true;
	if (pl_text_starts(origin, "http://"))
		return strcasecmp(origin + strlen("http://"), host) == 0;
	if (pl_text_starts(origin, "https://"))
		return strcasecmp(origin + strlen("https://"), host) == 0;
	return false;
}

bool dash_guard_site(const char *site)
{
	return site == NULL || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
}
