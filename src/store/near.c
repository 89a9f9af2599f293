#include "store/near.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "result/fields/values.h"

#define KEY_BYTES_MAX (16u << 20)
#define TOLD_BYTES    512 /* enough for most: one that does not fit is put together twice */
#define MEASURED_MIN  3   /* so many figures with a fraction are no coincidence */

static const char *const told_by_all[] = {
	"results.duration",           "results.completed",
	"results.total_input_tokens", "results.total_output_tokens",
	"results.mean_ttft_ms",       "results.median_ttft_ms",
	"results.mean_tpot_ms",       "results.mean_itl_ms",
	"results.output_throughput",
};

static bool is_measured(double number)
{
	return isfinite(number) && number != floor(number);
}

/* false: fewer than so many of them are there. */
static bool add_told(const struct res_values *values, struct pl_buf *text)
{
	size_t measured = 0;

	pl_buf_reserve(text, TOLD_BYTES);
	for (size_t i = 0; i < PL_ARRAY_SIZE(told_by_all); i++) {
		const struct res_field *field = res_fields_find(res_values_fields(values),
								told_by_all[i]);
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		if (field == NULL)
			continue;
		res_values_get(values, field, &value);
		if (value.state != RES_VALUE_THERE || value.kind != RES_VALUE_NUMBER)
			continue;
		measured += is_measured(value.number);
		pl_buf_addf(text, "%s=%.9g\n", told_by_all[i], value.number);
	}
	return measured >= MEASURED_MIN;
}

/* Inputs and all figures, whatever these are. */
static bool add_all(const struct res_values *values, struct pl_buf *text)
{
	const struct res_field *field = res_fields_find(res_values_fields(values),
							"derived.input_key");
	json_t *results = json_object_get(res_values_document(values), "results");
	auto_value key = { .state = RES_VALUE_NOT_RECORDED };

	if (json_object_size(results) == 0 || field == NULL)
		return false;
	res_values_get(values, field, &key);
	if (key.state != RES_VALUE_THERE)
		return false;
	auto_free char *figures = res_field_canonical(results);
	return pl_buf_addf(text, "%s\n%s", key.text, figures);
}

void store_near_key(const struct res_values *values, char key[65])
{
	auto_buf told = PL_BUF(KEY_BYTES_MAX);
	auto_buf all = PL_BUF(KEY_BYTES_MAX);

	key[0] = '\0';
	if (add_told(values, &told))
		pl_sha256(pl_buf_text(&told), told.len, key);
	else if (add_all(values, &all))
		pl_sha256(pl_buf_text(&all), all.len, key);
}
