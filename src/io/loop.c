#include "io/loop.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/epoll.h"

/*
 * Events fetched by one wait. More than that are ready only under a load at which the next wait
 * returns at once anyway.
 */
#define BATCH_MAX 256
/* Maximum time between the kernel's check for events and our reading of the clock afterwards. */
#define LOOK_NS 20000

/* `order` numbers the starts, so that timers due at the same time fire first come, first served. */
struct heap_entry {
	int64_t due_ns;
	uint64_t order;
	struct io_timer *timer;
};

struct loop_post {
	io_post_fn *fn;
	void *data;
};

struct post_list {
	struct loop_post *items;
	size_t count;
	size_t room;
};

/*
 * One pass, as io_loop_step() makes it:
 *
 *    epoll_pwait2 ──> now_ns ──> callbacks of events ──> posts ──> timers that are due
 *    (until the first timer)     in the kernel's order   in order  by due time, then by start
 *
 * Events come before timers: bytes that came in time are read before the timeout that they would
 * have prevented.
 */
struct io_loop {
	int epoll_fd;
	int wake_fd;
	int64_t now_ns;
	int64_t looked_ns; /* the last check that saw all ready events */
	/* the check before it: the events of this pass arrived after that */
	int64_t idle_ns;
	/* time before that check was requested, which may have slept first */
	int64_t sure_looked_ns;
	int64_t sure_idle_ns;
	int64_t waited_ns;
	bool no_pwait2; /* the kernel has epoll_wait() only: whole milliseconds */
	bool firing;

	struct heap_entry *heap; /* heap[0] is not used: children of i are 2i and 2i + 1 */
	size_t heap_count;
	size_t heap_room;
	uint64_t starts;

	/*
	 * events fetched by the current pass; a NULL pointer is an event of a watch stopped since
	 */
	struct epoll_event batch[BATCH_MAX];
	int batch_count;
	int batch_at;

	atomic_bool stop;
	pthread_mutex_t lock; /* over `posts`, the only thing threads share */
	struct post_list posts;
	struct post_list running;
};

static bool entry_before(const struct heap_entry *a, const struct heap_entry *b)
{
	if (a->due_ns != b->due_ns)
		return a->due_ns < b->due_ns;
	return a->order < b->order;
}

/* The timer stores its position, so stopping one costs log n without a search. */
static void heap_put(struct io_loop *loop, size_t at, struct heap_entry entry)
{
	loop->heap[at] = entry;
	entry.timer->heap_index = at;
}

/* Finds the place of `entry` from the hole at `at`. */
static void heap_settle(struct io_loop *loop, size_t at, struct heap_entry entry)
{
	while (at > 1 && entry_before(&entry, &loop->heap[at / 2])) {
		heap_put(loop, at, loop->heap[at / 2]);
		at /= 2;
	}
	for (;;) {
		size_t child = 2 * at;
		if (child > loop->heap_count)
			break;
		if (child < loop->heap_count &&
		    entry_before(&loop->heap[child + 1], &loop->heap[child]))
			child++;
		if (!entry_before(&loop->heap[child], &entry))
			break;
		heap_put(loop, at, loop->heap[child]);
		at = child;
	}
	heap_put(loop, at, entry);
}

/*
 * The last entry fills the hole; it may have to go up or down from there, so both ways are tried.
 */
void io_timer_stop(struct io_loop *loop, struct io_timer *timer)
{
	size_t at = timer->heap_index;

	if (at == 0)
		return;
	assert(at <= loop->heap_count && loop->heap[at].timer == timer);
	timer->heap_index = 0;
	struct heap_entry last = loop->heap[loop->heap_count--];
	if (at <= loop->heap_count)
		heap_settle(loop, at, last);
}

void io_timer_start(struct io_loop *loop, struct io_timer *timer, int64_t due_ns)
{
	io_timer_stop(loop, timer);
	pl_grow((void **)&loop->heap, &loop->heap_room, loop->heap_count + 2, sizeof(*loop->heap));
	timer->due_ns = due_ns;
	/* a callback that starts timers in the past must not starve the others */
	if (loop->firing && due_ns < loop->now_ns)
		due_ns = loop->now_ns;
	struct heap_entry entry = { .due_ns = due_ns, .order = loop->starts++, .timer = timer };
	loop->heap_count++;
	heap_settle(loop, loop->heap_count, entry);
}

static void wake(struct io_loop *loop)
{
	uint64_t one = 1;

	/* EAGAIN means that the counter is full of wake-ups: enough of them */
	while (write(loop->wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/*
 * Takes the list under the lock and runs it without: a post may post again, which then waits for
 * the next pass. The two lists are swapped, so that neither is allocated again.
 */
static void run_posts(struct io_loop *loop)
{
	uint64_t count;

	while (read(loop->wake_fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
	pthread_mutex_lock(&loop->lock);
	struct post_list taken = loop->posts;
	loop->posts = loop->running;
	pthread_mutex_unlock(&loop->lock);
	for (size_t i = 0; i < taken.count; i++)
		taken.items[i].fn(loop, taken.items[i].data);
	taken.count = 0;
	loop->running = taken;
}

static int wait_events(struct io_loop *loop, int64_t due_ns, int64_t now_ns)
{
	if (due_ns == INT64_MAX)
		return epoll_wait(loop->epoll_fd, loop->batch, BATCH_MAX, -1);
	int64_t wait_ns = due_ns > 0 ? due_ns - now_ns : 0;
	if (wait_ns <= 0)
		return epoll_wait(loop->epoll_fd, loop->batch, BATCH_MAX, 0);
	/*
	 * Since Linux 5.11, and absent from older kernels and from some sandboxes: epoll_wait()'s
	 * milliseconds would make launches up to 1 ms late.
	 */
	if (!loop->no_pwait2) {
		struct timespec wait = pl_clock_timespec(wait_ns);
		int count = io_epoll_pwait2(loop->epoll_fd, loop->batch, BATCH_MAX, &wait);
		if (count >= 0 || errno != ENOSYS)
			return count;
		loop->no_pwait2 = true;
	}
	/* rounded up: waking early would spin through passes with nothing to do */
	int64_t wait_ms = (wait_ns + PL_NS_PER_MS - 1) / PL_NS_PER_MS;
	return epoll_wait(loop->epoll_fd, loop->batch, BATCH_MAX,
			  wait_ms > INT_MAX ? INT_MAX : (int)wait_ms);
}

/*
 * A wait that a signal interrupted saw no events, although the process may have been stopped during
 * it (SIGSTOP), and a full batch may have left events unread.
 */
static void note_wait(struct io_loop *loop, int64_t from_ns, int count)
{
	loop->now_ns = pl_clock_now_ns();
	loop->waited_ns = count >= 0 ? loop->now_ns - from_ns : 0;
	loop->idle_ns = loop->looked_ns;
	loop->sure_idle_ns = loop->sure_looked_ns;
	if (count < 0 || count == BATCH_MAX)
		return;
	loop->sure_looked_ns = from_ns;
	loop->looked_ns = from_ns > loop->now_ns - LOOK_NS ? from_ns : loop->now_ns - LOOK_NS;
}

int io_loop_step(struct io_loop *loop, int64_t due_ns, struct pl_err *err)
{
	int64_t from_ns = pl_clock_now_ns();

	if (loop->heap_count > 0 && loop->heap[1].due_ns < due_ns)
		due_ns = loop->heap[1].due_ns;
	/*
	 * EINTR counts as a pass without events: a signal handler's flags are checked by the next
	 * timer or post.
	 */
	int count = wait_events(loop, due_ns, from_ns);
	if (count < 0 && errno != EINTR)
		return pl_err_errno(err, "could not wait for events");
	note_wait(loop, from_ns, count);
	loop->batch_count = count > 0 ? count : 0;
	bool woken = false;
	for (loop->batch_at = 0; loop->batch_at < loop->batch_count; loop->batch_at++) {
		struct epoll_event *event = &loop->batch[loop->batch_at];
		struct io_watch *watch = event->data.ptr;
		if (watch == NULL)
			continue;
		if (event->data.ptr == loop) {
			woken = true;
			continue;
		}
		/* without events that a callback of this pass has disabled */
		uint32_t events = event->events & (watch->events | EPOLLERR | EPOLLHUP);
		if (events != 0)
			watch->fn(loop, watch, events);
	}
	loop->batch_count = 0;
	if (woken)
		run_posts(loop);
	/* At most as many as ran at the start, so that a timer that restarts itself ends the pass. */
	loop->firing = true;
	for (size_t left = loop->heap_count; left > 0 && loop->heap_count > 0; left--) {
		struct io_timer *timer = loop->heap[1].timer;
		if (loop->heap[1].due_ns > loop->now_ns)
			break;
		io_timer_stop(loop, timer);
		timer->fn(loop, timer);
	}
	loop->firing = false;
	return 0;
}

int io_loop_run(struct io_loop *loop, struct pl_err *err)
{
	do {
		if (io_loop_step(loop, INT64_MAX, err) < 0)
			return -1;
	} while (!atomic_load(&loop->stop));
	atomic_store(&loop->stop, false);
	return 0;
}

void io_loop_stop(struct io_loop *loop)
{
	atomic_store(&loop->stop, true);
	wake(loop);
}

int64_t io_loop_now_ns(const struct io_loop *loop)
{
	return loop->now_ns;
}

int64_t io_loop_idle_ns(const struct io_loop *loop)
{
	return loop->idle_ns;
}

int64_t io_loop_sure_idle_ns(const struct io_loop *loop)
{
	return loop->sure_idle_ns;
}

int64_t io_loop_waited_ns(const struct io_loop *loop)
{
	return loop->waited_ns;
}

int io_loop_watch(struct io_loop *loop, struct io_watch *watch, struct pl_err *err)
{
	struct epoll_event event = { .events = watch->events, .data.ptr = watch };

	assert(!watch->active);
	if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, watch->fd, &event) < 0)
		return pl_err_errno(err, "could not watch descriptor %d", watch->fd);
	watch->active = true;
	return 0;
}

void io_loop_rewatch(struct io_loop *loop, struct io_watch *watch, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = watch };

	/* the call itself rearms edge-triggered and one-shot watches */
	if (!watch->active || (watch->events == events && !(events & (EPOLLET | EPOLLONESHOT))))
		return;
	watch->events = events;
	int rc = epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, watch->fd, &event);
	assert(rc == 0); /* fails only if the descriptor was closed while it was watched */
	(void)rc;
}

void io_loop_unwatch(struct io_loop *loop, struct io_watch *watch)
{
	if (!watch->active)
		return;
	watch->active = false;
	epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
	/*
	 * Rule 2 of loop.h: drop events of this watch that were fetched in this pass but not yet
	 * dispatched. Its descriptor may be closed and its memory reused by then.
	 */
	for (int i = loop->batch_at + 1; i < loop->batch_count; i++) {
		if (loop->batch[i].data.ptr == watch)
			loop->batch[i].data.ptr = NULL;
	}
}

void io_loop_post(struct io_loop *loop, io_post_fn *fn, void *data)
{
	pthread_mutex_lock(&loop->lock);
	struct post_list *posts = &loop->posts;
	/* Only the first post of a pass pays for a system call. */
	bool first = posts->count == 0;
	*PL_PUSH(posts->items, posts->count, posts->room) = (struct loop_post){ .fn = fn,
										.data = data };
	pthread_mutex_unlock(&loop->lock);
	if (first)
		wake(loop);
}

int io_loop_new(struct io_loop **ret, struct pl_err *err)
{
	auto_loop struct io_loop *loop = pl_alloc(sizeof(*loop));

	pthread_mutex_init(&loop->lock, NULL);
	loop->wake_fd = -1;
	loop->now_ns = pl_clock_now_ns();
	loop->looked_ns = loop->now_ns;
	loop->idle_ns = loop->now_ns;
	loop->sure_looked_ns = loop->now_ns;
	loop->sure_idle_ns = loop->now_ns;
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll_fd < 0)
		return pl_err_errno(err, "could not create an event queue");
	loop->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (loop->wake_fd < 0)
		return pl_err_errno(err, "could not create a wake-up descriptor");
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = loop };
	if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, loop->wake_fd, &event) < 0)
		return pl_err_errno(err, "could not watch the wake-up descriptor");
	*ret = pl_take(loop);
	return 0;
}

void io_loop_free(struct io_loop *loop)
{
	if (loop == NULL)
		return;
	pl_fd_close(&loop->epoll_fd);
	pl_fd_close(&loop->wake_fd);
	pthread_mutex_destroy(&loop->lock);
	free(loop->posts.items);
	free(loop->running.items);
	free(loop->heap);
	free(loop);
}
