/* Ranges of IP addresses, such as 10.0.0.0/8 or fd00::/8. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#define IO_ADDRESS_BYTES_MAX 16

struct io_network {
	unsigned char bytes[IO_ADDRESS_BYTES_MAX];
	size_t len;    /* of the address: 4 or 16 bytes */
	unsigned bits; /* of the prefix */
};

/* Parses an address without a port or brackets. Returns its length in bytes; 0: it is not an address. */
size_t io_address_parse(const char *text, unsigned char ret[IO_ADDRESS_BYTES_MAX]);
/* Copies the bytes of a socket's address; an IPv4 address in IPv6 form becomes 4 bytes. Returns 0 for other families. */
size_t io_address_of(const struct sockaddr *addr, unsigned char ret[IO_ADDRESS_BYTES_MAX]);

/* Parses "ADDRESS/BITS". Returns false for another form. */
bool io_network_parse(const char *text, struct io_network *ret);
bool io_network_contains(const struct io_network *network, const unsigned char *address,
			 size_t len);
