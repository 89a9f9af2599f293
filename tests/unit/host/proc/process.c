#include "host/proc/process.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/scratch.h"
#include "host/proc/mark.h"

#define LONG_NS (60 * PL_NS_PER_S)

/* Hold our pid: tests of another source tree may run at the same time, and marks are the host's. */
static char own[32], own_mark[64];

static struct host_process *start_shell(const char *script, const char *const *env,
					const char *log_path)
{
	const char *const argv[] = { "/bin/sh", "-c", script, NULL };
	struct host_process_spec spec = { .argv = argv, .env = env, .log_path = log_path };
	struct host_process *process = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (host_process_start(&spec, &process, &err) < 0)
		fail_msg("%s", err.text);
	return process;
}

/* Waits for a file that the child makes; the parent looks, the child decides when. */
static void wait_for_file(const char *path)
{
	int64_t due_ns = pl_clock_now_ns() + LONG_NS;

	while (!pl_file_exists(path)) {
		assert_true(pl_clock_now_ns() < due_ns);
		pl_clock_sleep_until(pl_clock_now_ns() + PL_NS_PER_MS);
	}
}

static void test_host_proc_process__exit_status_and_output(void **state)
{
	(void)state;
	char path[SCRATCH_PATH], text[64];
	auto_free char *log = NULL;
	struct pl_err err = PL_ERR_INIT;

	close(scratch_file(path));
	auto_process struct host_process *process = start_shell("echo out; echo err >&2; exit 3",
								NULL, path);
	assert_true(host_process_wait(process, LONG_NS));
	assert_int_equal(host_process_status(process), 3);
	assert_int_equal(host_process_signal(process), 0);
	host_process_end_text(process, text, sizeof(text));
	assert_string_equal(text, "exit status 3");
	assert_int_equal(pl_file_read(path, 100, &log, NULL, &err), 0);
	assert_string_equal(log, "out\nerr\n");
}

/* A regular file or a link is replaced by a private file; a device or pipe is written to. */
static void test_host_proc_process__what_a_log_replaces(void **state)
{
	(void)state;
	char victim[SCRATCH_PATH], path[SCRATCH_PATH], text[8] = "";
	auto_free char *retained = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct stat st;

	close(scratch_file(victim));
	close(scratch_file(path));
	assert_int_equal(pl_file_write(victim, "mine", 4, &err), 0);
	assert_return_code(unlink(path), errno);
	assert_return_code(symlink(victim, path), errno);
	auto_process struct host_process *linked = start_shell("echo out", NULL, path);
	assert_true(host_process_wait(linked, LONG_NS));
	assert_int_equal(pl_file_read(victim, 100, &retained, NULL, &err), 0);
	assert_string_equal(retained, "mine");
	assert_return_code(lstat(path, &st), errno);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0600);

	assert_return_code(unlink(path), errno);
	assert_return_code(mkfifo(path, 0600), errno);
	auto_fd int fd = open(path, O_RDWR | O_CLOEXEC);
	auto_process struct host_process *piped = start_shell("echo out", NULL, path);
	assert_true(host_process_wait(piped, LONG_NS));
	assert_int_equal(read(fd, text, sizeof(text) - 1), 4);
	assert_string_equal(text, "out\n");
	assert_return_code(lstat(path, &st), errno);
	assert_true(S_ISFIFO(st.st_mode));
}

static void test_host_proc_process__missing_program(void **state)
{
	(void)state;
	const char *const argv[] = { "/no/such/program", NULL };
	struct host_process_spec spec = { .argv = argv };
	struct host_process *process = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(host_process_start(&spec, &process, &err), -1);
	assert_int_equal(err.code, PL_ERR_LAUNCH);
	assert_non_null(strstr(err.text, "'/no/such/program'"));
	assert_null(process);
}

static size_t count_descriptors(void)
{
	auto_dir dir = opendir("/proc/self/fd");
	size_t count = 0;

	assert_non_null(dir);
	while (pl_dir_next(dir) != NULL)
		count++;
	return count;
}

/* Neither a program that runs nor one that cannot leaves a descriptor open. */
static void test_host_proc_process__leaves_no_descriptor(void **state)
{
	(void)state;
	const char *const missing[] = { "/no/such/program", NULL };
	struct host_process_spec spec = { .argv = missing };
	size_t before = count_descriptors();

	for (int i = 0; i < 3; i++) {
		struct host_process *process = NULL;
		assert_int_equal(host_process_start(&spec, &process, PL_ERR_IGNORED), -1);
		assert_null(process);
		process = start_shell("exit 0", NULL, NULL);
		host_process_free(process);
	}
	assert_int_equal(count_descriptors(), before);
}

static void test_host_proc_process__environment_is_merged_into_ours(void **state)
{
	(void)state;
	const char *const env[] = { "PROFLLM_TEST_A=new", "PROFLLM_TEST_B=b", NULL };
	char path[SCRATCH_PATH];
	auto_free char *log = NULL;
	struct pl_err err = PL_ERR_INIT;

	setenv("PROFLLM_TEST_A", "old", 1);
	setenv("PROFLLM_TEST_C", "kept", 1);
	close(scratch_file(path));
	auto_process struct host_process *process = start_shell(
		"echo $PROFLLM_TEST_A $PROFLLM_TEST_B $PROFLLM_TEST_C", env, path);
	assert_true(host_process_wait(process, LONG_NS));
	assert_int_equal(pl_file_read(path, 100, &log, NULL, &err), 0);
	assert_string_equal(log, "new b kept\n");
}

static void test_host_proc_process__stop_is_gentle_first(void **state)
{
	(void)state;
	char path[SCRATCH_PATH], ready[SCRATCH_PATH + 8], text[64];

	close(scratch_file(path));
	snprintf(ready, sizeof(ready), "%s.ready", path);
	auto_free char *script = pl_asprintf(
		"trap 'exit 7' TERM; : > %s; while :; do sleep 0.01; done", ready);
	auto_process struct host_process *process = start_shell(script, NULL, path);
	assert_false(host_process_wait(process, 0));
	assert_int_equal(host_process_status(process), -1);
	assert_false(host_process_has_ended(process));
	wait_for_file(ready);
	assert_true(host_process_stop(process, LONG_NS, NULL));
	assert_int_equal(host_process_status(process), 7);
	host_process_end_text(process, text, sizeof(text));
	assert_string_equal(text, "exit status 7");
}

/* A child that ignores SIGTERM, and its own child; *hurry: the caller asks for the kill. */
static void stop_stubborn(int64_t deadline_ns, const atomic_int *hurry)
{
	const char *const env[] = { own_mark, NULL };
	char path[SCRATCH_PATH], ready[SCRATCH_PATH + 8];

	close(scratch_file(path));
	snprintf(ready, sizeof(ready), "%s.ready", path);
	auto_free char *script = pl_asprintf("trap '' TERM; sleep 1000 & : > %s; wait; sleep 1000",
					     ready);
	auto_process struct host_process *process = start_shell(script, env, path);
	wait_for_file(ready);
	assert_false(host_process_stop(process, deadline_ns, hurry));
	assert_int_equal(host_process_signal(process), SIGKILL);
	assert_int_equal(host_process_status(process), 128 + SIGKILL);
	/* its child was in its group */
	assert_int_equal(host_mark_kill(own, LONG_NS), 0);
}

static void test_host_proc_process__kills_after_the_deadline(void **state)
{
	(void)state;
	stop_stubborn(50 * PL_NS_PER_MS, NULL);
}

static void test_host_proc_process__kills_at_once_when_in_a_hurry(void **state)
{
	(void)state;
	atomic_int hurry = 2;

	stop_stubborn(1000 * PL_NS_PER_S, &hurry);
}

static void test_host_proc_process__free_leaves_nothing(void **state)
{
	(void)state;
	struct host_process *process = start_shell("sleep 1000", NULL, NULL);
	pid_t pid = host_process_pid(process);

	host_process_free(process);
	assert_int_equal(kill(pid, 0), -1);
	host_process_free(NULL);
}

static void test_host_mark__finds_what_left_its_session(void **state)
{
	(void)state;
	const char *const env[] = { own_mark, NULL };
	char path[SCRATCH_PATH], ready[SCRATCH_PATH + 8];

	close(scratch_file(path));
	snprintf(ready, sizeof(ready), "%s.ready", path);
	auto_free char *script = pl_asprintf(
		"setsid /bin/sh -c ': > %s; while :; do sleep 0.1; done' & "
		"while [ ! -e %s ]; do sleep 0.01; done; exit 0",
		ready, ready);
	auto_process struct host_process *process = start_shell(script, env, path);
	assert_true(host_process_wait(process, LONG_NS));
	/* the shell has ended and its group was killed; what left it is alive, with its own
	 * child */
	assert_in_range(host_mark_count(own), 1, 2);
	/* the whole mark, not its beginning */
	assert_int_equal(host_mark_count("test_mark"), 0);
	assert_int_equal(host_mark_kill(own, LONG_NS), 0);
	assert_int_equal(host_mark_count(own), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_proc_process__exit_status_and_output),
		cmocka_unit_test(test_host_proc_process__what_a_log_replaces),
		cmocka_unit_test(test_host_proc_process__missing_program),
		cmocka_unit_test(test_host_proc_process__leaves_no_descriptor),
		cmocka_unit_test(test_host_proc_process__environment_is_merged_into_ours),
		cmocka_unit_test(test_host_proc_process__stop_is_gentle_first),
		cmocka_unit_test(test_host_proc_process__kills_after_the_deadline),
		cmocka_unit_test(test_host_proc_process__kills_at_once_when_in_a_hurry),
		cmocka_unit_test(test_host_proc_process__free_leaves_nothing),
		cmocka_unit_test(test_host_mark__finds_what_left_its_session),
	};

	snprintf(own, sizeof(own), "test_mark_%d", (int)getpid());
	snprintf(own_mark, sizeof(own_mark), HOST_MARK_NAME "=%s", own);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
