/* Blocks: who holds, which are free, which keep their name. */
#include "sim/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_sim_blocks__free_ones_keep_their_name(void **state)
{
	struct sim_blocks blocks;
	uint32_t a;
	uint32_t b;

	(void)state;
	sim_blocks_init(&blocks, 3);
	a = sim_blocks_take(&blocks);
	b = sim_blocks_take(&blocks);
	assert_int_equal(blocks.free_count, 1);
	sim_blocks_name(&blocks, a, 77);
	sim_blocks_name(&blocks, b, 77); /* said already */
	assert_int_equal(sim_blocks_find(&blocks, 77), a);
	sim_blocks_hold(&blocks, a);
	sim_blocks_drop(&blocks, a);
	assert_false(sim_blocks_forget(&blocks));
	sim_blocks_drop(&blocks, a);
	sim_blocks_drop(&blocks, b);
	assert_int_equal(blocks.free_count, 3);
	assert_int_equal(sim_blocks_find(&blocks, 77), a);
	/* the free one that was never held comes first, then a: its name goes */
	assert_int_not_equal(sim_blocks_take(&blocks), a);
	assert_int_equal(sim_blocks_find(&blocks, 77), a);
	assert_int_equal(sim_blocks_take(&blocks), a);
	assert_int_equal(sim_blocks_find(&blocks, 77), SIM_NO_BLOCK);
	sim_blocks_done(&blocks);
}

static void test_sim_blocks__revived_from_the_middle(void **state)
{
	struct sim_blocks blocks;

	(void)state;
	sim_blocks_init(&blocks, 3);
	sim_blocks_hold(&blocks, 1);
	assert_int_equal(blocks.free_count, 2);
	assert_int_equal(sim_blocks_take(&blocks), 0);
	assert_int_equal(sim_blocks_take(&blocks), 2);
	assert_int_equal(blocks.free_count, 0);
	sim_blocks_drop(&blocks, 1);
	assert_int_equal(sim_blocks_take(&blocks), 1);
	sim_blocks_done(&blocks);
}

static void test_sim_blocks__forget(void **state)
{
	struct sim_blocks blocks;
	uint32_t a;

	(void)state;
	sim_blocks_init(&blocks, 2);
	a = sim_blocks_take(&blocks);
	sim_blocks_name(&blocks, a, 5);
	sim_blocks_drop(&blocks, a);
	assert_true(sim_blocks_forget(&blocks));
	assert_int_equal(sim_blocks_find(&blocks, 5), SIM_NO_BLOCK);
	sim_blocks_done(&blocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sim_blocks__free_ones_keep_their_name),
		cmocka_unit_test(test_sim_blocks__revived_from_the_middle),
		cmocka_unit_test(test_sim_blocks__forget),
	};

	return cmocka_run_group_tests_name("test_sim_blocks", tests, NULL, NULL);
}
