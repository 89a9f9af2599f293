#include "cli/cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_cli_commands__each_is_found_and_described(void **state)
{
	(void)state;
	size_t count = 0;

	for (const struct pl_command *cmd = cli_commands.items; cmd->name != NULL; cmd++, count++) {
		assert_ptr_equal(pl_command_find(&cli_commands, cmd->name), cmd);
		assert_non_null(cmd->run);
		assert_true(strlen(cmd->summary) > 0 && strlen(cmd->summary) <= 64);
	}
	assert_true(count >= 3);
}

static void test_cli_commands__unknown_ones_are_not_found(void **state)
{
	(void)state;
	assert_null(pl_command_find(&cli_commands, "rum"));
	assert_null(pl_command_find(&cli_commands, ""));
	assert_null(pl_command_find(&cli_commands, "runn"));
	assert_int_equal(cli_unknown_command("rum"), 2);
}

static void test_cli_commands__errors_give_their_exit_status(void **state)
{
	(void)state;
	struct pl_err err = PL_ERR_INIT;

	pl_err_set(&err, PL_ERR_BUSY, "port '1' is taken");
	assert_int_equal(cli_fail(&err), 5);
	pl_err_set(&err, PL_ERR_INVALID, "no");
	assert_int_equal(cli_fail(&err), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cli_commands__each_is_found_and_described),
		cmocka_unit_test(test_cli_commands__unknown_ones_are_not_found),
		cmocka_unit_test(test_cli_commands__errors_give_their_exit_status),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
