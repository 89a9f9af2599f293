#include "host/proc/tree.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/proc/mark.h"

/* Unique to this process: the tree is found by its mark, and a second copy may run at the same
 * time. */
static char run_id[32], run_mark[64], other_mark[sizeof(run_mark) + 1];

/* A process that obeys letters: 'c' a child of its own, 's' 30 ms of CPU time, 'x' its child
 * ends; it answers each with one byte. */
struct puppet {
	pid_t pid;
	int to_fd, from_fd;
};

static void spin(double seconds)
{
	struct timespec now;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < seconds);
}

static void puppet_main(int in_fd, int out_fd)
{
	double cpu_s = 0;
	pid_t child = -1;
	char letter;

	while (read(in_fd, &letter, 1) == 1) {
		if (letter == 'c') {
			child = fork();
			if (child == 0) {
				spin(0.05);
				if (write(out_fd, "k", 1) != 1)
					_exit(1);
				for (;;)
					pause();
			}
			continue; /* the child answers */
		}
		if (letter == 's')
			spin(cpu_s += 0.03);
		if (letter == 'x') {
			kill(child, SIGKILL);
			waitpid(child, NULL, 0);
		}
		if (write(out_fd, &letter, 1) != 1)
			_exit(1);
	}
	if (child > 0)
		kill(child, SIGKILL);
	_exit(0);
}

/* `mark` NULL: not of the run. The environment is what exec() gave, so the puppet is this
 * program. */
static void puppet_start(struct puppet *puppet, const char *mark)
{
	int to[2], from[2];

	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	puppet->pid = fork();
	if (puppet->pid == 0) {
		char in[16], out[16];
		char *argv[] = { (char *)"proc_tree", (char *)"puppet", in, out, NULL };
		char *env[] = { (char *)(mark != NULL ? mark : "NONE=1"), NULL };
		snprintf(in, sizeof(in), "%d", to[0]);
		snprintf(out, sizeof(out), "%d", from[1]);
		fcntl(to[0], F_SETFD, 0);
		fcntl(from[1], F_SETFD, 0);
		execve("/proc/self/exe", argv, env);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	puppet->to_fd = to[1];
	puppet->from_fd = from[0];
}

static void puppet_do(struct puppet *puppet, char letter)
{
	char answer = 0;

	assert_int_equal(write(puppet->to_fd, &letter, 1), 1);
	assert_int_equal(read(puppet->from_fd, &answer, 1), 1);
}

static void puppet_end(struct puppet *puppet)
{
	close(puppet->to_fd);
	close(puppet->from_fd);
	waitpid(puppet->pid, NULL, 0);
}

static void test_host_proc_tree__marked_processes_and_their_children(void **state)
{
	(void)state;
	auto_proc_tree struct host_proc_tree *tree = host_proc_tree_new(run_id);
	struct puppet ours, other;
	struct host_proc_use use;

	host_proc_tree_read(tree, &use);
	assert_true(use.processes == 0 && isnan(use.memory_bytes) && use.cpu_s == 0);
	puppet_start(&ours, run_mark);
	puppet_start(&other, other_mark);
	puppet_do(&ours, 's');
	puppet_do(&ours, 'c');
	puppet_do(&other, 'c');
	host_proc_tree_scan(tree);
	assert_true(host_proc_tree_holds(tree, ours.pid));
	assert_false(host_proc_tree_holds(tree, other.pid));
	assert_false(host_proc_tree_holds(tree, getpid()));
	host_proc_tree_read(tree, &use);
	assert_true(use.processes == 2);
	assert_true(use.threads >= 2);
	assert_true(use.memory_bytes > 100e3);
	assert_true(use.open_files >= 6);
	/* 30 ms and 50 ms, with a tolerance of 10 ms; time before they were found is not growth */
	assert_true(use.cpu_s >= 0.05 && use.cpu_s < 10);
	assert_true(use.cpu_grown_s == 0);
	puppet_end(&ours);
	puppet_end(&other);
}

static void test_host_proc_tree__sums_do_not_fall_when_processes_end(void **state)
{
	(void)state;
	auto_proc_tree struct host_proc_tree *tree = host_proc_tree_new(run_id);
	struct puppet puppet;
	struct host_proc_use before, after, ended;

	puppet_start(&puppet, run_mark);
	puppet_do(&puppet, 'c');
	host_proc_tree_scan(tree);
	host_proc_tree_read(tree, &before);
	assert_true(before.processes == 2);
	puppet_do(&puppet, 's');
	puppet_do(&puppet, 'x');
	host_proc_tree_read(tree, &after);
	assert_true(after.processes == 1);
	assert_true(after.cpu_s >= before.cpu_s);
	assert_true(after.cpu_grown_s >= 0 && after.read_grown_bytes >= 0);
	puppet_end(&puppet);
	host_proc_tree_read(tree, &ended);
	assert_true(ended.processes == 0);
	assert_true(ended.cpu_s == after.cpu_s);
	assert_true(isnan(ended.memory_bytes) && isnan(ended.cpu_grown_s));
	assert_false(host_proc_tree_holds(tree, puppet.pid));
}

static void test_host_proc_tree__earlier_processes_are_not_of_the_run(void **state)
{
	(void)state;
	struct puppet puppet;
	struct host_proc_use use;

	puppet_start(&puppet, run_mark);
	puppet_do(&puppet, 's');
	auto_proc_tree struct host_proc_tree *tree = host_proc_tree_new(run_id);
	host_proc_tree_scan(tree);
	host_proc_tree_read(tree, &use);
	assert_true(use.processes == 0);
	puppet_end(&puppet);
}

/* Found while it was still its parent's copy, before it had its own environment. */
static void test_host_proc_tree__a_process_is_rechecked(void **state)
{
	(void)state;
	auto_proc_tree struct host_proc_tree *tree = host_proc_tree_new(run_id);
	int go[2];
	char *argv[] = { (char *)"sleep", (char *)"60", NULL };
	char *env[] = { run_mark, NULL };

	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		char letter;
		if (read(go[0], &letter, 1) == 1)
			execve("/bin/sleep", argv, env);
		_exit(127);
	}
	host_proc_tree_scan(tree);
	assert_false(host_proc_tree_holds(tree, pid));
	assert_int_equal(write(go[1], "g", 1), 1);
	while (!host_mark_is_on(pid, run_id))
		sched_yield();
	host_proc_tree_scan(tree);
	assert_true(host_proc_tree_holds(tree, pid));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(go[0]);
	close(go[1]);
}

/* As a load client that carries the mark so that it can be ended. */
static void test_host_proc_tree__left_out_with_all_its_children(void **state)
{
	(void)state;
	auto_proc_tree struct host_proc_tree *tree = host_proc_tree_new(run_id);
	struct puppet server, client, late;
	struct host_proc_use use;

	puppet_start(&server, run_mark);
	puppet_start(&client, run_mark);
	puppet_do(&server, 's');
	puppet_do(&client, 's');
	host_proc_tree_leave_out(tree, client.pid);
	host_proc_tree_scan(tree);
	puppet_do(&client, 'c');
	host_proc_tree_scan(tree);
	host_proc_tree_scan(tree);
	host_proc_tree_read(tree, &use);
	assert_true(use.processes == 1);
	assert_true(host_proc_tree_holds(tree, server.pid));
	/* found before it was said */
	puppet_start(&late, run_mark);
	puppet_do(&late, 's');
	host_proc_tree_scan(tree);
	assert_true(host_proc_tree_holds(tree, late.pid));
	host_proc_tree_leave_out(tree, late.pid);
	host_proc_tree_scan(tree);
	assert_false(host_proc_tree_holds(tree, late.pid));
	puppet_end(&server);
	puppet_end(&client);
	puppet_end(&late);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_proc_tree__marked_processes_and_their_children),
		cmocka_unit_test(test_host_proc_tree__sums_do_not_fall_when_processes_end),
		cmocka_unit_test(test_host_proc_tree__earlier_processes_are_not_of_the_run),
		cmocka_unit_test(test_host_proc_tree__a_process_is_rechecked),
		cmocka_unit_test(test_host_proc_tree__left_out_with_all_its_children),
	};
	if (argc == 4 && strcmp(argv[1], "puppet") == 0)
		puppet_main(atoi(argv[2]), atoi(argv[3]));
	snprintf(run_id, sizeof(run_id), "exp_20260101_%06d_abcdef", (int)getpid());
	snprintf(run_mark, sizeof(run_mark), HOST_MARK_NAME "=%s", run_id);
	snprintf(other_mark, sizeof(other_mark), "%s0", run_mark);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
