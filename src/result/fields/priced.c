#include "result/fields/priced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define SECONDS_PER_HOUR 3600
#define JOULES_PER_KWH   3.6e6
#define MILLION          1e6

const char *const res_priced_source_ids[RES_PRICED_SOURCES] = {
	[RES_PRICED_GPU_NAME] = "system.hardware_info.gpu_name",
	[RES_PRICED_GPU_COUNT] = "derived.gpu_count",
	[RES_PRICED_INPUT_THROUGHPUT] = "results.input_throughput",
	[RES_PRICED_OUTPUT_THROUGHPUT] = "results.output_throughput",
	[RES_PRICED_ENERGY_PER_TOKEN_J] = "results.energy_per_token_j",
};

static const char *const ids[RES_PRICED_COUNT] = {
#define PRICED(key, unit, text) "derived." #key,
#include "tbl/result_fields.h"
};

struct price {
	char *gpu;
	double per_hour;
};

struct res_prices {
	struct price *items;
	size_t count;
	double carbon_g_per_kwh; /* NaN: unknown */
};

const char *res_priced_id(enum res_priced field)
{
	return ids[field];
}

enum res_priced res_priced_find(const char *id)
{
	for (int i = 0; i < RES_PRICED_COUNT; i++) {
		if (pl_text_equal(ids[i], id))
			return (enum res_priced)i;
	}
	return RES_PRICED_COUNT;
}

/* ---- prices ---------------------------------------------------------------------------------- */

struct res_prices *res_prices_new(const json_t *prices)
{
	const json_t *list = json_object_get(prices, "prices");
	const json_t *carbon = json_object_get(prices, "carbon_g_per_kwh");
	struct res_prices *made = pl_alloc(sizeof(*made));

	made->carbon_g_per_kwh = json_is_number(carbon) ? json_number_value(carbon) : NAN;
	made->items = pl_alloc_array(json_array_size(list) + 1, sizeof(*made->items));
	PL_JSON_EACH(price, list) {
		const char *gpu = json_string_value(json_object_get(price, "gpu"));
		const json_t *per_hour = json_object_get(price, "per_hour");
		if (gpu == NULL || !json_is_number(per_hour))
			continue;
		made->items[made->count++] = (struct price){
			.gpu = pl_strdup(gpu),
			.per_hour = json_number_value(per_hour),
		};
	}
	return made;
}

void res_prices_free(struct res_prices *prices)
{
	if (prices == NULL)
		return;
	for (size_t i = 0; i < prices->count; i++)
		free(prices->items[i].gpu);
	free(prices->items);
	free(prices);
}

double res_prices_per_hour(const struct res_prices *prices, const char *gpu)
{
	for (size_t i = 0; i < prices->count && gpu != NULL; i++) {
		if (strcmp(prices->items[i].gpu, gpu) == 0)
			return prices->items[i].per_hour;
	}
	return NAN;
}

bool res_prices_have_any(const struct res_prices *prices)
{
	return prices->count > 0 || !isnan(prices->carbon_g_per_kwh);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Returns the cost of a million tokens. */
static double per_million(double per_hour, double tokens_per_s)
{
	return tokens_per_s > 0 ? per_hour / SECONDS_PER_HOUR / tokens_per_s * MILLION : NAN;
}

double res_priced_value(enum res_priced field, const struct res_prices *prices, double per_hour,
			const double numbers[RES_PRICED_SOURCES])
{
	double gpus = numbers[RES_PRICED_GPU_COUNT], cost = gpus > 0 ? gpus * per_hour : NAN;
	double value = NAN;

	switch (field) {
	case RES_PRICED_cost_per_hour:
		value = cost;
		break;
	case RES_PRICED_cost_per_million_output_tokens:
		value = per_million(cost, numbers[RES_PRICED_OUTPUT_THROUGHPUT]);
		break;
	case RES_PRICED_cost_per_million_input_tokens:
		value = per_million(cost, numbers[RES_PRICED_INPUT_THROUGHPUT]);
		break;
	case RES_PRICED_carbon_per_million_output_tokens:
		value = numbers[RES_PRICED_ENERGY_PER_TOKEN_J] * MILLION / JOULES_PER_KWH *
			prices->carbon_g_per_kwh;
		break;
	case RES_PRICED_COUNT:
		break;
	}
	return isfinite(value) ? value : NAN;
}
