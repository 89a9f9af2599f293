/*
 * jansson's own json_equal() has 1 and 1.0 for two values and compares whole numbers with others not
 * at all; JSON Schema has one kind of numbers.
 */
#include "schema/value.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

/* 2^63, which a double can hold; jansson's largest integer is one less. */
#define I64_ABOVE 9223372036854775808.0
/* All deeper ones have one hash; the caller compares them. */
#define HASH_DEPTH_MAX 64
#define HASH_START     14695981039346656037u
#define HASH_FACTOR    1099511628211u

static int sign(bool less, bool more)
{
	return more - less;
}

static int compare_mixed(json_int_t whole, double real)
{
	if (real >= I64_ABOVE)
		return -1;
	if (real < -I64_ABOVE)
		return 1;
	json_int_t cut = (json_int_t)real;
	if (whole != cut)
		return sign(whole<cut, whole> cut);
	double rest = real - (double)cut;
	return sign(rest > 0, rest < 0);
}

int schema_value_compare(const json_t *a, const json_t *b)
{
	if (json_is_integer(a) && json_is_integer(b))
		return sign(json_integer_value(a) < json_integer_value(b),
			    json_integer_value(a) > json_integer_value(b));
	if (json_is_integer(a))
		return compare_mixed(json_integer_value(a), json_real_value(b));
	if (json_is_integer(b))
		return -compare_mixed(json_integer_value(b), json_real_value(a));
	return sign(json_real_value(a) < json_real_value(b),
		    json_real_value(a) > json_real_value(b));
}

bool schema_value_is_whole(const json_t *number)
{
	return json_is_integer(number) ||
	       (json_is_real(number) && trunc(json_real_value(number)) == json_real_value(number));
}

bool schema_value_is_multiple(const json_t *number, const json_t *of)
{
	if (json_is_integer(number) && json_is_integer(of))
		return json_integer_value(number) % json_integer_value(of) == 0;
	double value = json_number_value(number), step = json_number_value(of);
	/* the remainder of a division is exact, but users mean the quotient: "a multiple of 0.1" */
	if (json_is_integer(of) || !isfinite(value / step))
		return fmod(value, step) == 0;
	return trunc(value / step) == value / step;
}

static bool same_objects(const json_t *a, const json_t *b)
{
	const char *key;
	size_t key_len;
	json_t *value;

	if (json_object_size(a) != json_object_size(b))
		return false;
	json_object_keylen_foreach((json_t *)a, key, key_len, value)
	{
		const json_t *other = json_object_getn(b, key, key_len);
		if (other == NULL || !schema_value_same(value, other))
			return false;
	}
	return true;
}

static bool same_arrays(const json_t *a, const json_t *b)
{
	size_t count = json_array_size(a);

	if (count != json_array_size(b))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!schema_value_same(json_array_get(a, i), json_array_get(b, i)))
			return false;
	}
	return true;
}

bool schema_value_same(const json_t *a, const json_t *b)
{
	if (json_is_number(a) && json_is_number(b))
		return schema_value_compare(a, b) == 0;
	if (json_typeof(a) != json_typeof(b))
		return false;
	if (json_is_string(a))
		return json_string_length(a) == json_string_length(b) &&
		       memcmp(json_string_value(a), json_string_value(b), json_string_length(a)) ==
			       0;
	if (json_is_array(a))
		return same_arrays(a, b);
	return !json_is_object(a) || same_objects(a, b);
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t len)
{
	for (const unsigned char *at = data, *end = at + len; at < end; at++)
		hash = (hash ^ *at) * HASH_FACTOR;
	return hash;
}

static uint64_t hash_value(const json_t *json, unsigned depth);

/* The sum of its members', in whatever order they are. */
static uint64_t hash_object(const json_t *json, unsigned depth)
{
	uint64_t sum = JSON_OBJECT;
	const char *key;
	size_t key_len;
	json_t *value;

	json_object_keylen_foreach((json_t *)json, key, key_len, value)
	{
		uint64_t member = hash_value(value, depth + 1);
		sum += hash_bytes(hash_bytes(HASH_START, key, key_len), &member, sizeof(member));
	}
	return sum;
}

static uint64_t hash_value(const json_t *json, unsigned depth)
{
	uint64_t hash = HASH_START + (uint64_t)json_typeof(json);

	if (depth > HASH_DEPTH_MAX)
		return 0;
	if (json_is_number(json)) {
		/* equal numbers are equal doubles, and -0 becomes 0 */
		double value = json_number_value(json) + 0.0;
		return hash_bytes(HASH_START, &value, sizeof(value));
	}
	if (json_is_string(json))
		return hash_bytes(hash, json_string_value(json), json_string_length(json));
	if (json_is_object(json))
		return hash_object(json, depth);
	PL_JSON_EACH(item, json) {
		uint64_t one = hash_value(item, depth + 1);
		hash = hash_bytes(hash, &one, sizeof(one));
	}
	return hash;
}

struct hashed {
	uint64_t hash;
	size_t at;
};

static int by_hash(const void *a, const void *b)
{
	const struct hashed *one = a, *other = b;

	if (one->hash != other->hash)
		return one->hash < other->hash ? -1 : 1;
	return sign(one->at<other->at, one->at> other->at);
}

bool schema_value_find_twice(const json_t *array, size_t *work, size_t *ret_first,
			     size_t *ret_second)
{
	size_t count = json_array_size(array);
	auto_free struct hashed *items = pl_alloc_array(count, sizeof(*items));

	for (size_t i = 0; i < count; i++)
		items[i] = (struct hashed){ hash_value(json_array_get(array, i), 0), i };
	qsort(items, count, sizeof(*items), by_hash);
	for (size_t i = 0; i < count; i++) {
		for (size_t j = i + 1; j < count && items[j].hash == items[i].hash; j++) {
			if (*work == 0)
				return false;
			--*work;
			if (!schema_value_same(json_array_get(array, items[i].at),
					       json_array_get(array, items[j].at)))
				continue;
			*ret_first = items[i].at;
			*ret_second = items[j].at;
			return true;
		}
	}
	return false;
}
