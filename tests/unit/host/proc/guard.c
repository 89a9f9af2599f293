#include "host/proc/guard.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/scratch.h"
#include "host/proc/mark.h"
#include "host/proc/process.h"
#include "host/proc/reaper.h"
#include "host/proc/stat.h"

#define LONG_NS (60 * PL_NS_PER_S)

/* A folder of the test's own, which is the lock folder too; each test has a run of its own. */
struct scene {
	char folder[SCRATCH_PATH];
	char run_id[48];
	char *mark;
	struct host_guard *guard;
	struct host_process *process;
};

static int set_up(void **state)
{
	static int number;
	struct scene *scene = pl_alloc(sizeof(*scene));
	struct pl_err err = PL_ERR_INIT;

	scratch_folder(scene->folder);
	setenv("PROFLLM_LOCK_DIR", scene->folder, 1);
	snprintf(scene->run_id, sizeof(scene->run_id), "test_%d_%d", (int)getpid(), number++);
	scene->mark = pl_asprintf("%s=%s", HOST_MARK_NAME, scene->run_id);
	if (host_guard_start(scene->run_id, &scene->guard, &err) < 0)
		fail_msg("%s", err.text);
	*state = scene;
	return 0;
}

static void end_run(struct scene *scene)
{
	host_process_free(pl_take(scene->process));
	host_guard_free(pl_take(scene->guard));
}

static int tear_down(void **state)
{
	struct scene *scene = *state;

	end_run(scene);
	assert_int_equal(host_mark_kill(scene->run_id, LONG_NS), 0);
	/* no child of ours is left to wait for */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	free(scene->mark);
	free(scene);
	return 0;
}

static char *in_folder(const struct scene *scene, const char *name)
{
	return pl_asprintf("%s/%s", scene->folder, name);
}

/* A script in the test's folder; /bin/sh makes files there to say how far it is. */
static int try_start(struct scene *scene, const char *script, struct pl_err *err)
{
	auto_free char *whole = pl_asprintf("cd %s; %s", scene->folder, script);
	auto_free char *log = in_folder(scene, "log");
	const char *const argv[] = { "/bin/sh", "-c", whole, NULL };
	const char *const env[] = { scene->mark, "TEST_OF_GUARD=yes", NULL };
	struct host_process_spec spec = {
		.argv = argv,
		.env = env,
		.log_path = log,
		.guard = scene->guard,
		.stop_timeout_ns = LONG_NS,
	};

	return host_process_start(&spec, &scene->process, err);
}

static void start(struct scene *scene, const char *script)
{
	struct pl_err err = PL_ERR_INIT;

	if (try_start(scene, script, &err) < 0)
		fail_msg("%s", err.text);
}

/* The head, a child in its group and one that left its session: all deaf to SIGTERM. */
static const char stubborn[] =
	"trap '' TERM; sleep 1000 & echo $! > a;"
	"setsid sh -c 'sleep 1000 & echo $! > b; wait' & "
	"while [ ! -s b ]; do sleep 0.01; done; : > up; while :; do sleep 1000; done";

static void wait_for_file(const struct scene *scene, const char *name)
{
	auto_free char *path = in_folder(scene, name);
	int64_t due_ns = pl_clock_now_ns() + LONG_NS;

	while (!pl_file_exists(path)) {
		assert_true(pl_clock_now_ns() < due_ns);
		pl_clock_sleep_until(pl_clock_now_ns() + PL_NS_PER_MS);
	}
}

static char *read_text(const struct scene *scene, const char *name)
{
	auto_free char *path = in_folder(scene, name);
	struct pl_err err = PL_ERR_INIT;
	char *text = NULL;

	if (pl_file_read(path, 65536, &text, NULL, &err) < 0)
		fail_msg("%s", err.text);
	return text;
}

static pid_t read_pid(const struct scene *scene, const char *name)
{
	auto_free char *text = read_text(scene, name);

	return (pid_t)strtol(text, NULL, 10);
}

static bool is_alive(pid_t pid)
{
	struct host_proc proc;

	return host_proc_read(pid, &proc) && !host_proc_is_dead(&proc);
}

static void wait_for_death(pid_t pid)
{
	int64_t due_ns = pl_clock_now_ns() + LONG_NS;

	while (is_alive(pid)) {
		assert_true(pl_clock_now_ns() < due_ns);
		pl_clock_sleep_until(pl_clock_now_ns() + PL_NS_PER_MS);
	}
}

static void test_host_proc_guard__exit_status_and_output(void **state)
{
	struct scene *scene = *state;
	char text[64];

	start(scene, "echo $TEST_OF_GUARD; echo err >&2; exit 3");
	assert_true(host_process_wait(scene->process, LONG_NS));
	assert_true(host_process_has_ended(scene->process));
	assert_int_equal(host_process_status(scene->process), 3);
	assert_int_equal(host_process_signal(scene->process), 0);
	host_process_end_text(scene->process, text, sizeof(text));
	assert_string_equal(text, "exit status 3");
	assert_true(host_process_stop(scene->process, LONG_NS, NULL));
	auto_free char *log = read_text(scene, "log");
	assert_string_equal(log, "yes\nerr\n");
}

static void test_host_proc_guard__missing_program(void **state)
{
	struct scene *scene = *state;
	const char *const argv[] = { "/no/such/program", NULL };
	struct host_process_spec spec = { .argv = argv, .guard = scene->guard };
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(host_process_start(&spec, &scene->process, &err), -1);
	assert_int_equal(err.code, PL_ERR_LAUNCH);
	assert_string_equal(err.text,
			    "could not run '/no/such/program': No such file or directory");
	assert_null(scene->process);
	/* and it can be asked again */
	start(scene, "exit 0");
	assert_true(host_process_wait(scene->process, LONG_NS));
	assert_int_equal(host_process_status(scene->process), 0);
}

static void test_host_proc_guard__starts_one_after_the_other(void **state)
{
	struct scene *scene = *state;
	const char *const argv[] = { "/no/such/program", NULL };
	struct host_process_spec spec = { .argv = argv, .guard = scene->guard };
	struct pl_err err = PL_ERR_INIT;

	for (int i = 0; i < 5; i++) {
		start(scene, i % 2 ? stubborn : "exit 0");
		/* the stubborn one may not have come to its trap */
		(void)!host_process_stop(scene->process, 0, NULL);
		host_process_free(pl_take(scene->process));
		assert_int_equal(host_mark_count(scene->run_id), 0);
	}
	assert_int_equal(host_process_start(&spec, &scene->process, &err), -1);
}

static void test_host_proc_guard__signal_that_ended_it(void **state)
{
	struct scene *scene = *state;
	char text[64];

	start(scene, "kill -SEGV $$");
	assert_true(host_process_wait(scene->process, LONG_NS));
	assert_int_equal(host_process_signal(scene->process), SIGSEGV);
	assert_int_equal(host_process_status(scene->process), 128 + SIGSEGV);
	host_process_end_text(scene->process, text, sizeof(text));
	assert_string_equal(text, "signal 11 (Segmentation fault)");
}

static void test_host_proc_guard__environment_larger_than_a_packet(void **state)
{
	struct scene *scene = *state;
	const size_t len = 120000;
	auto_free char *large = pl_alloc(len + 1);

	memset(large, 'x', len);
	memcpy(large, "TEST_LARGE_A=", strlen("TEST_LARGE_A="));
	putenv(large);
	auto_free char *other = pl_strdup(large);
	memcpy(other, "TEST_LARGE_B=", strlen("TEST_LARGE_B="));
	putenv(other);
	start(scene, "echo ${#TEST_LARGE_A} ${#TEST_LARGE_B}");
	unsetenv("TEST_LARGE_A");
	unsetenv("TEST_LARGE_B");
	assert_true(host_process_wait(scene->process, LONG_NS));
	auto_free char *log = read_text(scene, "log");
	assert_string_equal(log, "119987 119987\n");
}

/* The server: default signals, first three descriptors only, a session of its own. */
static void test_host_proc_guard__server_inherits_nothing(void **state)
{
	struct scene *scene = *state;

	start(scene, "ls /proc/self/fd | tr '\\n' ' '; grep -E 'Sig(Blk|Ign)' /proc/self/status |"
		     "cut -f2; cut -d' ' -f5,6 /proc/$$/stat; echo $$ $$; readlink /proc/$$/fd/0");
	assert_true(host_process_wait(scene->process, LONG_NS));
	auto_free char *log = read_text(scene, "log");
	auto_free char *expected = pl_asprintf(
		"0 1 2 3 0000000000000000\n0000000000000000\n%d %d\n%d %d\n/dev/null\n",
		(int)host_process_pid(scene->process), (int)host_process_pid(scene->process),
		(int)host_process_pid(scene->process), (int)host_process_pid(scene->process));
	/* 3: the folder that ls reads */
	assert_string_equal(log, expected);
}

static void test_host_proc_guard__stop_is_gentle_first(void **state)
{
	struct scene *scene = *state;

	start(scene, "trap 'exit 7' TERM; : > up; while :; do sleep 0.01; done");
	assert_false(host_process_wait(scene->process, 0));
	assert_int_equal(host_process_status(scene->process), -1);
	assert_false(host_process_has_ended(scene->process));
	wait_for_file(scene, "up");
	assert_true(host_process_stop(scene->process, LONG_NS, NULL));
	assert_int_equal(host_process_status(scene->process), 7);
	assert_int_equal(host_mark_count(scene->run_id), 0);
}

static void test_host_proc_guard__kills_after_the_deadline(void **state)
{
	struct scene *scene = *state;

	start(scene, stubborn);
	wait_for_file(scene, "up");
	assert_in_range(host_mark_count(scene->run_id), 4, 5);
	assert_false(host_process_stop(scene->process, 50 * PL_NS_PER_MS, NULL));
	assert_int_equal(host_process_signal(scene->process), SIGKILL);
	assert_int_equal(host_mark_count(scene->run_id), 0);
}

static void test_host_proc_guard__kills_at_once_when_in_a_hurry(void **state)
{
	struct scene *scene = *state;
	atomic_int hurry = 2;

	start(scene, stubborn);
	wait_for_file(scene, "up");
	assert_false(host_process_stop(scene->process, 1000 * PL_NS_PER_S, &hurry));
	assert_int_equal(host_process_signal(scene->process), SIGKILL);
	assert_int_equal(host_mark_count(scene->run_id), 0);
}

static void test_host_proc_guard__ends_processes_that_outlive_the_head(void **state)
{
	struct scene *scene = *state;

	start(scene, "setsid sh -c 'trap \"\" TERM; : > up; while :; do sleep 1000; done' & "
		     "while [ ! -e up ]; do sleep 0.01; done; kill -KILL $$");
	assert_true(host_process_wait(scene->process, LONG_NS));
	assert_int_equal(host_process_signal(scene->process), SIGKILL);
	/* without a request to stop: the end of the head is enough */
	int64_t due_ns = pl_clock_now_ns() + LONG_NS;
	while (host_mark_count(scene->run_id) > 0)
		assert_true(pl_clock_now_ns() < due_ns);
	/* it was not the head that had to be killed by us */
	assert_true(host_process_stop(scene->process, LONG_NS, NULL));
}

/* Each generation forks the next and dies: no list of processes is ever up to date. */
static void test_host_proc_guard__outruns_what_forks_and_dies(void **state)
{
	static const char bomb[] = "trap '' TERM\nsh ./bomb & exit 0\n";
	struct scene *scene = *state;
	auto_free char *path = in_folder(scene, "bomb");
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(pl_file_write(path, bomb, strlen(bomb), &err), 0);
	start(scene, "trap '' TERM; sh ./bomb & setsid sh ./bomb & : > up; wait; sleep 1000");
	wait_for_file(scene, "up");
	assert_false(host_process_stop(scene->process, 20 * PL_NS_PER_MS, NULL));
	assert_int_equal(host_mark_count(scene->run_id), 0);
}

static void test_host_proc_guard__leaves_no_zombie(void **state)
{
	struct scene *scene = *state;
	auto_free struct host_proc *list = NULL;

	/* fifty orphans that the guard adopts, and they end */
	start(scene, "for i in 1 2 3 4 5 6 7 8 9 10; do sh -c 'sh -c \"exit 1\" & sh -c : & "
		     "exit 0' & done; wait; : > up; while :; do sleep 1000; done");
	wait_for_file(scene, "up");
	pid_t guard = host_guard_pid(scene->guard);
	int64_t due_ns = pl_clock_now_ns() + LONG_NS;
	size_t children;
	do {
		assert_true(pl_clock_now_ns() < due_ns);
		free(pl_take(list));
		size_t count = host_proc_list(&list);
		children = 0;
		for (size_t i = 0; i < count; i++)
			children += list[i].parent == guard;
	} while (children > 1); /* only the head */
}

static void test_host_proc_guard__holds_a_lock_until_the_last_is_gone(void **state)
{
	struct scene *scene = *state;
	auto_free char *path = in_folder(scene, "lock");
	struct pl_err err = PL_ERR_INIT;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(host_guard_hold(scene->guard, fd, &err), 0);
	start(scene, "trap '' TERM; (: > up; sleep 1000) & "
		     "wait; while :; do sleep 1000; done");
	wait_for_file(scene, "up");
	close(fd);
	int other = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
	end_run(scene);
	assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
	close(other);
}

static void test_host_proc_guard__free_ends_all(void **state)
{
	struct scene *scene = *state;

	start(scene, stubborn);
	wait_for_file(scene, "up");
	pid_t guard = host_guard_pid(scene->guard);
	end_run(scene);
	assert_int_equal(kill(guard, 0), -1);
	assert_int_equal(host_mark_count(scene->run_id), 0);
}

static void test_host_proc_guard__its_death_is_noticed(void **state)
{
	struct scene *scene = *state;
	char text[64];

	start(scene, stubborn);
	wait_for_file(scene, "up");
	pid_t head = host_process_pid(scene->process);
	kill(host_guard_pid(scene->guard), SIGKILL);
	assert_true(host_process_wait(scene->process, LONG_NS));
	assert_true(host_process_has_ended(scene->process));
	assert_true(host_guard_is_lost(scene->guard));
	assert_int_equal(host_process_status(scene->process), -1);
	assert_int_equal(host_process_signal(scene->process), 0);
	host_process_end_text(scene->process, text, sizeof(text));
	assert_string_equal(text, "its guard was killed");
	/* the kernel ended the head; the other processes still run */
	wait_for_death(head);
	assert_true(is_alive(read_pid(scene, "b")));
	host_process_stop(scene->process, LONG_NS, NULL);
	assert_int_equal(host_mark_count(scene->run_id), 0);
}

static void test_host_proc_guard__dead_guard_starts_nothing(void **state)
{
	struct scene *scene = *state;
	struct pl_err err = PL_ERR_INIT;

	kill(host_guard_pid(scene->guard), SIGKILL);
	wait_for_death(host_guard_pid(scene->guard));
	assert_int_equal(try_start(scene, "exit 0", &err), -1);
	assert_int_equal(err.code, PL_ERR_LAUNCH);
	assert_non_null(strstr(err.text, "guard"));
	assert_true(host_guard_is_lost(scene->guard));
}

static void test_host_proc_guard__heeds_no_signal_of_the_terminal(void **state)
{
	struct scene *scene = *state;
	pid_t guard = host_guard_pid(scene->guard);

	start(scene, "read line");
	assert_true(host_process_wait(scene->process, LONG_NS));
	assert_int_equal(host_process_status(scene->process), 1);
	kill(guard, SIGINT);
	kill(guard, SIGTERM);
	kill(guard, SIGHUP);
	host_process_free(pl_take(scene->process));
	start(scene, "exit 5");
	assert_true(host_process_wait(scene->process, LONG_NS));
	assert_int_equal(host_process_status(scene->process), 5);
	assert_int_equal(getsid(guard), guard);
}

/* ---- both dead: what the next command does ---- */

static char said_run[64];
static size_t said_killed, said_left, said_times;

static void report(const char *run_id, size_t killed, size_t left)
{
	snprintf(said_run, sizeof(said_run), "%s", run_id);
	said_killed = killed;
	said_left = left;
	said_times++;
}

static void test_host_reaper__live_run_is_not_touched(void **state)
{
	struct scene *scene = *state;
	auto_free char *entry = pl_asprintf("%s/runs/%s", scene->folder, scene->run_id);

	start(scene, stubborn);
	wait_for_file(scene, "up");
	assert_true(pl_file_exists(entry));
	said_times = 0;
	host_reaper_end_orphans(report);
	/* one of the two is enough */
	kill(host_guard_pid(scene->guard), SIGKILL);
	wait_for_death(host_guard_pid(scene->guard));
	host_reaper_end_orphans(report);
	assert_int_equal(said_times, 0);
	assert_true(is_alive(read_pid(scene, "b")));
	assert_true(pl_file_exists(entry));
	end_run(scene);
	assert_false(pl_file_exists(entry));
}

/* A profllm of the test's own, that is killed with its guard. */
static void kill_both(struct scene *scene, char run_id[64])
{
	snprintf(run_id, 64, "%s_both", scene->run_id);
	pid_t pid = fork();
	if (pid == 0) {
		struct pl_err err = PL_ERR_INIT;
		char mark[96];
		const char *const env[] = { mark, NULL };
		auto_free char *script = pl_asprintf("cd %s; %s", scene->folder, stubborn);
		const char *const argv[] = { "/bin/sh", "-c", script, NULL };

		snprintf(mark, sizeof(mark), "%s=%s", HOST_MARK_NAME, run_id);
		struct host_guard *guard = NULL;
		struct host_process *process = NULL;
		if (host_guard_start(run_id, &guard, &err) < 0)
			_exit(1);
		struct host_process_spec spec = { .argv = argv, .env = env, .guard = guard };
		if (host_process_start(&spec, &process, &err) < 0)
			_exit(2);
		wait_for_file(scene, "up");
		kill(host_guard_pid(guard), SIGKILL);
		wait_for_death(host_guard_pid(guard));
		kill(getpid(), SIGKILL);
	}
	int status = 0;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static void test_host_reaper__ends_what_both_left(void **state)
{
	struct scene *scene = *state;
	char run_id[64];

	kill_both(scene, run_id);
	auto_free char *entry = pl_asprintf("%s/runs/%s", scene->folder, run_id);
	assert_true(pl_file_exists(entry));
	assert_true(is_alive(read_pid(scene, "b")));
	said_times = 0;
	host_reaper_end_orphans(report);
	assert_int_equal(said_times, 1);
	assert_string_equal(said_run, run_id);
	assert_in_range(said_killed, 3, 5);
	assert_int_equal(said_left, 0);
	assert_int_equal(host_mark_count(run_id), 0);
	assert_false(pl_file_exists(entry));
	host_reaper_end_orphans(report);
	assert_int_equal(said_times, 1);
}

static void plant(const struct scene *scene, const char *name, const char *text)
{
	auto_free char *path = in_folder(scene, name);
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(pl_file_write(path, text, strlen(text), &err), 0);
}

/* The directory may contain files of other programs. */
static void test_host_reaper__strange_files_do_nothing(void **state)
{
	struct scene *scene = *state;
	auto_free char *link = in_folder(scene, "runs/link");
	auto_free char *fifo = in_folder(scene, "runs/fifo");

	start(scene, stubborn);
	wait_for_file(scene, "up");
	plant(scene, "runs/empty", "");
	plant(scene, "runs/.test_1.999999999", "");
	plant(scene, "runs/words", "these are no numbers");
	plant(scene, "runs/few", "1 2 3");
	plant(scene, "runs/a-b", "1 1 1 1 1");
	plant(scene, "runs/other_namespace", "1 999999999 1 999999999 1");
	assert_int_equal(symlink("/etc/passwd", link), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	said_times = 0;
	host_reaper_end_orphans(report);
	assert_int_equal(said_times, 0);
	assert_true(is_alive(host_process_pid(scene->process)));
	/* what a killed writer left under no name */
	auto_free char *unfinished = in_folder(scene, "runs/.test_1.999999999");
	assert_false(pl_file_exists(unfinished));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void test_host_proc_guard__finds_descendants(void **state)
{
	(void)state;
	assert_true(host_proc_may_descend(getpid(), getpid()));
	assert_true(host_proc_may_descend(getpid(), getppid()));
	assert_false(host_proc_may_descend(getppid(), getpid()));
	/* what cannot be seen may be anything */
	assert_true(host_proc_may_descend(INT_MAX, getpid()));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_host_proc_guard__exit_status_and_output),
		TEST(test_host_proc_guard__missing_program),
		TEST(test_host_proc_guard__starts_one_after_the_other),
		TEST(test_host_proc_guard__signal_that_ended_it),
		TEST(test_host_proc_guard__environment_larger_than_a_packet),
		TEST(test_host_proc_guard__server_inherits_nothing),
		TEST(test_host_proc_guard__stop_is_gentle_first),
		TEST(test_host_proc_guard__kills_after_the_deadline),
		TEST(test_host_proc_guard__kills_at_once_when_in_a_hurry),
		TEST(test_host_proc_guard__ends_processes_that_outlive_the_head),
		TEST(test_host_proc_guard__outruns_what_forks_and_dies),
		TEST(test_host_proc_guard__leaves_no_zombie),
		TEST(test_host_proc_guard__holds_a_lock_until_the_last_is_gone),
		TEST(test_host_proc_guard__free_ends_all),
		TEST(test_host_proc_guard__its_death_is_noticed),
		TEST(test_host_proc_guard__dead_guard_starts_nothing),
		TEST(test_host_proc_guard__heeds_no_signal_of_the_terminal),
		TEST(test_host_reaper__live_run_is_not_touched),
		TEST(test_host_reaper__ends_what_both_left),
		TEST(test_host_reaper__strange_files_do_nothing),
		TEST(test_host_proc_guard__finds_descendants),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
