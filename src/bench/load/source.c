#include "bench/load/source.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#define KEY "benchmark.source_addresses"

/* "10.0.0.2", "::1", "[::1]", "fe80::1%eth0" and no names, which may stand for several. */
static int parse_one(const char *text, struct io_addr *ret, struct pl_err *err)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
					.ai_family = AF_UNSPEC,
					.ai_flags = AI_NUMERICHOST };
	struct addrinfo *found = NULL;
	size_t len = strlen(text);
	bool bracketed = len > 2 && text[0] == '[' && text[len - 1] == ']';
	auto_free char *bare = bracketed ? pl_strndup(text + 1, len - 2) : pl_strdup(text);

	if (bare[0] == '\0' || getaddrinfo(bare, NULL, &hints, &found) != 0)
		return pl_err_set(err, PL_ERR_INVALID,
				  KEY ": found '%s', expected an IPv4 or IPv6 address", text);
	*ret = (struct io_addr){ .len = found->ai_addrlen };
	memcpy(&ret->u, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return 0;
}

bool bench_source_is_address(const char *text)
{
	struct pl_err ignored = PL_ERR_INIT;
	struct io_addr addr;

	return parse_one(text, &addr, &ignored) == 0;
}

static bool is_any(const struct io_addr *addr)
{
	if (addr->u.any.sa_family == AF_INET)
		return addr->u.v4.sin_addr.s_addr == htonl(INADDR_ANY);
	return IN6_IS_ADDR_UNSPECIFIED(&addr->u.v6.sin6_addr);
}

static int add(struct io_addr *list, size_t *count, const char *text, struct pl_err *err)
{
	struct io_addr *addr = &list[*count];

	if (parse_one(text, addr, err) < 0)
		return -1;
	if (is_any(addr))
		return pl_err_set(err, PL_ERR_INVALID,
				  KEY ": found '%s', which stands for any address, expected one",
				  text);
	for (size_t i = 0; i < *count; i++) {
		if (list[i].len == addr->len && memcmp(&list[i].u, &addr->u, addr->len) == 0)
			return pl_err_set(err, PL_ERR_INVALID, KEY ": '%s' is named twice", text);
	}
	(*count)++;
	return 0;
}

int bench_sources_parse(const json_t *list, struct io_addr **ret, size_t *ret_count,
			struct pl_err *err)
{
	auto_free struct io_addr *addrs = NULL;
	size_t count = 0, i;
	json_t *item;

	if (json_array_size(list) > 0)
		addrs = pl_alloc_array(json_array_size(list), sizeof(*addrs));
	json_array_foreach((json_t *)list, i, item)
	{
		const char *text = json_string_value(item);
		if (add(addrs, &count, text != NULL ? text : "", err) < 0)
			return -1;
	}
	*ret = pl_take(addrs);
	*ret_count = count;
	return 0;
}

int bench_source_bind(int fd, const struct io_addr *source, struct pl_err *err)
{
	char text[160];
	int on = 1;

	/*
	 * Without it (Linux before 4.2) bind() takes a port that no other socket of that address
	 * has, whomever it talks to: the range would then be shared with connections to all other
	 * servers. Also right for IPv6 sockets.
	 */
	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
	if (bind(fd, &source->u.any, source->len) == 0)
		return 0;
	int saved = errno;
	io_addr_text(source, text, sizeof(text));
	/* without the port, which is 0 */
	*strrchr(text, ':') = '\0';
	return pl_err_set(err, PL_ERR_INVALID, KEY ": '%s' is no address of this host: %s", text,
			  strerror(saved));
}

static const char *family_name(int family)
{
	return family == AF_INET ? "IPv4" : "IPv6";
}

int bench_sources_check(const struct io_addr *sources, size_t count, const struct io_addr *target,
			struct pl_err *err)
{
	int family = target->u.any.sa_family;
	char text[160], server[160];

	if (count > 0 && family == AF_UNIX)
		return pl_err_set(err, PL_ERR_INVALID,
				  KEY ": the server is reached over a unix socket, which knows no "
				      "addresses: leave it out");
	for (size_t i = 0; i < count; i++) {
		auto_fd int fd = -1;
		if (sources[i].u.any.sa_family != family) {
			io_addr_text(&sources[i], text, sizeof(text));
			io_addr_text(target, server, sizeof(server));
			*strrchr(text, ':') = '\0';
			return pl_err_set(err, PL_ERR_INVALID,
					  KEY ": '%s' is of %s, and the server at '%s' of %s", text,
					  family_name(sources[i].u.any.sa_family), server,
					  family_name(family));
		}
		/*
		 * Whether an address is ours only bind() knows (containers, ip_nonlocal_bind,
		 * anycast).
		 */
		if (io_sock_new(&sources[i], &fd, err) < 0 ||
		    bench_source_bind(fd, &sources[i], err) < 0)
			return -1;
	}
	return 0;
}
