/*
 * TCP ports for servers: outside the kernel's range for outgoing connections, tried by bind().
 */
#ifndef HOST_PORT_H
#define HOST_PORT_H

#include "base/err.h"

#include <stdint.h>

#define HOST_PORT_FIRST 20000
#define HOST_PORT_LAST  29999

/*
 * A port of `host` that nobody listens on. `fixed` 0: any of the range, else that one; taken: BUSY.
 * It is held by *ret_fd until the caller closes that, just before the server starts.
 */
int host_port_take(const char *host, uint16_t fixed, uint16_t *ret_port, int *ret_fd,
		   struct pl_err *err) PL_MUST_CHECK;

#endif
