#include "bench/adapters/adapter.h"

#include <string.h>

#include "base/mem.h"
#include "bench/adapters/adapters_priv.h"

static const struct {
	const char *name;
	const struct bench_adapter *adapter;
} adapters[] = {
#define BACKEND(id, name, state, endpoint, suffix, traits) ROW_##state(id, name)
#define ROW_NOW(id, name)                                  { name, &bench_adapter_##id },
#define ROW_INNER(id, name)                                ROW_NOW(id, name)
#define ROW_LATER(id, name)
#include "tbl/backends.h"
};

const struct bench_adapter *bench_adapter_find(const char *name)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(adapters); i++) {
		if (strcmp(adapters[i].name, name) == 0)
			return adapters[i].adapter;
	}
	return NULL;
}
