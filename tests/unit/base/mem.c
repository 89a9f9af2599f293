#include "base/mem.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void test_base_mem__alloc_is_zeroed_and_never_null(void **state)
{
	static const size_t sizes[] = { 0, 1, 17, 4096 };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(sizes); i++) {
		auto_free unsigned char *bytes = pl_alloc(sizes[i]);
		assert_non_null(bytes);
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(bytes[j], 0);
	}
	auto_free void *none = pl_alloc_array(0, 8);
	assert_non_null(none);
	auto_free int *numbers = pl_alloc_array(5, sizeof(int));
	numbers = pl_realloc_array(numbers, 500, sizeof(int));
	for (int i = 0; i < 5; i++)
		assert_int_equal(numbers[i], 0);
	numbers[499] = 1;
}

static void test_base_mem__grow_zeroes_the_new_part(void **state)
{
	void *items = NULL;
	size_t room = 0;

	(void)state;
	pl_grow(&items, &room, 0, sizeof(int));
	assert_null(items);
	for (int need = 1; need <= 1000; need++) {
		pl_grow(&items, &room, (size_t)need, sizeof(int));
		assert_true(room >= (size_t)need);
		assert_int_equal(((int *)items)[need - 1], 0);
		((int *)items)[need - 1] = need;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(((int *)items)[i], i + 1);
	free(items);
}

static void test_base_mem__copies(void **state)
{
	(void)state;
	assert_null(pl_strdup(NULL));
	assert_null(pl_strndup(NULL, 3));
	auto_free char *whole = pl_strdup("abc");
	auto_free char *part = pl_strndup("abc", 2);
	auto_free char *bytes = pl_memdup("a\0c", 3);
	auto_free char *none = pl_memdup(NULL, 0);
	auto_free char *format = pl_asprintf("%d-%s", 7, "x");
	assert_string_equal(whole, "abc");
	assert_string_equal(part, "ab");
	assert_memory_equal(bytes, "a\0c", 4); /* a NUL follows */
	assert_string_equal(none, "");
	assert_string_equal(format, "7-x");
}

static void test_base_mem__take_leaves_null(void **state)
{
	char *mine = pl_strdup("x");
	char *theirs = pl_take(mine);

	(void)state;
	assert_null(mine);
	assert_string_equal(theirs, "x");
	free(theirs);
}

static void test_base_mem__fd_is_closed_at_scope_end(void **state)
{
	int retained;

	(void)state;
	{
		auto_fd int fd = open("/dev/null", O_RDONLY);
		retained = fd;
		assert_true(fcntl(retained, F_GETFD) >= 0);
	}
	assert_int_equal(fcntl(retained, F_GETFD), -1);
	{
		auto_fd int none = -1;
		(void)none;
	}
}

static void test_base_mem__arena(void **state)
{
	static const size_t sizes[] = { 1, 15, 16, 17, 0, 100, 255, 256, 257, 100000, 3 };
	struct pl_arena *arena = pl_arena_new(1);
	unsigned char *given[PL_ARRAY_SIZE(sizes)];

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(sizes); i++) {
		given[i] = pl_arena_alloc(arena, sizes[i]);
		assert_int_equal((uintptr_t)given[i] % 16, 0);
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(given[i][j], 0);
		memset(given[i], (int)i + 1, sizes[i]);
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(sizes); i++) {
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(given[i][j], i + 1);
	}
	pl_arena_free(arena);
	pl_arena_free(NULL);
}

static void test_base_mem__arena_text(void **state)
{
	struct pl_arena *arena = pl_arena_new(256);

	(void)state;
	char *text = pl_arena_strndup(arena, "abcdef", 3);
	char *empty = pl_arena_strndup(arena, "", 0);
	assert_string_equal(text, "abc");
	assert_string_equal(empty, "");
	pl_arena_free(arena);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_mem__alloc_is_zeroed_and_never_null),
		cmocka_unit_test(test_base_mem__grow_zeroes_the_new_part),
		cmocka_unit_test(test_base_mem__copies),
		cmocka_unit_test(test_base_mem__take_leaves_null),
		cmocka_unit_test(test_base_mem__fd_is_closed_at_scope_end),
		cmocka_unit_test(test_base_mem__arena),
		cmocka_unit_test(test_base_mem__arena_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
