#include "host/proc/mark.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "host/proc/process.h"
#include "host/proc/stat.h"

#define LONG_NS (60 * PL_NS_PER_S)

/* Holds our pid: tests of another source tree may run at the same time, and marks are the host's. */
static char own[32];

/* Starts a "sleep" whose environment has VARIABLE=own and more after it. */
static struct host_process *start_marked(const char *variable, const char *more)
{
	const char *const argv[] = { "/bin/sleep", "1000", NULL };
	auto_free char *mark = pl_asprintf("%s=%s%s", variable, own, more);
	const char *const env[] = { mark, NULL };
	struct host_process_spec spec = { .argv = argv, .env = env };
	struct host_process *process = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (host_process_start(&spec, &process, &err) < 0)
		fail_msg("%s", err.text);
	return process;
}

static void test_host_proc_mark__whole_mark_only(void **state)
{
	(void)state;
	auto_process struct host_process *a = start_marked(HOST_MARK_NAME, "");
	auto_process struct host_process *b = start_marked(HOST_MARK_NAME, "_2");
	auto_process struct host_process *c = start_marked("NOT_" HOST_MARK_NAME, "");

	assert_true(host_mark_is_on(host_process_pid(a), own));
	assert_false(host_mark_is_on(host_process_pid(b), own));
	assert_false(host_mark_is_on(host_process_pid(c), own));
	assert_int_equal(host_mark_count(own), 1);
	assert_int_equal(host_mark_kill(own, LONG_NS), 0);
	assert_true(host_process_wait(a, LONG_NS));
	assert_int_equal(host_process_signal(a), SIGKILL);
	assert_false(host_process_wait(b, 0));
	assert_false(host_process_wait(c, 0));
}

static void test_host_proc_mark__another_user_is_left_alone(void **state)
{
	(void)state;
	auto_process struct host_process *process = start_marked(HOST_MARK_NAME, "");
	const struct host_mark_heads no_heads = { NULL, 0 };
	struct host_mark_killing done;

	done = host_mark_kill_of(own, getuid() + 1, &no_heads, LONG_NS);
	assert_int_equal(done.killed, 0);
	assert_int_equal(done.left, 0);
	assert_false(host_process_wait(process, 0));
	done = host_mark_kill_of(own, getuid(), &no_heads, LONG_NS);
	assert_int_equal(done.killed, 1);
	assert_int_equal(done.left, 0);
	assert_true(host_process_wait(process, LONG_NS));
}

/* One that wiped its own environment, as vLLM's engine does for its title. */
static void test_host_proc_mark__family_without_marks(void **state)
{
	(void)state;
	const char *const argv[] = {
		"/bin/sh", "-c", "env -i /bin/sleep 1000 & env -i setsid /bin/sleep 1000 & wait",
		NULL
	};
	auto_free char *mark = pl_asprintf("%s=%s", HOST_MARK_NAME, own);
	const char *const env[] = { mark, NULL };
	struct host_process_spec spec = { .argv = argv, .env = env };
	auto_process struct host_process *process = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_free struct host_proc *list = NULL;

	assert_int_equal(host_process_start(&spec, &process, &err), 0);
	while (host_mark_count(own) < 3)
		continue;
	size_t listed = host_proc_list(&list);
	assert_int_equal(host_mark_kill(own, LONG_NS), 0);
	assert_true(host_process_wait(process, LONG_NS));
	for (size_t i = 0; i < listed; i++) {
		struct host_proc now;
		if (list[i].parent != host_process_pid(process))
			continue;
		assert_true(!host_proc_read(list[i].pid, &now) || host_proc_is_dead(&now) ||
			    now.start_ticks != list[i].start_ticks);
	}
}

/*
 * The head is dead, and what it left has zeros for an environment: found by its session. One that
 * has an environment without the mark is not.
 */
static void test_host_proc_mark__session_of_a_dead_head(void **state)
{
	(void)state;
	int ready[2];
	struct host_proc head, left[2];
	pid_t pids[2] = { 0 };

	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		setsid();
		for (int i = 0; i < 2; i++) {
			const char *const argv[] = { "sleep", "1000", NULL };
			/* an empty string first: what a title leaves of an environment */
			const char *const env[] = { i == 0 ? "" : "A=b", "C=d", NULL };
			pids[i] = fork();
			if (pids[i] == 0) {
				execve("/bin/sleep", (char *const *)argv, (char *const *)env);
				_exit(127);
			}
		}
		(void)!write(ready[1], pids, sizeof(pids));
		pause();
	}
	assert_int_equal(read(ready[0], pids, sizeof(pids)), sizeof(pids));
	assert_true(host_proc_read(pid, &head));
	struct host_mark_heads heads = { &head, 1 };
	struct host_mark_heads later = {
		&(struct host_proc){ .pid = pid, .start_ticks = UINT64_MAX }, 1
	};
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (int i = 0; i < 2; i++)
		assert_true(host_proc_read(pids[i], &left[i]));
	assert_int_equal(host_mark_kill_of(own, getuid(), &later, LONG_NS).killed, 0);
	/* between fork() and exec it still has the test's environment */
	while (host_mark_kill_of(own, getuid(), &heads, LONG_NS).killed == 0)
		continue;
	assert_false(host_proc_signal(&left[0], 0) && host_proc_read(pids[0], &left[0]) &&
		     !host_proc_is_dead(&left[0]));
	assert_true(host_proc_signal(&left[1], SIGKILL));
	close(ready[0]);
	close(ready[1]);
}

static void test_host_proc_mark__no_process_carries_it(void **state)
{
	(void)state;
	assert_int_equal(host_mark_count(own), 0);
	assert_int_equal(host_mark_kill(own, LONG_NS), 0);
	assert_false(host_mark_is_on(getpid(), own));
	assert_false(host_mark_is_on(-1, own));
}

/* A name with brackets and spaces is in the middle of the line that is read. */
static void test_host_proc__reads_strange_names(void **state)
{
	(void)state;
	struct host_proc proc, retry;
	FILE *name = fopen("/proc/self/comm", "w");

	assert_non_null(name);
	fputs("a) R 1 (b", name);
	fclose(name);
	assert_true(host_proc_read(getpid(), &proc));
	assert_int_equal(proc.pid, getpid());
	assert_int_equal(proc.parent, getppid());
	assert_int_equal(proc.group, getpgrp());
	assert_int_equal(proc.state, 'R');
	assert_true(proc.start_ticks > 0);
	assert_true(host_proc_read(getpid(), &retry));
	assert_true(retry.start_ticks == proc.start_ticks);
	assert_false(host_proc_read(-1, &proc));
}

static void test_host_proc__signals_only_its_target(void **state)
{
	(void)state;
	auto_process struct host_process *process = start_marked("A", "");
	struct host_proc proc, other;

	assert_true(host_proc_read(host_process_pid(process), &proc));
	other = proc;
	other.start_ticks++; /* a later process of the same number */
	assert_false(host_proc_signal(&other, SIGKILL));
	assert_false(host_process_wait(process, 0));
	assert_true(host_proc_signal(&proc, SIGKILL));
	assert_true(host_process_wait(process, LONG_NS));
	assert_false(host_proc_signal(&proc, SIGKILL));
}

static void test_host_proc__list_holds_zombies_as_dead(void **state)
{
	(void)state;
	auto_free struct host_proc *list = NULL;
	pid_t pid = fork();
	siginfo_t info;
	bool seen = false;

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	size_t count = host_proc_list(&list);
	for (size_t i = 0; i < count; i++) {
		if (list[i].pid == pid) {
			seen = true;
			assert_true(host_proc_is_dead(&list[i]));
		}
		assert_true(i == 0 || list[i].pid > list[i - 1].pid);
	}
	assert_true(seen);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_proc_mark__whole_mark_only),
		cmocka_unit_test(test_host_proc_mark__another_user_is_left_alone),
		cmocka_unit_test(test_host_proc_mark__family_without_marks),
		cmocka_unit_test(test_host_proc_mark__session_of_a_dead_head),
		cmocka_unit_test(test_host_proc_mark__no_process_carries_it),
		cmocka_unit_test(test_host_proc__reads_strange_names),
		cmocka_unit_test(test_host_proc__signals_only_its_target),
		cmocka_unit_test(test_host_proc__list_holds_zombies_as_dead),
	};

	snprintf(own, sizeof(own), "test_mark_%d", (int)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
