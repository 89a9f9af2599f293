#include "host/gpu/nvidia_smi.h"

#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/scratch.h"
#include "base/text.h"

#define FIXTURES PROFLLM_SOURCE_DIR "/tests/fuzz/corpus/host/gpu/nvidia_smi/"

/* A directory with a script that replaces nvidia-smi; it is the first entry of PATH. */
static char folder[SCRATCH_PATH];
static char *path_before;

static int set_up(void **state)
{
	(void)state;
	scratch_folder(folder);
	path_before = pl_strdup(getenv("PATH"));
	auto_free char *path = pl_asprintf("%s:%s", folder, path_before);
	setenv("PATH", path, 1);
	unsetenv("PROFLLM_NVML_LIB");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	setenv("PATH", path_before, 1);
	free(pl_take(path_before));
	return 0;
}

static char *write_script(const char *body)
{
	auto_free char *text = pl_asprintf("#!/bin/sh\n%s\n", body);
	char *path = pl_asprintf("%s/nvidia-smi", folder);
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(pl_file_write(path, text, strlen(text), &err), 0);
	assert_int_equal(chmod(path, 0755), 0);
	return path;
}

/* What `body` gives; 0 GPUs where it fails. */
static size_t read_script(const char *body, struct pl_err *err)
{
	auto_free char *script = write_script(body);
	struct host_gpu_list list = { 0 };
	int result = host_nvidia_smi_read(script, &list, err);
	size_t count = list.count;

	assert_int_equal(result, count > 0 ? 0 : -1);
	host_gpu_list_done(&list);
	return count;
}

/* Its arguments, nothing on standard input, standard error apart. */
static void test_output(void **state)
{
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	if (read_script("[ \"$#\" = 2 ] && [ \"$*\" = '-q -x' ] || exit 3\n"
			"echo aside >&2; cat; exec cat '" FIXTURES "two_gpus_mig.xml'",
			&err) != 4)
		fail_msg("%s", err.text);
}

static void test_ends_badly(void **state)
{
	static const struct {
		const char *body;
		const char *printed;
	} cases[] = {
		{ "echo 'it has failed'; exit 9", "ended with exit status 9: it has failed" },
		{ "exit 1", "ended with exit status 1: " },
		{ "kill -9 $$", "ended by signal 9" },
		{ "yes", "prints more than 16777216 bytes" },
		{ "echo '<nvidia_smi_log>'; exit 1", "ended with exit status 1: <nvidia_smi_log>" },
		{ "echo '<nvidia_smi_log><gpu></gpu>'", "/nvidia-smi': line 2: no element found" },
		{ "echo 'index, name'", "/nvidia-smi': found CSV, expected the XML of" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(read_script(cases[i].body, &err), 0);
		assert_non_null(strstr(err.text, cases[i].printed));
	}
}

/* The script and its child are gone when the call is back, though they ignore SIGTERM. */
static void test_hangs(void **state)
{
	auto_free char *pids = pl_asprintf("%s/pids", folder);
	auto_free char *body = pl_asprintf(
		"trap '' TERM; sleep 1000 & echo $! >'%s'; echo x; exec 1>&-; wait", pids);
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;
	int64_t pid;
	size_t len;

	(void)state;
	assert_int_equal(read_script(body, &err), 0);
	assert_int_equal(err.code, PL_ERR_TIMEOUT);
	assert_non_null(strstr(err.text, "did not finish within 5 s"));
	assert_int_equal(pl_file_read(pids, 64, &text, &len, &err), 0);
	assert_true(pl_text_to_i64(pl_text_trim(text), &pid));
	/* killed with the group: gone already, or about to end */
	int auto_fd pid_fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	if (pid_fd >= 0) {
		struct pollfd poll_fd = { .fd = pid_fd, .events = POLLIN };
		assert_int_equal(poll(&poll_fd, 1, 60000), 1);
	}
}

static void test_cannot_start(void **state)
{
	struct pl_err err = PL_ERR_INIT;
	struct host_gpu_list list = { 0 };

	(void)state;
	assert_int_equal(host_nvidia_smi_read("/nowhere/nvidia-smi", &list, &err), -1);
	assert_non_null(strstr(err.text, "could not run '/nowhere/nvidia-smi'"));
}

/* ---- as what host_gpus_open() falls back to ------------------------------ */

/* NULL where this machine has a driver of its own. */
static struct host_gpus *open_gpus(void)
{
	struct pl_err err = PL_ERR_INIT;
	struct host_gpus *gpus = NULL;

	assert_int_equal(host_gpus_open(&gpus, &err), 0);
	if (host_gpus_source(gpus) != HOST_GPU_NVML)
		return gpus;
	host_gpus_free(gpus);
	return NULL;
}

static void test_fall_back(void **state)
{
	/* the second call prints 2048 MiB, without the process; the third prints the second GPU
	 * only; the fourth fails */
	auto_free char *body = pl_asprintf(
		"[ \"$*\" = '-q -x' ] || exit 3\n"
		"echo x >>'%s/calls'\n"
		"case $(wc -l <'%s/calls') in\n"
		"1) sed -e 's/Made Up 80 .amp; More/NVIDIA H100 80GB HBM3/' "
		"'" FIXTURES "two_gpus_mig.xml';;\n"
		"2) sed -e 's/1037 MiB/2048 MiB/' -e '/<process_info>/,/<.process_info>/d' "
		"'" FIXTURES "two_gpus_mig.xml';;\n"
		"3) sed -e '/<gpu id=\"/,/<.gpu>/d' -e 's/25.25 W/26 W/' "
		"'" FIXTURES "two_gpus_mig.xml';;\n"
		"*) exit 9;; esac",
		folder, folder);
	auto_free char *script = write_script(body);
	struct host_gpu_process *list;
	struct host_gpu_state now;
	size_t count;

	(void)state;
	auto_gpus struct host_gpus *gpus = open_gpus();
	if (gpus == NULL)
		skip();
	assert_int_equal(host_gpus_source(gpus), HOST_GPU_NVIDIA_SMI);
	assert_int_equal(host_gpus_count(gpus), 4);
	assert_string_equal(host_gpus_driver(gpus), "570.10");
	assert_true(host_gpus_facts(gpus, 0)->compute_capability == 9.0);
	host_gpus_read(gpus, 0, &now);
	assert_true(now.memory_used_bytes == 1037 * 1048576.0);
	assert_int_equal(host_gpus_processes(gpus, 0, &list, &count), 0);
	assert_int_equal(count, 2);
	host_gpu_processes_free(list, count);
	/* of the same call */
	host_gpus_read(gpus, 3, &now);
	assert_true(now.power_w == 25.25);

	host_gpus_read(gpus, 0, &now);
	assert_true(now.memory_used_bytes == 2048 * 1048576.0);
	assert_int_equal(host_gpus_processes(gpus, 0, &list, &count), 0);
	assert_int_equal(count, 0);
	host_gpu_processes_free(list, count);
	assert_true(host_gpus_facts(gpus, 0)->compute_capability == 9.0);

	/* a lost GPU reports nothing, and the others keep their indexes */
	host_gpus_read(gpus, 0, &now);
	assert_true(isnan(now.memory_used_bytes));
	assert_int_equal(host_gpus_processes(gpus, 0, &list, &count), -1);
	host_gpus_read(gpus, 3, &now);
	assert_true(now.power_w == 26);
	assert_string_equal(host_gpus_facts(gpus, 0)->name, "NVIDIA H100 80GB HBM3");

	host_gpus_read(gpus, 3, &now);
	assert_true(isnan(now.power_w));
	assert_int_equal(host_gpus_count(gpus), 4);
}

static void test_nothing_there(void **state)
{
	auto_free char *script = write_script("echo 'No driver here'; exit 9");

	(void)state;
	auto_gpus struct host_gpus *gpus = open_gpus();
	if (gpus == NULL)
		skip();
	assert_int_equal(host_gpus_source(gpus), HOST_GPU_NONE);
	assert_int_equal(host_gpus_count(gpus), 0);
	assert_non_null(strstr(host_gpus_why(gpus), "libnvidia-ml.so.1"));
	assert_non_null(strstr(host_gpus_why(gpus), "ended with exit status 9: No driver here"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_output),       TEST(test_ends_badly), TEST(test_hangs),
		TEST(test_cannot_start), TEST(test_fall_back),  TEST(test_nothing_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
