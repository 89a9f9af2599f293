#include "io/loop.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

static struct io_loop *new_loop(void)
{
	struct io_loop *loop = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(io_loop_new(&loop, &err), 0);
	return loop;
}

/* One pass that does not wait. */
static void step(struct io_loop *loop)
{
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(io_loop_step(loop, 0, &err), 0);
}

static void run(struct io_loop *loop)
{
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(io_loop_run(loop, &err), 0);
}

/* The timers that fired, in order. */
struct fired {
	struct io_timer *timers[4096];
	size_t count;
	int64_t seen_now_ns;
};

static void note(struct io_loop *loop, struct io_timer *timer)
{
	struct fired *fired = timer->data;

	assert_false(io_timer_runs(timer));
	if (fired->count == 0)
		fired->seen_now_ns = io_loop_now_ns(loop);
	assert_true(io_loop_now_ns(loop) == fired->seen_now_ns);
	fired->timers[fired->count++] = timer;
}

static void test_io_loop__timers_fire_in_order(void **state)
{
	auto_loop struct io_loop *loop = new_loop();
	struct fired fired = { .count = 0 };
	struct io_timer a = { .fn = note, .data = &fired };
	struct io_timer b = a, c = a, d = a, later = a;

	(void)state;
	io_timer_start(loop, &a, 30);
	io_timer_start(loop, &b, 10);
	io_timer_start(loop, &c, 20);
	io_timer_start(loop, &d, 10);
	io_timer_start(loop, &later, INT64_MAX);
	assert_true(io_timer_runs(&a));
	step(loop);
	assert_int_equal(fired.count, 4);
	assert_ptr_equal(fired.timers[0], &b);
	assert_ptr_equal(fired.timers[1], &d); /* the same time: first come, first served */
	assert_ptr_equal(fired.timers[2], &c);
	assert_ptr_equal(fired.timers[3], &a);
	assert_true(io_timer_runs(&later));
	io_timer_stop(loop, &later);
	io_timer_stop(loop, &later);
	assert_false(io_timer_runs(&later));
}

/* Against the plain truth: what was left running fires, sorted by its time. */
static void test_io_loop__timer_heap_keeps_order(void **state)
{
	enum { TIMERS = 2000 };
	auto_loop struct io_loop *loop = new_loop();
	auto_free struct io_timer *timers = pl_alloc_array(TIMERS, sizeof(*timers));
	struct fired fired = { .count = 0 };
	uint64_t random = 88172645463325252u;
	size_t running = 0;

	(void)state;
	for (size_t round = 0; round < 5 * TIMERS; round++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		struct io_timer *timer = &timers[random % TIMERS];
		timer->fn = note;
		timer->data = &fired;
		if (random >> 62 == 0)
			io_timer_stop(loop, timer);
		else
			io_timer_start(loop, timer, (int64_t)(random >> 20 & 0xfff));
	}
	for (size_t i = 0; i < TIMERS; i++)
		running += io_timer_runs(&timers[i]);
	step(loop);
	assert_int_equal(fired.count, running);
	assert_in_range(running, TIMERS / 2, TIMERS - 1);
	for (size_t i = 1; i < fired.count; i++)
		assert_true(fired.timers[i - 1]->due_ns <= fired.timers[i]->due_ns);
}

struct stopper {
	struct io_timer timer;
	struct io_timer *victim;
	int calls;
};

static void stop_victim(struct io_loop *loop, struct io_timer *timer)
{
	struct stopper *stopper = timer->data;

	stopper->calls++;
	io_timer_stop(loop, stopper->victim);
}

static void test_io_loop__timer_stopped_by_another_stays_silent(void **state)
{
	auto_loop struct io_loop *loop = new_loop();
	struct fired fired = { .count = 0 };
	struct io_timer victim = { .fn = note, .data = &fired };
	struct stopper stopper = { .timer.fn = stop_victim, .victim = &victim };

	(void)state;
	stopper.timer.data = &stopper;
	io_timer_start(loop, &victim, 2);
	io_timer_start(loop, &stopper.timer, 1);
	step(loop);
	assert_int_equal(stopper.calls, 1);
	assert_int_equal(fired.count, 0);
}

struct retry {
	struct io_timer timer;
	int calls;
};

static void restart(struct io_loop *loop, struct io_timer *timer)
{
	struct retry *retry = timer->data;

	retry->calls++;
	io_timer_start(loop, timer, 0);
}

static void test_io_loop__restarting_timer_starves_no_other(void **state)
{
	auto_loop struct io_loop *loop = new_loop();
	struct retry retry = { .timer.fn = restart };
	struct fired fired = { .count = 0 };
	struct io_timer other = { .fn = note, .data = &fired };

	(void)state;
	retry.timer.data = &retry;
	io_timer_start(loop, &retry.timer, 0);
	io_timer_start(loop, &other, 5);
	step(loop);
	assert_int_equal(fired.count, 1);
	assert_int_equal(retry.calls, 1);
	step(loop);
	assert_int_equal(retry.calls, 2);
	io_timer_stop(loop, &retry.timer);
}

static void stop_loop(struct io_loop *loop, struct io_timer *timer)
{
	assert_true(io_loop_now_ns(loop) >= timer->due_ns);
	io_loop_stop(loop);
}

static void test_io_loop__never_early(void **state)
{
	auto_loop struct io_loop *loop = new_loop();
	struct io_timer timer = { .fn = stop_loop };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	for (int i = 0; i < 20; i++) {
		io_timer_start(loop, &timer, pl_clock_now_ns() + 100000 + 1000 * i);
		run(loop);
	}
	int64_t due_ns = pl_clock_now_ns() + PL_NS_PER_MS;
	while (pl_clock_now_ns() < due_ns)
		assert_int_equal(io_loop_step(loop, due_ns, &err), 0);
	assert_true(io_loop_now_ns(loop) >= due_ns);
}

/* Runs in a child that sees a kernel before 5.11: epoll_pwait2() is missing. */
static int child_without_pwait2(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_pwait2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { PL_ARRAY_SIZE(filter), filter };
	struct io_timer timer = { .fn = stop_loop };
	struct pl_err err = PL_ERR_INIT;
	struct io_loop *loop;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return 77;
	if (io_loop_new(&loop, &err) < 0)
		return 1;
	int64_t due_ns = pl_clock_now_ns() + 100000;
	io_timer_start(loop, &timer, due_ns);
	if (io_loop_run(loop, &err) < 0 || pl_clock_now_ns() < due_ns)
		return 2;
	io_loop_free(loop);
	return 0;
}

static void test_io_loop__old_kernel(void **state)
{
	int status;

	(void)state;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(child_without_pwait2());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* A descriptor that is readable (and always writable) with a watch on it. */
struct source {
	struct io_watch watch;
	int calls;
	uint32_t events;
	struct source *victim; /* unwatched by the callback */
	uint32_t becomes;      /* the victim is rewatched with this instead, when not 0 */
};

static void source_call(struct io_loop *loop, struct io_watch *watch, uint32_t events)
{
	struct source *source = watch->data;

	source->calls++;
	source->events = events;
	if (source->victim == NULL)
		return;
	if (source->becomes != 0)
		io_loop_rewatch(loop, &source->victim->watch, source->becomes);
	else
		io_loop_unwatch(loop, &source->victim->watch);
}

static void source_open(struct io_loop *loop, struct source *source, uint32_t events)
{
	struct pl_err err = PL_ERR_INIT;

	source->watch = (struct io_watch){ .fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK),
					   .events = events,
					   .fn = source_call,
					   .data = source };
	assert_true(source->watch.fd >= 0);
	assert_int_equal(io_loop_watch(loop, &source->watch, &err), 0);
	assert_true(source->watch.active);
}

static void source_close(struct io_loop *loop, struct source *source)
{
	io_loop_unwatch(loop, &source->watch);
	close(source->watch.fd);
}

static void test_io_loop__watch_reports_events(void **state)
{
	auto_loop struct io_loop *loop = new_loop();
	struct source source = { .calls = 0 };

	(void)state;
	source_open(loop, &source, EPOLLIN);
	step(loop);
	assert_int_equal(source.events, EPOLLIN);
	step(loop); /* level triggered */
	assert_int_equal(source.calls, 2);
	io_loop_rewatch(loop, &source.watch, EPOLLIN | EPOLLOUT);
	step(loop);
	assert_int_equal(source.events, EPOLLIN | EPOLLOUT);
	io_loop_rewatch(loop, &source.watch, 0);
	step(loop);
	assert_int_equal(source.calls, 3);
	io_loop_unwatch(loop, &source.watch);
	io_loop_unwatch(loop, &source.watch);
	io_loop_rewatch(loop, &source.watch, EPOLLIN);
	step(loop);
	assert_int_equal(source.calls, 3);
	close(source.watch.fd);
}

static void test_io_loop__callback_may_unwatch_itself(void **state)
{
	auto_loop struct io_loop *loop = new_loop();
	struct source source = { .victim = &source };

	(void)state;
	source_open(loop, &source, EPOLLIN);
	step(loop);
	step(loop);
	assert_int_equal(source.calls, 1);
	assert_false(source.watch.active);
	source_close(loop, &source);
}

/* Both are ready in one pass; whichever comes first silences the other, though already fetched. */
static void test_io_loop__unwatched_is_silent_at_once(void **state)
{
	auto_loop struct io_loop *loop = new_loop();
	struct source a = { .calls = 0 };
	struct source b = { .victim = &a };

	(void)state;
	a.victim = &b;
	source_open(loop, &a, EPOLLIN);
	source_open(loop, &b, EPOLLIN);
	step(loop);
	assert_int_equal(a.calls + b.calls, 1);
	source_close(loop, &a);
	source_close(loop, &b);
}

static void test_io_loop__lost_interest_counts_at_once(void **state)
{
	auto_loop struct io_loop *loop = new_loop();
	struct source a = { .becomes = EPOLLOUT };
	struct source b = { .victim = &a, .becomes = EPOLLOUT };

	(void)state;
	a.victim = &b;
	source_open(loop, &a, EPOLLIN);
	source_open(loop, &b, EPOLLIN);
	step(loop);
	assert_int_equal(a.calls + b.calls, 1);
	source_close(loop, &a);
	source_close(loop, &b);
}

static void test_io_loop__more_sources_than_a_batch(void **state)
{
	enum { SOURCES = 600 };
	auto_loop struct io_loop *loop = new_loop();
	auto_free struct source *sources = pl_alloc_array(SOURCES, sizeof(*sources));

	(void)state;
	for (size_t i = 0; i < SOURCES; i++)
		source_open(loop, &sources[i], EPOLLIN | EPOLLET);
	for (int pass = 0; pass < 4; pass++)
		step(loop);
	for (size_t i = 0; i < SOURCES; i++) {
		assert_int_equal(sources[i].calls, 1);
		source_close(loop, &sources[i]);
	}
}

static void test_io_loop__bad_descriptor(void **state)
{
	auto_loop struct io_loop *loop = new_loop();
	struct io_watch watch = { .fd = -1, .events = EPOLLIN, .fn = NULL };
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(io_loop_watch(loop, &watch, &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
	assert_false(watch.active);
}

enum { THREADS = 4, POSTS = 2000 };

/* One thread's posts: each says its number, which must come in order. */
struct poster {
	struct io_loop *loop;
	struct post_item {
		struct poster *poster;
		int number;
	} items[POSTS];
	int seen;
	int *left; /* the loop's thread's: posts still to come of all */
};

static void take_post(struct io_loop *loop, void *data)
{
	struct post_item *item = data;

	assert_int_equal(item->number, item->poster->seen);
	item->poster->seen++;
	if (--*item->poster->left == 0)
		io_loop_stop(loop);
}

static void *post_all(void *data)
{
	struct poster *poster = data;

	for (int i = 0; i < POSTS; i++) {
		poster->items[i] = (struct post_item){ poster, i };
		io_loop_post(poster->loop, take_post, &poster->items[i]);
	}
	return NULL;
}

static void test_io_loop__posts_from_threads_keep_order(void **state)
{
	auto_loop struct io_loop *loop = new_loop();
	auto_free struct poster *posters = pl_alloc_array(THREADS, sizeof(*posters));
	pthread_t threads[THREADS];
	int left = THREADS * POSTS;

	(void)state;
	for (int i = 0; i < THREADS; i++) {
		posters[i].loop = loop;
		posters[i].left = &left;
		assert_int_equal(pthread_create(&threads[i], NULL, post_all, &posters[i]), 0);
	}
	run(loop);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(posters[i].seen, POSTS);
	}
}

static void count_up(struct io_loop *loop, void *data)
{
	int *count = data;

	if (++*count == 1)
		io_loop_post(loop, count_up, count);
}

static void test_io_loop__post_from_a_post_waits_a_pass(void **state)
{
	auto_loop struct io_loop *loop = new_loop();
	int count = 0;

	(void)state;
	io_loop_post(loop, count_up, &count);
	step(loop);
	assert_int_equal(count, 1);
	step(loop);
	assert_int_equal(count, 2);
	step(loop);
	assert_int_equal(count, 2);
}

static void *stop_from_thread(void *data)
{
	io_loop_stop(data);
	return NULL;
}

static void on_readable(struct io_loop *loop, struct io_watch *watch, uint32_t events)
{
	uint64_t count;

	(void)events;
	assert_int_equal(read(watch->fd, &count, sizeof(count)), sizeof(count));
	io_loop_unwatch(loop, watch);
}

/* An event that a pass finds came after the previous pass, and the loop slept in between. */
static void test_io_loop__reports_since_when_it_was_idle(void **state)
{
	auto_loop struct io_loop *loop = new_loop();
	struct pl_err err = PL_ERR_INIT;
	uint64_t one = 1;

	(void)state;
	int fd = eventfd(0, EFD_NONBLOCK);
	struct io_watch watch = { .fd = fd, .events = EPOLLIN, .fn = on_readable };
	assert_int_equal(io_loop_watch(loop, &watch, &err), 0);
	step(loop);
	int64_t looked_ns = io_loop_now_ns(loop);
	int64_t due_ns = pl_clock_now_ns() + 2 * PL_NS_PER_MS;
	assert_int_equal(io_loop_step(loop, due_ns, &err), 0);
	assert_true(io_loop_idle_ns(loop) <= looked_ns);
	assert_true(io_loop_sure_idle_ns(loop) <= io_loop_idle_ns(loop));
	assert_true(io_loop_waited_ns(loop) >= PL_NS_PER_MS);
	int64_t empty_ns = pl_clock_now_ns();
	assert_int_equal(write(fd, &one, sizeof(one)), sizeof(one));
	step(loop);
	assert_false(watch.active);
	assert_true(io_loop_idle_ns(loop) <= empty_ns);
	assert_true(io_loop_idle_ns(loop) >= looked_ns);
	/* before the wait of two milliseconds: the time of the look within it is unknown */
	assert_true(io_loop_sure_idle_ns(loop) >= looked_ns);
	assert_true(io_loop_sure_idle_ns(loop) <= due_ns - PL_NS_PER_MS);
	close(fd);
}

static void test_io_loop__stop(void **state)
{
	auto_loop struct io_loop *loop = new_loop();
	pthread_t thread;

	(void)state;
	io_loop_stop(loop);
	run(loop); /* a stop before the run counts */
	assert_int_equal(pthread_create(&thread, NULL, stop_from_thread, loop), 0);
	run(loop);
	pthread_join(thread, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_io_loop__timers_fire_in_order),
		cmocka_unit_test(test_io_loop__timer_heap_keeps_order),
		cmocka_unit_test(test_io_loop__timer_stopped_by_another_stays_silent),
		cmocka_unit_test(test_io_loop__restarting_timer_starves_no_other),
		cmocka_unit_test(test_io_loop__never_early),
		cmocka_unit_test(test_io_loop__old_kernel),
		cmocka_unit_test(test_io_loop__watch_reports_events),
		cmocka_unit_test(test_io_loop__callback_may_unwatch_itself),
		cmocka_unit_test(test_io_loop__unwatched_is_silent_at_once),
		cmocka_unit_test(test_io_loop__lost_interest_counts_at_once),
		cmocka_unit_test(test_io_loop__more_sources_than_a_batch),
		cmocka_unit_test(test_io_loop__bad_descriptor),
		cmocka_unit_test(test_io_loop__posts_from_threads_keep_order),
		cmocka_unit_test(test_io_loop__post_from_a_post_waits_a_pass),
		cmocka_unit_test(test_io_loop__reports_since_when_it_was_idle),
		cmocka_unit_test(test_io_loop__stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
