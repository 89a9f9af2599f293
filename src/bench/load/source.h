/*
 * The addresses of this host that connections are made from, where the user names them: one address
 * has only so many ports for one server, several have as many each.
 */
#pragma once

#include "base/json.h"
#include "io/sock.h"

#include <stddef.h>

/* `list`: texts that are addresses (they were checked: experiment/check.h); NULL: none. *ret:
 * free(). */
void bench_sources_of(const json_t *list, struct io_addr **ret, size_t *ret_count);
/* -1: some of them are no addresses of this host, or of no use for a server at `target`. */
int bench_sources_check(const struct io_addr *sources, size_t count, const struct io_addr *target,
			struct pl_err *err) PL_MUST_CHECK;
/*
 * The socket's connection will be made from `source`. Its port is chosen by connect(), which may
 * take one that other connections, to other servers, have too.
 */
int bench_source_bind(int fd, const struct io_addr *source, struct pl_err *err) PL_MUST_CHECK;
