#include "host/user.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

static void test_host_user__names(void **state)
{
	(void)state;
	auto_free char *root = host_user_name(0);
	/* the neighbor of overflowuid: no user has it */
	auto_free char *unknown = host_user_name((uid_t)0xfffffff0u);

	assert_string_equal(root, "root");
	assert_string_equal(unknown, "4294967280");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_user__names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
