/*
 * Proxies in the environment. vLLM's client uses them, this one never does. So a run that would use one is refused,
 * because it would measure another path or fail.
 */
#pragma once

#include "base/err.h"
#include "io/sock.h"

#include <stdbool.h>

/*
 * Returns -1 with INVALID if http_proxy, https_proxy or all_proxy (in either case) applies to `host` and no_proxy does
 * not exclude it. `addr`: the resolved address, or NULL. Loopback needs no proxy.
 */
int run_proxy_check(bool https, const char *host, uint16_t port, const struct io_addr *addr,
		    struct pl_err *err) PL_MUST_CHECK;
