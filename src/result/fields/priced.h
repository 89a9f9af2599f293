/*
 * Fields computed from a result and from prices (PRICED rows of tbl/result_fields.h; docs/reference/slo.md). A document
 * has no prices, so res_field_value() never finds them.
 *
 *	cost per hour [currency/h]    number of GPUs * price of one GPU per hour
 *	cost per million tokens       cost per hour / 3600 / tokens per second * 1e6
 *	carbon per million tokens [g] energy per token [J] * 1e6 / 3.6e6 J/kWh * emissions [g/kWh]
 *
 * A value is missing if a number that it needs is unknown or not finite, or if a rate is 0.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

enum res_priced {
#define PRICED(key, unit, text) RES_PRICED_##key,
#include "tbl/result_fields.h"
	RES_PRICED_COUNT
};

/* Fields of the result that the values need. The first is a text, the others are numbers. */
enum res_priced_source {
	RES_PRICED_GPU_NAME,
	RES_PRICED_GPU_COUNT,
	RES_PRICED_INPUT_THROUGHPUT,
	RES_PRICED_OUTPUT_THROUGHPUT,
	RES_PRICED_ENERGY_PER_TOKEN_J,
	RES_PRICED_SOURCES
};
extern const char *const res_priced_source_ids[RES_PRICED_SOURCES];

/* Returns the id of a field. */
const char *res_priced_id(enum res_priced field);
/* Returns RES_PRICED_COUNT if the id is that of another field. */
enum res_priced res_priced_find(const char *id);

/* The prices per hour of GPU models, and the emissions of the electricity. Immutable. */
struct res_prices;
/* `prices`: {prices: [{gpu, per_hour}], carbon_g_per_kwh} of api/openapi.yaml, or NULL: nothing is known. */
struct res_prices *res_prices_new(const json_t *prices);
void res_prices_free(struct res_prices *prices);
/* Returns the price of one GPU per hour; NaN: unknown. gpu may be NULL. */
double res_prices_per_hour(const struct res_prices *prices, const char *gpu);
/* Returns false if all values are missing. */
bool res_prices_have_any(const struct res_prices *prices);

/*
 * Returns the value; NaN: missing. per_hour: of one GPU. `numbers`: by source, NaN: unknown; that of
 * RES_PRICED_GPU_NAME is ignored.
 */
double res_priced_value(enum res_priced field, const struct res_prices *prices, double per_hour,
			const double numbers[RES_PRICED_SOURCES]);
