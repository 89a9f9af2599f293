#include "base/lru.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"

static unsigned freed;

static void value_free(void *value)
{
	freed++;
	free(value);
}

static bool add(struct pl_lru *lru, const char *key, size_t bytes)
{
	return pl_lru_add(lru, key, pl_strdup(key), bytes);
}

/* Returns the bytes of an entry with a key of one letter, without its value. */
static size_t overhead(void)
{
	struct pl_lru *lru = pl_lru_new(SIZE_MAX, value_free);

	add(lru, "k", 0);
	size_t bytes = pl_lru_bytes(lru);
	pl_lru_free(lru);
	return bytes;
}

static void test_base_lru__the_least_recently_used_leaves(void **state)
{
	size_t each = overhead() + 100;
	struct pl_lru *lru = pl_lru_new(3 * each, value_free);

	(void)state;
	freed = 0;
	assert_true(add(lru, "a", 100) && add(lru, "b", 100) && add(lru, "c", 100));
	assert_int_equal(pl_lru_bytes(lru), 3 * each);
	/* "a" is now newer than "b" */
	assert_string_equal(pl_lru_find(lru, "a"), "a");
	assert_true(add(lru, "d", 100));
	assert_int_equal(freed, 1);
	assert_null(pl_lru_find(lru, "b"));
	assert_string_equal(pl_lru_find(lru, "c"), "c");
	assert_string_equal(pl_lru_find(lru, "a"), "a");
	assert_string_equal(pl_lru_find(lru, "d"), "d");
	/* a larger one replaces several, the oldest first */
	assert_true(add(lru, "e", each + 100));
	assert_int_equal(freed, 3);
	assert_null(pl_lru_find(lru, "c"));
	assert_null(pl_lru_find(lru, "a"));
	assert_string_equal(pl_lru_find(lru, "d"), "d");
	assert_int_equal(pl_lru_bytes(lru), 3 * each);
	pl_lru_free(lru);
	assert_int_equal(freed, 5);
}

static void test_base_lru__refuses_known_keys_and_what_cannot_fit(void **state)
{
	struct pl_lru *lru = pl_lru_new(overhead() + 100, value_free);

	(void)state;
	freed = 0;
	assert_true(add(lru, "a", 100));
	void *value = pl_lru_find(lru, "a");
	assert_false(add(lru, "a", 1));
	assert_int_equal(freed, 1);
	assert_ptr_equal(pl_lru_find(lru, "a"), value);
	/* too large: the others remain */
	assert_false(add(lru, "b", 101));
	assert_int_equal(freed, 2);
	assert_ptr_equal(pl_lru_find(lru, "a"), value);
	pl_lru_empty(lru);
	assert_int_equal(freed, 3);
	assert_int_equal(pl_lru_bytes(lru), 0);
	assert_null(pl_lru_find(lru, "a"));
	assert_true(add(lru, "b", 100));
	pl_lru_free(lru);
	pl_lru_free(NULL);
}

/* More keys than buckets; each key is found until it is among the oldest. */
static void test_base_lru__many_keys(void **state)
{
	enum { KEYS = 40000, KEPT = 18000 };
	char key[16];
	struct pl_lru *lru = pl_lru_new(KEPT * (overhead() + 7), value_free);

	(void)state;
	freed = 0;
	for (int i = 0; i < KEYS; i++) {
		snprintf(key, sizeof(key), "%06d", i);
		/* the six letters are five bytes more than the key of overhead() */
		assert_true(add(lru, key, 2));
	}
	assert_int_equal(freed, KEYS - KEPT);
	for (int i = 0; i < KEYS; i++) {
		snprintf(key, sizeof(key), "%06d", i);
		const char *value = pl_lru_find(lru, key);
		assert_int_equal(value != NULL, i >= KEYS - KEPT);
		if (value != NULL)
			assert_string_equal(value, key);
	}
	pl_lru_free(lru);
	assert_int_equal(freed, KEYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_lru__the_least_recently_used_leaves),
		cmocka_unit_test(test_base_lru__refuses_known_keys_and_what_cannot_fit),
		cmocka_unit_test(test_base_lru__many_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
