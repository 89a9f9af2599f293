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

static bool is_address(const char *text, size_t len)
{
	auto_free char *name = pl_strndup(text, len);
	struct in_addr v4;

	return inet_pton(AF_INET, name, &v4) == 1;
}

static bool is_address_v6(const char *text, size_t len)
{
	auto_free char *name = pl_strndup(text, len);
	struct in6_addr v6;

	return inet_pton(AF_INET6, name, &v6) == 1;
}

/* Returns the length of the host without its port; 0: malformed. */
static size_t name_len(const char *host)
{
	size_t len = strcspn(host, ":");
	const char *end = strchr(host, ']');

	if (host[0] == '[')
		len = end != NULL ? (size_t)(end - host) + 1 : 0;
	return len > 0 && is_port(host + len) ? len : 0;
}

bool dash_guard_host_of(const struct dash_hosts *hosts, const char *host)
{
	if (dash_guard_host(host))
		return true;
	size_t len = hosts != NULL && host != NULL ? name_len(host) : 0;
	if (len == 0)
		return false;
	for (size_t i = 0; i < hosts->count; i++) {
		if (strlen(hosts->names[i]) == len && strncasecmp(hosts->names[i], host, len) == 0)
			return true;
	}
	return hosts->takes_addresses &&
	       (host[0] == '[' ? is_address_v6(host + 1, len - 2) : is_address(host, len));
}

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"

bool dash_guard_is_name(const char *name)
{
	size_t len = strlen(name);

	if (name[0] == '[')
		return len > 2 && name[len - 1] == ']' && is_address_v6(name + 1, len - 2);
	return len > 0 && len <= 253 && strspn(name, NAME_CHARS) == len;
}

bool dash_guard_origin(const char *origin, const char *host, bool is_secure)
{
	if (origin == NULL)
		return true;
	if (!is_secure && pl_text_starts(origin, "http://"))
		return strcasecmp(origin + strlen("http://"), host) == 0;
	if (pl_text_starts(origin, "https://"))
		return strcasecmp(origin + strlen("https://"), host) == 0;
	return false;
}

bool dash_guard_site(const char *site)
{
	return site == NULL || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
}
