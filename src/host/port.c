#include "host/port.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/sock.h"

/* With SO_REUSEADDR: ports in TIME_WAIT are free. */
static int bind_port(const char *host, uint16_t port, int *ret_fd, struct pl_err *err)
{
	struct io_addr addr;
	int on = 1;

	if (io_addr_resolve(host, port, &addr, err) < 0)
		return -1;
	auto_fd int fd = socket(addr.u.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return pl_err_errno(err, "cannot make a socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* two bound sockets with SO_REUSEADDR do not see each other until one listens */
	if (bind(fd, &addr.u.any, addr.len) < 0 || listen(fd, 1) < 0) {
		int code = errno;
		pl_err_errno(err, "port '%u' of '%s' cannot be used", port, host);
		if (code == EADDRINUSE)
			err->code = PL_ERR_BUSY;
		return -1;
	}
	*ret_fd = fd;
	fd = -1;
	return 0;
}

int host_port_take(const char *host, uint16_t fixed, uint16_t *ret_port, int *ret_fd,
		   struct pl_err *err)
{
	const unsigned span = HOST_PORT_LAST - HOST_PORT_FIRST + 1;
	unsigned start = 0;

	if (fixed != 0) {
		if (bind_port(host, fixed, ret_fd, err) < 0)
			return -1;
		*ret_port = fixed;
		return 0;
	}
	if (getrandom(&start, sizeof(start), 0) < 0)
		start = (unsigned)getpid();
	for (unsigned i = 0; i < span; i++) {
		uint16_t port = (uint16_t)(HOST_PORT_FIRST + (start % span + i) % span);
		if (bind_port(host, port, ret_fd, err) == 0) {
			*ret_port = port;
			return 0;
		}
		if (err->code != PL_ERR_BUSY)
			return -1;
	}
	return pl_err_set(err, PL_ERR_BUSY, "no free port from %d to %d on '%s'", HOST_PORT_FIRST,
			  HOST_PORT_LAST, host);
}
