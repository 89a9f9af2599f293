#include "result/flat/offline_keys.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "result/flat/console.h"
#include "result/flat/offline.h"

#define STARTUP(phase, must)                                                 \
	{ "startup", "avg_" phase "_time", RES_OFFLINE_NUMBER, must, true }, \
		{ "startup", phase "_times", RES_OFFLINE_LIST, must, true }, \
	{                                                                    \
		"startup", phase "_percentiles", RES_OFFLINE_MAP, must, true \
	}

const struct res_offline_key res_offline_keys[] = {
	{ "latency", "avg_latency", RES_OFFLINE_NUMBER, true, true },
	{ "latency", "latencies", RES_OFFLINE_LIST, true, false },
	{ "latency", "percentiles", RES_OFFLINE_MAP, true, false },
	{ "throughput", "elapsed_time", RES_OFFLINE_NUMBER, true, true },
	{ "throughput", "num_requests", RES_OFFLINE_COUNT, true, false },
	{ "throughput", "total_num_tokens", RES_OFFLINE_COUNT, true, false },
	{ "throughput", "requests_per_second", RES_OFFLINE_NUMBER, true, false },
	{ "throughput", "tokens_per_second", RES_OFFLINE_NUMBER, true, false },
	STARTUP("cold_startup", true),
	STARTUP("cold_compilation", true),
	STARTUP("cold_encoder_compilation", false),
	STARTUP("warm_startup", true),
	STARTUP("warm_compilation", true),
	STARTUP("warm_encoder_compilation", false),
	{ "mm-processor", "completed", RES_OFFLINE_COUNT, true, false },
	{ "mm-processor", "failed", RES_OFFLINE_COUNT, true, false },
	{ "mm-processor", "mean_e2el_ms", RES_OFFLINE_NUMBER, true, false },
	{ "mm-processor", "median_e2el_ms", RES_OFFLINE_NUMBER, true, false },
	{ "mm-processor", "std_e2el_ms", RES_OFFLINE_NUMBER, true, false },
	{ "mm-processor", "percentiles_e2el_ms", RES_OFFLINE_LIST, true, false },
	{ "mm-processor", "mm_processor_stats", RES_OFFLINE_MAP, true, true },
	{ "mm-processor", "encoder_summary", RES_OFFLINE_MAP, true, false },
};
const size_t res_offline_key_count = PL_ARRAY_SIZE(res_offline_keys);

const char *res_offline_kind_of_console(const json_t *json)
{
	static const struct {
		const char *kind, *key;
	} kinds[] = { { "latency", "avg_latency" }, { "throughput", "requests_per_second" } };
	const char *mark = pl_json_get_text(json, RES_CONSOLE_KEY);

	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds) && mark != NULL; i++) {
		if (pl_text_starts(mark, RES_CONSOLE_MARK_OF) &&
		    strcmp(mark + strlen(RES_CONSOLE_MARK_OF), kinds[i].kind) == 0 &&
		    json_object_get(json, kinds[i].key) != NULL)
			return kinds[i].kind;
	}
	return NULL;
}

const char *res_offline_kind_of(const json_t *json)
{
	const char *printed = res_offline_kind_of_console(json);

	if (printed != NULL)
		return printed;
	for (size_t i = 0; i < res_offline_key_count; i++) {
		if (res_offline_keys[i].marked &&
		    json_object_get(json, res_offline_keys[i].name) != NULL)
			return res_offline_keys[i].kind;
	}
	return NULL;
}
