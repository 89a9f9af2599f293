#include "bench/load/source.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "base/mem.h"
#include "experiment/values.h"

void bench_sources_of(const json_t *list, struct io_addr **ret, size_t *ret_count)
{
	size_t count = json_array_size(list);

	*ret = count > 0 ? pl_alloc_array(count, sizeof(**ret)) : NULL;
	*ret_count = count;
	for (size_t i = 0; i < count; i++) {
		struct exp_address address;
		bool is_one = exp_address_parse(json_string_value(json_array_get(list, i)),
						&address);
		assert(is_one);
		(void)is_one;
		(*ret)[i] = (struct io_addr){ .len = address.len };
		memcpy(&(*ret)[i].u, &address.addr, address.len);
	}
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
	return pl_err_set(err, PL_ERR_INVALID, "'%s' is not an address of this host: %s", text,
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
				  "source addresses do not apply to a unix socket; remove them");
	for (size_t i = 0; i < count; i++) {
		auto_fd int fd = -1;
		if (sources[i].u.any.sa_family != family) {
			io_addr_text(&sources[i], text, sizeof(text));
			io_addr_text(target, server, sizeof(server));
			*strrchr(text, ':') = '\0';
			return pl_err_set(
				err, PL_ERR_INVALID,
				"'%s' is an address of %s, but the server at '%s' has one of %s",
				text, family_name(sources[i].u.any.sa_family), server,
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
