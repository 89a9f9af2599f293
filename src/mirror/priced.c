#include "mirror/priced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mirror/mirror_priv.h"

struct shared_prices {
	atomic_uint users; /* references of pricings */
	struct res_prices *prices;
};

/* Takes over a reference. */
static struct pricing *pricing_of(struct shared_prices *shared)
{
	struct pricing *pricing = pl_alloc(sizeof(*pricing));

	atomic_init(&pricing->users, 1);
	pricing->shared = shared;
	pricing->prices = shared->prices;
	pricing->columns = mirror_lazy_columns_new();
	return pricing;
}

struct pricing *mirror_pricing_new(struct res_prices *prices)
{
	struct shared_prices *shared = pl_alloc(sizeof(*shared));

	atomic_init(&shared->users, 1);
	shared->prices = prices;
	return pricing_of(shared);
}

struct pricing *mirror_pricing_again(const struct pricing *pricing)
{
	atomic_fetch_add(&pricing->shared->users, 1);
	return pricing_of(pricing->shared);
}

void mirror_pricing_put(struct pricing *pricing)
{
	if (pricing == NULL || atomic_fetch_sub(&pricing->users, 1) > 1)
		return;
	mirror_lazy_columns_free(pricing->columns);
	if (atomic_fetch_sub(&pricing->shared->users, 1) == 1) {
		res_prices_free(pricing->shared->prices);
		free(pricing->shared);
	}
	free(pricing);
}

void mirror_set_prices(struct mirror *mirror, struct res_prices *prices)
{
	mirror_pricing_put(mirror->pricing);
	mirror->pricing = mirror_pricing_new(prices);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* One source in one segment. */
struct source {
	const struct mirror_column *column;
	const struct chunk *chunk;
	uint32_t *codes; /* of each row, owned */
};

/* Returns the number of a row; NaN: none. */
static double number_at(const struct source *source, size_t at)
{
	const struct mirror_value *value = mirror_column_value(source->column, source->codes[at]);

	if (value->class != MIRROR_NUMBER)
		return NAN;
	return value->is_elsewhere ? source->chunk->numbers[at] : value->number;
}

/* Returns the price of one GPU per hour for each value of the column. The caller frees it. */
static double *prices_by_code(const struct res_prices *prices, const struct mirror_column *column)
{
	double *ret = pl_alloc_array(column->distinct + 1, sizeof(*ret));

	for (uint32_t code = 0; code < column->distinct; code++) {
		const struct mirror_value *value = mirror_column_value(column, code);
		ret[code] = res_prices_per_hour(prices,
						value->class == MIRROR_TEXT ? value->text : NULL);
	}
	return ret;
}

void mirror_priced_values(const struct mirror_snapshot *snapshot, enum res_priced field,
			  size_t segment, double *ret)
{
	const struct res_prices *prices = snapshot->pricing->prices;
	size_t rows = snapshot->rows[segment];
	struct source sources[RES_PRICED_SOURCES];

	for (size_t i = 0; i < RES_PRICED_SOURCES; i++) {
		struct source *source = &sources[i];
		source->column = mirror_snapshot_column(snapshot, res_priced_source_ids[i]);
		source->chunk = mirror_column_chunk(source->column, segment);
		source->codes = pl_realloc_array(NULL, rows + 1, sizeof(*source->codes));
		mirror_chunk_decode(source->chunk, rows, source->codes);
	}
	auto_free double *per_hour = prices_by_code(prices, sources[RES_PRICED_GPU_NAME].column);
	for (size_t at = 0; at < rows; at++) {
		double numbers[RES_PRICED_SOURCES];
		for (size_t i = 0; i < RES_PRICED_SOURCES; i++)
			numbers[i] = i == RES_PRICED_GPU_NAME ? NAN : number_at(&sources[i], at);
		ret[at] = res_priced_value(
			field, prices, per_hour[sources[RES_PRICED_GPU_NAME].codes[at]], numbers);
	}
	for (size_t i = 0; i < RES_PRICED_SOURCES; i++)
		free(sources[i].codes);
}
