#include "host/proc/oom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/scratch.h"

static int64_t kills_in(const char *text)
{
	char path[SCRATCH_PATH];
	int fd = scratch_file(path);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return host_oom_kills_in(path);
}

static void test_host_proc_oom__counters(void **state)
{
	(void)state;
	/* memory.events, memory.oom_control, vmstat */
	assert_int_equal(kills_in("low 0\nhigh 7\nmax 3\noom 2\noom_kill 5\noom_group_kill 1\n"),
			 5);
	assert_int_equal(kills_in("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"), 2);
	assert_int_equal(kills_in("pgfault 1\noom_kill 0\nnuma_hit 3\n"), 0);
	assert_int_equal(kills_in("oom_kill_disable 1\n"), -1);
	assert_int_equal(kills_in("oom_kill many\n"), -1);
	assert_int_equal(host_oom_kills_in("/nonexistent/memory.events"), -1);
}

static void test_host_proc_oom__never_falls(void **state)
{
	(void)state;
	int64_t before = host_oom_kills();

	assert_true(before >= -1);
	assert_true(host_oom_kills() >= before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_proc_oom__counters),
		cmocka_unit_test(test_host_proc_oom__never_falls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
