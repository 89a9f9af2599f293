#include "query/groups/keys_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

uint64_t query_keys_mix(uint64_t before, uint64_t more)
{
	uint64_t x = (before ^ more) + 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static int compare_keys(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

static struct keys sorted(const struct keys *keys)
{
	struct keys ret = { pl_alloc_array(keys->count + 1, sizeof(*ret.items)), 0 };

	if (keys->count > 0)
		memcpy(ret.items, keys->items, keys->count * sizeof(*ret.items));
	qsort(ret.items, keys->count, sizeof(*ret.items), compare_keys);
	for (size_t i = 0; i < keys->count; i++) {
		if (i == 0 || ret.items[i] != ret.items[i - 1])
			ret.items[ret.count++] = ret.items[i];
	}
	return ret;
}

bool query_keys_has(const struct keys *keys, uint64_t key)
{
	return bsearch(&key, keys->items, keys->count, sizeof(key), compare_keys) != NULL;
}

struct keys query_keys_common(const struct keys *lists, size_t count)
{
	struct keys ret = sorted(&lists[0]);

	for (size_t i = 1; i < count; i++) {
		struct keys other = sorted(&lists[i]);
		size_t retained = 0;
		for (size_t k = 0; k < ret.count; k++) {
			if (query_keys_has(&other, ret.items[k]))
				ret.items[retained++] = ret.items[k];
		}
		ret.count = retained;
		free(other.items);
	}
	return ret;
}
