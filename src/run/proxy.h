/*
 * Proxies that the environment names. vLLM's client goes through them; this one never does, so a
 * run that would have gone through one is refused instead of measuring another path, or none.
 */
#pragma once

#include "base/err.h"
#include "io/sock.h"

#include <stdbool.h>

/*
 * -1 INVALID where http_proxy, https_proxy or all_proxy (either case) stands for `host` and
 * no_proxy does not except it. `addr`: where the host was found, NULL when it was not. Loopback
 * needs no proxy.
 */
int run_proxy_check(bool https, const char *host, uint16_t port, const struct io_addr *addr,
		    struct pl_err *err) PL_MUST_CHECK;
