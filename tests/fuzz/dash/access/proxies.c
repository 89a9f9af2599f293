/*
 * Reads any two lines as X-Forwarded-For and groups from a trusted proxy: the client has an address, which is that of the
 * peer or untrusted unless the list ends, and the role exists. From another peer, the list changes nothing.
 */
#include "dash/access/proxies.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static struct dash_proxies *open_proxies(void)
{
	static const char *networks[] = { "127.0.0.0/8", "fd00::/8" },
			  *roles[] = { "dev=write", "*=read" };
	struct pl_opt_list network_list = { .items = networks, .count = PL_ARRAY_SIZE(networks) };
	struct pl_opt_list role_list = { .items = roles, .count = PL_ARRAY_SIZE(roles) };
	struct dash_proxies *proxies = NULL;

	must(dash_proxies_open(&(struct dash_proxies_options){ .networks = &network_list,
							       .user_header = "X-User",
							       .groups_header = "X-Groups",
							       .roles = &role_list },
			       &proxies, PL_ERR_IGNORED) == 0);
	return proxies;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_proxies *proxies = open_proxies();
	auto_free char *text = pl_strndup((const char *)data, size);
	char *groups = strchr(text, '\n');
	struct sockaddr_in peer = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	if (groups != NULL)
		*groups++ = '\0';
	struct io_addr client = dash_proxies_client(proxies, (const void *)&peer, text);
	must(client.len == sizeof(client.u.v4) || client.len == sizeof(client.u.v6));
	enum dash_role role = dash_proxies_role(proxies, groups);
	must(role == DASH_ROLE_READ || role == DASH_ROLE_WRITE);
	peer.sin_addr.s_addr = htonl(0x0a000001);
	client = dash_proxies_client(proxies, (const void *)&peer, text);
	must(memcmp(&client.u.v4.sin_addr, &peer.sin_addr, sizeof(peer.sin_addr)) == 0);
	return 0;
}
