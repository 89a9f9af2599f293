#include "io/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define MAPPED_BYTES 12 /* ::ffff: before an IPv4 address */

size_t io_address_parse(const char *text, unsigned char ret[IO_ADDRESS_BYTES_MAX])
{
	if (inet_pton(AF_INET, text, ret) == 1)
		return 4;
	return inet_pton(AF_INET6, text, ret) == 1 ? 16 : 0;
}

size_t io_address_of(const struct sockaddr *addr, unsigned char ret[IO_ADDRESS_BYTES_MAX])
{
	if (addr != NULL && addr->sa_family == AF_INET) {
		memcpy(ret, &((const struct sockaddr_in *)(const void *)addr)->sin_addr, 4);
		return 4;
	}
	if (addr == NULL || addr->sa_family != AF_INET6)
		return 0;
	const struct in6_addr *v6 = &((const struct sockaddr_in6 *)(const void *)addr)->sin6_addr;
	if (IN6_IS_ADDR_V4MAPPED(v6)) {
		memcpy(ret, v6->s6_addr + MAPPED_BYTES, 4);
		return 4;
	}
	memcpy(ret, v6, 16);
	return 16;
}

bool io_network_parse(const char *text, struct io_network *ret)
{
	struct io_network network = { 0 };
	const char *slash = strchr(text, '/');
	int64_t bits = 0;

	if (slash == NULL || !pl_text_to_i64(slash + 1, &bits))
		return false;
	auto_free char *address = pl_strndup(text, (size_t)(slash - text));
	network.len = io_address_parse(address, network.bytes);
	if (network.len == 0 || bits < 0 || bits > (int64_t)network.len * 8)
		return false;
	network.bits = (unsigned)bits;
	*ret = network;
	return true;
}

bool io_network_contains(const struct io_network *network, const unsigned char *address, size_t len)
{
	size_t whole = network->bits / 8;
	unsigned rest = network->bits % 8;

	return len == network->len && memcmp(address, network->bytes, whole) == 0 &&
	       (rest == 0 || ((address[whole] ^ network->bytes[whole]) >> (8 - rest)) == 0);
}
