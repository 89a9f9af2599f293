#include "bench/adapters/adapter.h"

#include <string.h>

#include "bench/adapters/adapters_priv.h"

/* Every protocol of this version; a new one is one more line (docs/how-to/add-an-adapter.md). */
static const struct bench_adapter *const adapters[] = {
	&bench_adapter_openai,           &bench_adapter_vllm, &bench_adapter_openai_chat,
	&bench_adapter_openai_responses, &bench_adapter_null, NULL,
};

const struct bench_adapter *bench_adapter_find(const char *name)
{
	for (size_t i = 0; adapters[i] != NULL; i++) {
		if (strcmp(adapters[i]->name, name) == 0)
			return adapters[i];
	}
	return NULL;
}

const struct bench_adapter *const *bench_adapters(void)
{
	return adapters;
}
