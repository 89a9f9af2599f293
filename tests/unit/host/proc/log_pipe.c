/* The output of children is redacted before it reaches their log: our own children's and a guard's. */
#include "host/proc/log_pipe.h"

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
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/redact.h"
#include "base/scratch.h"
#include "base/text.h"
#include "host/proc/guard.h"
#include "host/proc/process.h"

#define LONG_NS (60 * PL_NS_PER_S)
#define SECRET  "sk-Pl4nted-S3cret"

struct scene {
	char folder[SCRATCH_PATH];
	char *log;
	struct host_guard *guard;
};

static int set_up(void **state)
{
	struct scene *scene = pl_alloc(sizeof(*scene));

	scratch_folder(scene->folder);
	setenv("PROFLLM_LOCK_DIR", scene->folder, 1);
	scene->log = pl_asprintf("%s/log", scene->folder);
	*state = scene;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *scene = *state;

	host_guard_free(scene->guard);
	free(scene->log);
	free(scene);
	return 0;
}

static void start_guard(struct scene *scene)
{
	struct pl_err err = PL_ERR_INIT;

	if (host_guard_start("test_log_pipe", &scene->guard, &err) < 0)
		fail_msg("%s", err.text);
}

static struct host_process *start(struct scene *scene, const char *script)
{
	const char *const argv[] = { "/bin/sh", "-c", script, NULL };
	const char *const env[] = { "PROFLLM_RUN=test_log_pipe", NULL };
	struct host_process_spec spec = {
		.argv = argv, .env = env, .log_path = scene->log, .guard = scene->guard
	};
	struct host_process *process = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (host_process_start(&spec, &process, &err) < 0)
		fail_msg("%s", err.text);
	return process;
}

static char *log_of(struct scene *scene)
{
	char *text = pl_file_text(scene->log, 1 << 20, NULL);

	assert_non_null(text);
	return text;
}

/* The log is whole as soon as the end is known. */
static void assert_logged(struct scene *scene, const char *script, const char *expected)
{
	auto_process struct host_process *process = start(scene, script);
	struct stat st;

	assert_int_equal(stat(scene->log, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	while (!host_process_wait(process, LONG_NS)) {}
	host_process_stop(process, LONG_NS, NULL);
	auto_free char *text = log_of(scene);
	assert_string_equal(text, expected);
}

static void assert_cases(struct scene *scene)
{
	assert_logged(scene, "printf 'key " SECRET "\\n'; echo err " SECRET " >&2",
		      "key ***\nerr ***\n");
	assert_logged(scene, "printf 'key sk-Pl4n'; sleep 0.05; printf 'ted-S3cret.'", "key ***.");
	assert_logged(scene, "printf 'killed at sk-Pl4nt'; kill -9 $$", "killed at ***");
	assert_logged(scene, "printf 'not at sk-Pl5nt'; exit 3", "not at sk-Pl5nt");
	/* left behind by the head, in the same log */
	if (scene->guard != NULL)
		assert_logged(scene, "trap '' TERM; (sleep 0.1; echo late " SECRET ") & echo head",
			      "head\nlate ***\n");
}

static void test_host_log_pipe__own_child(void **state)
{
	assert_cases(*state);
}

static void test_host_log_pipe__guarded(void **state)
{
	start_guard(*state);
	assert_cases(*state);
}

/* A line is in the log long before the child ends. */
static void test_host_log_pipe__is_prompt(void **state)
{
	struct scene *scene = *state;

	for (int guarded = 0; guarded < 2; guarded++) {
		if (guarded)
			start_guard(scene);
		auto_process struct host_process *process = start(scene, "echo begun " SECRET
									 "; exec sleep 600");
		int64_t due_ns = pl_clock_now_ns() + LONG_NS;
		for (;;) {
			auto_free char *text = log_of(scene);
			if (strcmp(text, "begun ***\n") == 0)
				break;
			assert_string_equal(text, "");
			assert_true(pl_clock_now_ns() < due_ns);
			usleep(1000);
		}
		host_process_stop(process, 0, NULL);
	}
}

static void test_host_log_pipe__no_pipe_for_a_device(void **state)
{
	auto_fd int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct host_log_pipe *log = NULL;
	int fd = 0;

	(void)state;
	assert_int_equal(host_log_pipe_open(null_fd, &log, &fd), 0);
	assert_null(log);
	assert_int_equal(fd, -1);
	assert_int_equal(host_log_pipe_open(-1, &log, &fd), 0);
	assert_null(log);
	host_log_pipe_close(log);
	host_log_pipe_drain(log);
}

/* Much more than the pipe holds; the child is not slowed down to a crawl. */
static void test_host_log_pipe__flood(void **state)
{
	struct scene *scene = *state;
	struct stat st;

	start_guard(scene);
	int64_t from_ns = pl_clock_now_ns();
	auto_process struct host_process *process = start(scene, "yes 'INFO a line of a log " SECRET
								 "' | head -c 39000000");
	while (!host_process_wait(process, LONG_NS)) {}
	host_process_stop(process, LONG_NS, NULL);
	printf("%.0f MB/s\n", 39e9 / (double)(pl_clock_now_ns() - from_ns));
	assert_int_equal(stat(scene->log, &st), 0);
	/* 39 bytes per line, 17 of them the secret */
	assert_int_equal(st.st_size, 1000000 * 25);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_host_log_pipe__own_child, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_host_log_pipe__guarded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_host_log_pipe__is_prompt, set_up, tear_down),
		cmocka_unit_test(test_host_log_pipe__no_pipe_for_a_device),
		cmocka_unit_test_setup_teardown(test_host_log_pipe__flood, set_up, tear_down),
	};

	pl_redact_add(SECRET);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
