#include "base/unique.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void test_base_unique__calls_differ(void **state)
{
	uint32_t first = pl_unique_u32();

	(void)state;
	/* three in a row are equal once in 2^64 times */
	assert_true(pl_unique_u32() != first || pl_unique_u32() != first);
}

/* From here on the kernel has no getrandom(). False: it does not let us. */
static bool forbid_getrandom(void)
{
	struct sock_filter rows[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(rows) / sizeof(rows[0]), rows };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

static void test_base_unique__a_sandbox_without_random_numbers(void **state)
{
	enum { DIFFER, EQUAL, NO_SANDBOX };
	int status;

	(void)state;
	pid_t child = fork();
	if (child == 0) {
		if (!forbid_getrandom())
			_exit(NO_SANDBOX);
		_exit(pl_unique_u32() != pl_unique_u32() ? DIFFER : EQUAL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_SANDBOX)
		skip();
	assert_int_equal(WEXITSTATUS(status), DIFFER);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_unique__calls_differ),
		cmocka_unit_test(test_base_unique__a_sandbox_without_random_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
