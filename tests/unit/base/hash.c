#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/mem.h"

#define BYTES  40
#define TEXTS  20000
#define SLOTS  65536
#define CHAINS 6 /* of random numbers, no slot of these has more */

/* Every bit of every byte counts, and the length, also that of zeros. */
static void test_base_hash__words_depend_on_each_bit(void **state)
{
	unsigned char bytes[BYTES] = { 0 };

	(void)state;
	for (size_t len = 0; len <= BYTES; len++) {
		uint64_t hash = pl_hash_words(PL_HASH_NONE, bytes, len);
		for (size_t bit = 0; bit < len * 8; bit++) {
			bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
			uint64_t other = pl_hash_words(PL_HASH_NONE, bytes, len);
			bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
			/* tables use the low bits */
			assert_int_not_equal((uint32_t)hash, (uint32_t)other);
		}
		if (len < BYTES)
			assert_int_not_equal((uint32_t)hash,
					     (uint32_t)pl_hash_words(PL_HASH_NONE, bytes, len + 1));
	}
}

/* Texts that differ in a number spread over a table. */
static void test_base_hash__words_spread(void **state)
{
	auto_free unsigned char *counts = pl_alloc(SLOTS);
	char text[64];

	(void)state;
	for (unsigned i = 0; i < TEXTS; i++) {
		int len = snprintf(text, sizeof(text), "[\"vllm\",\"serve\",\"--seed\",\"%u\"]", i);
		counts[pl_hash_words(PL_HASH_NONE, text, (size_t)len) % SLOTS]++;
	}
	for (size_t i = 0; i < SLOTS; i++)
		assert_true(counts[i] <= CHAINS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_hash__words_depend_on_each_bit),
		cmocka_unit_test(test_base_hash__words_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
