#include "dash/observe/alive.h"

#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

static _Thread_local int own_slot = -1;

void dash_alive_enter(struct dash_alive *alive)
{
	if (own_slot < 0)
		own_slot = atomic_fetch_add(&alive->count, 1);
	if (own_slot < DASH_ALIVE_THREADS_MAX)
		atomic_store_explicit(&alive->entered_ns[own_slot], pl_clock_now_ns(),
				      memory_order_relaxed);
}

void dash_alive_leave(struct dash_alive *alive)
{
	if (own_slot < DASH_ALIVE_THREADS_MAX)
		atomic_store_explicit(&alive->entered_ns[own_slot], 0, memory_order_relaxed);
}

bool dash_alive_moves(const struct dash_alive *alive, int64_t max_ns)
{
	int64_t now_ns = pl_clock_now_ns();

	for (size_t i = 0; i < DASH_ALIVE_THREADS_MAX; i++) {
		int64_t entered_ns = atomic_load_explicit(&alive->entered_ns[i],
							  memory_order_relaxed);
		if (entered_ns != 0 && now_ns - entered_ns > max_ns)
			return false;
	}
	return true;
}

/* Waits for an event until end_ns. */
static bool wait_for(int fd, short events, int64_t end_ns)
{
	struct pollfd peer = { .fd = fd, .events = events };
	int64_t left_ns = end_ns - pl_clock_now_ns();

	return left_ns > 0 && poll(&peer, 1, (int)(left_ns / PL_NS_PER_MS) + 1) > 0;
}

bool dash_alive_probe(const struct io_addr *addr, int64_t max_ns)
{
	int64_t end_ns = pl_clock_now_ns() + max_ns;
	auto_fd int fd = -1;
	char byte;

	if (io_sock_new(addr, &fd, PL_ERR_IGNORED) < 0 ||
	    io_sock_connect_begin(fd, addr, PL_ERR_IGNORED) < 0 || !wait_for(fd, POLLOUT, end_ns) ||
	    io_sock_connect_result(fd) != 0 || shutdown(fd, SHUT_WR) < 0)
		return false;
	/* the end, or the alert of a TLS server */
	return wait_for(fd, POLLIN, end_ns) && read(fd, &byte, 1) >= 0;
}
