/*
 * Detects a proxy in the environment. With a proxy, the run would measure another path than the user's other tools
 * take, so it does not start. Loopback never uses a proxy. An exception is a domain with its subdomains, an address or
 * a network, each with or without a port.
 */
#include "run/proxy.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "io/network.h"

#define HOST_BYTES_MAX 256

/* Returns the first variable that is not empty; NULL: none. */
static const char *first_set(const char *const *names)
{
	for (; *names != NULL; names++) {
		const char *value = getenv(*names);
		if (value != NULL && value[0] != '\0')
			return *names;
	}
	return NULL;
}

/* "[::1]" becomes "::1". */
static void bare_host(const char *host, char ret[HOST_BYTES_MAX])
{
	size_t len = strlen(host);
	bool bracketed = len >= 2 && host[0] == '[' && host[len - 1] == ']';

	if (bracketed) {
		host++;
		len -= 2;
	}
	if (len > 1 && host[len - 1] == '.')
		len--;
	if (len >= HOST_BYTES_MAX)
		len = HOST_BYTES_MAX - 1;
	memcpy(ret, host, len);
	ret[len] = '\0';
}

/* Returns whether `host` is an address within "10.0.0.0/8", "fd00::/8". */
static bool is_within(const char *host, const char *text)
{
	unsigned char address[IO_ADDRESS_BYTES_MAX];
	struct io_network network;

	return io_network_parse(text, &network) &&
	       io_network_contains(&network, address, io_address_parse(host, address));
}

/* Removes and returns the port at the end of a name, ":8000"; for an IPv6 address only after brackets. 0: any port. */
static int64_t cut_port(char *item)
{
	char *colon = strrchr(item, ':');
	int64_t port = 0;

	if (colon == NULL || (item[0] != '[' && strchr(item, ':') != colon) ||
	    !pl_text_to_i64(colon + 1, &port))
		return 0;
	*colon = '\0';
	return port;
}

/*
 * Evaluates one item of no_proxy: "*", a domain with its subdomains, an address, a network; each except * optionally
 * with a port.
 */
static bool item_excepts(char *item, const char *host, uint16_t port)
{
	char name[HOST_BYTES_MAX];

	if (pl_text_equal(item, "*") || is_within(host, item))
		return true;
	int64_t only = cut_port(item);
	if (only != 0 && only != port)
		return false;
	item += item[0] == '*' && item[1] == '.';
	item += item[0] == '.';
	bare_host(item, name);
	size_t len = strlen(name), host_len = strlen(host);
	if (len == 0 || len > host_len || strcasecmp(host + host_len - len, name) != 0)
		return false;
	return len == host_len || host[host_len - len - 1] == '.';
}

static bool is_excepted(const char *host, uint16_t port)
{
	static const char *const names[] = { "no_proxy", "NO_PROXY", NULL };
	const char *name = first_set(names);
	auto_free char *list = name != NULL ? pl_strdup(getenv(name)) : NULL;
	char *rest = NULL;

	for (char *item = list != NULL ? strtok_r(list, ", \t", &rest) : NULL; item != NULL;
	     item = strtok_r(NULL, ", \t", &rest)) {
		if (item_excepts(item, host, port))
			return true;
	}
	return false;
}

static bool is_loopback(const char *host, const struct io_addr *addr)
{
	if (strcasecmp(host, "localhost") == 0)
		return true;
	if (addr == NULL)
		return false;
	if (addr->u.any.sa_family == AF_INET)
		return ntohl(addr->u.v4.sin_addr.s_addr) >> 24 == 127;
	return addr->u.any.sa_family == AF_UNIX ||
	       (addr->u.any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&addr->u.v6.sin6_addr));
}

int run_proxy_check(bool https, const char *host, uint16_t port, const struct io_addr *addr,
		    struct pl_err *err)
{
	static const char *const plain[] = { "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY",
					     NULL };
	static const char *const secure[] = { "https_proxy", "HTTPS_PROXY", "all_proxy",
					      "ALL_PROXY", NULL };
	const char *name = first_set(https ? secure : plain);
	char bare[HOST_BYTES_MAX];

	bare_host(host, bare);
	if (name == NULL || is_loopback(bare, addr) || is_excepted(bare, port))
		return 0;
	/* the value may contain a password */
	return pl_err_invalid(err,
			      "$%s names a proxy for '%s', but profllm does not use proxies; unset "
			      "it, or add the host to $no_proxy",
			      name, bare);
}
