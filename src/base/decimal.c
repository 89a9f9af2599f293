/*
 * A double is c * 2^q. All numbers that round to it are between (4c - 2) / 4 and (4c + 2) / 4 times
 * 2^q. These bounds and the value itself are scaled by the power of ten that leaves 16 or 17 digits
 * before the point. Their digits after the point are reduced to one bit ("rounded to odd"), which
 * is enough for comparisons. So no number here has more than 64 bits, and no search is needed.
 */
#include "base/decimal.h"

#include <stdbool.h>
#include <string.h>

#define FRACTION_BITS 52
#define BIAS          1075 /* of the exponent, with the fraction as a whole number */
#define POWERS_LEAST  -292 /* exponent of the table's first row */

__extension__ typedef unsigned __int128 uint128;

static const struct {
	uint64_t high, low;
} powers[] = {
#define POWER_OF_TEN(high, low) { high, low },
#include "tbl/powers_of_ten.h"
};

/* floor(log10) and floor(log2), as fractions that are accurate for every exponent of a double. */
static int log10_of_2_to(int n)
{
	return (n * 1262611) >> 22;
}

/* floor(log10(3/4 * 2^n)) */
static int log10_of_3_4_of_2_to(int n)
{
	return (n * 1262611 - 524031) >> 22;
}

static int log2_of_10_to(int n)
{
	return (n * 1741647) >> 19;
}

/* number * 10^n / 2^128, its lowest bit set where anything is lost. */
static uint64_t scale(uint64_t number, int n)
{
	uint128 low = (uint128)powers[n - POWERS_LEAST].low * number;
	uint128 sum = (uint128)powers[n - POWERS_LEAST].high * number + (uint64_t)(low >> 64);

	return (uint64_t)(sum >> 64) | ((uint64_t)sum > 1);
}

/* The last digit is not 0. */
static struct pl_decimal trimmed(uint64_t digits, int exponent)
{
	while (digits % 10 == 0) {
		digits /= 10;
		exponent++;
	}
	return (struct pl_decimal){ .digits = digits, .exponent = exponent };
}

struct pl_decimal pl_decimal_of(double value)
{
	uint64_t bits, c;
	int q;

	memcpy(&bits, &value, sizeof(bits));
	uint64_t fraction = bits & ((1ull << FRACTION_BITS) - 1);
	int biased = (int)(bits >> FRACTION_BITS);
	/* below a power of two, doubles are closer together */
	bool is_uneven = fraction == 0 && biased > 1;

	c = biased > 0 ? fraction | 1ull << FRACTION_BITS : fraction;
	q = (biased > 0 ? biased : 1) - BIAS;
	int k = is_uneven ? log10_of_3_4_of_2_to(q) : log10_of_2_to(q);
	int shift = q + log2_of_10_to(-k) + 1;
	uint64_t middle = scale(4 * c << shift, -k);
	uint64_t least = scale((4 * c - 2 + is_uneven) << shift, -k);
	uint64_t most = scale((4 * c + 2) << shift, -k);

	/* for an even c the bounds are included: they round to it */
	least += c & 1;
	most -= c & 1;
	/* at a tenfold coarser step at most one multiple is within the bounds */
	uint64_t tens = middle / 40;
	bool is_below = least <= 40 * tens, is_above = 40 * tens + 40 <= most;
	if (middle >= 40 && is_below != is_above)
		return trimmed(tens + is_above, k + 1);
	uint64_t ones = middle / 4;
	is_below = least <= 4 * ones;
	is_above = 4 * ones + 4 <= most;
	if (is_below != is_above)
		return trimmed(ones + is_above, k);
	/* both or none do: the nearer one, of two the even one */
	uint64_t half = 4 * ones + 2;
	return trimmed(ones + (middle > half || (middle == half && (ones & 1) != 0)), k);
}
