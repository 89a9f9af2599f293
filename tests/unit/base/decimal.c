#include "base/decimal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double of_bits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double read_back(uint64_t digits, int exponent)
{
	char text[64];

	snprintf(text, sizeof(text), "%llue%d", (unsigned long long)digits, exponent);
	return strtod(text, NULL);
}

static bool is_same(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

/* It reads back; with one digit less neither neighbour does; and of as many digits none is nearer: "%.*e" is
 * the nearest of all with so many, and where that reads back, too, it has to be this one. */
static void check(double value)
{
	struct pl_decimal decimal = pl_decimal_of(value);
	char digits[32], nearest[64];
	int count = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)decimal.digits);

	if (!is_same(read_back(decimal.digits, decimal.exponent), value) || count > 17 ||
	    decimal.digits % 10 == 0)
		fail_msg("%a: %se%d", value, digits, decimal.exponent);
	uint64_t shorter = decimal.digits / 10;
	if (count > 1 &&
	    ((shorter > 0 && is_same(read_back(shorter, decimal.exponent + 1), value)) ||
	     is_same(read_back(shorter + 1, decimal.exponent + 1), value)))
		fail_msg("%a: %se%d is not the shortest", value, digits, decimal.exponent);
	snprintf(nearest, sizeof(nearest), "%.*e", count - 1, value);
	if (is_same(strtod(nearest, NULL), value)) {
		char *e = strchr(nearest, 'e');
		assert_int_equal(atoi(e + 1), decimal.exponent + count - 1);
		*e = '\0';
		assert_int_equal(nearest[0], digits[0]);
		assert_string_equal(nearest + (count > 1 ? 2 : 1), digits + 1);
	}
}

static void test_base_decimal__every_exponent(void **state)
{
	uint64_t draw = 1;

	(void)state;
	for (uint64_t exponent = 0; exponent < 2047; exponent++) {
		uint64_t bits = exponent << 52;
		if (bits > 0)
			check(of_bits(bits)); /* a power of two */
		check(of_bits(bits + 1));
		check(of_bits(bits + ((1ull << 52) - 1)));
		for (int i = 0; i < 20; i++) {
			draw = draw * 6364136223846793005u + 1442695040888963407u;
			check(of_bits(bits | draw >> 12 | 1));
		}
	}
}

static void test_base_decimal__few_digits(void **state)
{
	(void)state;
	for (int exponent = -300; exponent <= 300; exponent += 7) {
		for (uint64_t digits = 1; digits < 2000; digits += 13)
			check(read_back(digits, exponent));
	}
	struct pl_decimal least = pl_decimal_of(of_bits(1));
	assert_int_equal(least.digits, 5);
	assert_int_equal(least.exponent, -324);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_decimal__every_exponent),
		cmocka_unit_test(test_base_decimal__few_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
