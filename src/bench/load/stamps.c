#include "bench/load/stamps.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "io/sock.h"

/*
 * Number of tries, a millisecond apart, until the kernel delivers timestamps. It patches its code
 * when the first socket requests them (net_enable_timestamp() in net/core/dev.c), in a work item
 * that runs a moment later.
 */
#define SWITCH_TRIES 50
/*
 * A read this long after its timestamp is rare: the clock offset is sampled again before the value
 * is used.
 */
#define LATE_NS (50 * PL_NS_PER_MS)

/* Opens both ends of a local connection. */
static int open_pair(int ends[2], struct pl_err *err)
{
	auto_fd int listener = -1;
	struct io_addr addr;

	if (io_addr_resolve("127.0.0.1", 0, &addr, err) < 0 ||
	    io_sock_listen(&addr, 1, &listener, err) < 0 ||
	    io_sock_local(listener, &addr, err) < 0 || io_sock_connect(&addr, &ends[0], err) < 0)
		return -1;
	struct pollfd waits = { .fd = listener, .events = POLLIN };
	if (poll(&waits, 1, 1000) == 1)
		ends[1] = io_sock_accept(listener);
	return ends[1] < 0 ? -1 : 0;
}

int bench_stamps_switch_on(void)
{
	struct pl_err err = PL_ERR_INIT;
	int ends[2] = { -1, -1 };
	int64_t stamp_ns = 0;
	bool works = open_pair(ends, &err) == 0;

	for (int i = 0; works && stamp_ns == 0 && i < SWITCH_TRIES; i++) {
		struct pollfd waits = { .fd = ends[0], .events = POLLIN };
		char byte = 0;
		if (i > 0)
			pl_clock_sleep_until(pl_clock_now_ns() + PL_NS_PER_MS);
		works = write(ends[1], &byte, 1) == 1 && poll(&waits, 1, 1000) == 1 &&
			io_sock_recv(ends[0], &byte, 1, &stamp_ns) == 1;
	}
	if (ends[1] >= 0)
		close(ends[1]);
	return ends[0];
}

void bench_stamps_init(struct bench_stamps *stamps, size_t queueing_room)
{
	*stamps = (struct bench_stamps){ .stride = 1, .queueing_room = queueing_room };
	stamps->queueing_ms = pl_alloc_array(queueing_room, sizeof(*stamps->queueing_ms));
	stamps->first_offset_ns = pl_clock_offset_ns();
	stamps->offset_ns = stamps->first_offset_ns;
}

void bench_stamps_done(struct bench_stamps *stamps)
{
	free(stamps->queueing_ms);
	stamps->queueing_ms = NULL;
}

/*
 * NTP slewing moves both clocks equally; only a step of the wall clock changes their offset. The
 * largest change is reported (quality check clock_step) and widens client errors.
 */
void bench_stamps_sample(struct bench_stamps *stamps)
{
	int64_t before_ns = stamps->offset_ns;

	stamps->offset_ns = pl_clock_offset_ns();
	/* there and back again is twice as far as either */
	int64_t since_first = stamps->offset_ns - stamps->first_offset_ns;
	int64_t since_last = stamps->offset_ns - before_ns;
	int64_t step = llabs(since_last) > llabs(since_first) ? since_last : since_first;
	if (llabs(step) > llabs(stamps->step_ns))
		stamps->step_ns = step;
}

/*
 * Stores every stride-th value; when the array is full, drops every second one and doubles the
 * stride.
 */
static void keep(struct bench_stamps *stamps, int64_t late_ns)
{
	if (stamps->skip > 0) {
		stamps->skip--;
		return;
	}
	if (stamps->queueing_count == stamps->queueing_room) {
		size_t half = stamps->queueing_count / 2;
		for (size_t i = 0; i < half; i++)
			stamps->queueing_ms[i] = stamps->queueing_ms[2 * i];
		stamps->queueing_count = half;
		stamps->stride *= 2;
	}
	stamps->queueing_ms[stamps->queueing_count++] = (double)late_ns / PL_NS_PER_MS;
	stamps->skip = stamps->stride - 1;
}

int64_t bench_stamps_monotonic(const struct bench_stamps *stamps, int64_t real_ns)
{
	return real_ns - stamps->offset_ns;
}

static bool is_plausible(int64_t t_ns, int64_t user_ns)
{
	return t_ns <= user_ns && user_ns - t_ns < LATE_NS;
}

int64_t bench_stamps_of(struct bench_stamps *stamps, int64_t stamp_real_ns, int64_t user_ns,
			bool *ret_kernel)
{
	*ret_kernel = false;
	if (stamp_real_ns == 0)
		return user_ns;
	int64_t t_ns = bench_stamps_monotonic(stamps, stamp_real_ns);
	/* read before it came, or long after: the wall clock may have been set since the last sample */
	if (!is_plausible(t_ns, user_ns)) {
		bench_stamps_sample(stamps);
		t_ns = bench_stamps_monotonic(stamps, stamp_real_ns);
	}
	/* after a step, a stamp from before it cannot be distinguished from a late read */
	if (t_ns > user_ns || (!is_plausible(t_ns, user_ns) && llabs(stamps->step_ns) >= LATE_NS))
		return user_ns;
	*ret_kernel = true;
	keep(stamps, user_ns - t_ns);
	return t_ns;
}
