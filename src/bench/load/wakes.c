/*
 * For a thread that slept, the wake-up shows when the first byte arrived: before now by the time
 * that the thread then waited for a CPU, which /proc/thread-self/schedstat counts (its second
 * number), and the duration of a wake-up. The query takes a microsecond and is made only now and
 * then: for short sleeps the last check of the sockets is close enough. It is also made in passes
 * without a sleep, because waiting since the previous query counts against the next wake-up.
 */
#include "bench/load/wakes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/*
 * If the last check of the sockets is more recent, no better bound is needed; this is also the
 * minimum interval of queries.
 */
#define WAKES_SLEEP_NS 500000
/*
 * From a segment's timestamp to the thread's first clock reading, with a free CPU: 15 to 60 us,
 * more after the deeper sleep of an idle one.
 */
#define WAKES_WAKE_NS 100000

/* -1: unknown; a kernel without this counter shows a thread that never ran. */
static int64_t read_delayed_ns(int fd)
{
	char text[96], *rest;
	ssize_t len = fd >= 0 ? pread(fd, text, sizeof(text) - 1, 0) : -1;

	if (len <= 0)
		return -1;
	text[len] = '\0';
	strtoll(text, &rest, 10);
	int64_t delayed_ns = strtoll(rest, &rest, 10);
	return strtoll(rest, NULL, 10) > 0 ? delayed_ns : -1;
}

void bench_wakes_open(struct bench_wakes *wakes)
{
	*wakes = (struct bench_wakes){
		.fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC),
	};
	wakes->delayed_ns = read_delayed_ns(wakes->fd);
	if (wakes->delayed_ns < 0)
		pl_fd_close(&wakes->fd);
}

void bench_wakes_close(struct bench_wakes *wakes)
{
	pl_fd_close(&wakes->fd);
}

/* All delays since the previous query may belong to this wake-up. */
static int64_t woken_ns(struct bench_wakes *wakes, int64_t now_ns)
{
	int64_t delayed_ns = read_delayed_ns(wakes->fd);

	if (delayed_ns < wakes->delayed_ns)
		return INT64_MIN;
	wakes->late_ns = delayed_ns - wakes->delayed_ns;
	wakes->delayed_ns = delayed_ns;
	wakes->request_ns = now_ns;
	return now_ns - wakes->late_ns - WAKES_WAKE_NS;
}

/*
 * If the thread waits for a CPU after it checked the sockets and before it read the clock, the
 * check looks later than it was by that time. So the waiting time since the query before the last
 * one is subtracted, because the check was in between.
 */
static void begin_pass(struct bench_wakes *wakes, const struct io_loop *loop, int64_t now_ns)
{
	int64_t sure_ns = io_loop_sure_idle_ns(loop);
	int64_t since_ns = io_loop_idle_ns(loop) - wakes->late_ns;
	int64_t woken = INT64_MIN;

	/* waiting after the check is unknown */
	if (wakes->fd < 0)
		since_ns = sure_ns;
	if (wakes->fd >= 0 && now_ns - wakes->request_ns >= WAKES_SLEEP_NS) {
		woken = woken_ns(wakes, now_ns);
		since_ns -= wakes->late_ns;
	}
	/* a wait for a CPU alone is not a sleep, and does not show the arrival of a first byte */
	if (io_loop_waited_ns(loop) - wakes->late_ns > WAKES_SLEEP_NS && woken > since_ns)
		since_ns = woken;
	wakes->held_up = false;
	wakes->pass_ns = now_ns;
	wakes->since_ns = since_ns > sure_ns ? since_ns : sure_ns;
}

int64_t bench_wakes_since(struct bench_wakes *wakes, const struct io_loop *loop, int64_t t_ns,
			  int64_t *ret_sure_ns)
{
	int64_t now_ns = io_loop_now_ns(loop);

	if (wakes->pass_ns != now_ns)
		begin_pass(wakes, loop, now_ns);
	if (t_ns < wakes->since_ns - WAKES_WAKE_NS)
		wakes->held_up = true;
	*ret_sure_ns = wakes->held_up ? io_loop_sure_idle_ns(loop) : wakes->since_ns;
	if (!wakes->held_up)
		return wakes->since_ns;
	int64_t close_ns = t_ns - (now_ns > t_ns ? now_ns - t_ns : 0) - WAKES_WAKE_NS;
	if (close_ns > wakes->since_ns)
		close_ns = wakes->since_ns;
	return close_ns > *ret_sure_ns ? close_ns : *ret_sure_ns;
}
