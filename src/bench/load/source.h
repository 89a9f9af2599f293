/*
 * The source addresses of connections, if the user sets them: one address has a limited number of
 * ports per server, several addresses multiply it.
 */
#pragma once

#include "base/json.h"
#include "io/sock.h"

#include <stddef.h>

/*
 * Parses `list`, an array of addresses (validated by experiment/check.h); NULL: none. Free *ret
 * with free().
 */
void bench_sources_of(const json_t *list, struct io_addr **ret, size_t *ret_count);
/*
 * Returns -1 if some of them are not addresses of this host or cannot reach a server at `target`.
 */
int bench_sources_check(const struct io_addr *sources, size_t count, const struct io_addr *target,
			struct pl_err *err) PL_MUST_CHECK;
/*
 * Binds the socket to `source`. connect() chooses the port, which connections to other servers may
 * also use.
 */
int bench_source_bind(int fd, const struct io_addr *source, struct pl_err *err) PL_MUST_CHECK;
