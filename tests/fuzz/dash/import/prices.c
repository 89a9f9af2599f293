/* Any bytes as a list of prices: prices in the form of the contract, or one message with a line and a column. */
#include "dash/import/prices.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/analysis/prices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = pl_strndup((const char *)data, size);
	auto_json json_t *all = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (dash_prices_parse(text, "input", &all, &err) < 0) {
		must(all == NULL && err.code == PL_ERR_INVALID && err.line > 0 && err.column > 0);
		must(strncmp(err.text, "input:", 6) == 0 && strchr(err.text, '\n') == NULL);
		return 0;
	}
	const json_t *prices = json_object_get(all, "prices");
	const char *currency = pl_json_get_text(all, "currency");
	must(json_array_size(prices) <= STORE_PRICES_MAX);
	must(currency == NULL || (currency[0] != '\0' && strlen(currency) <= 8));
	PL_JSON_EACH(price, prices) {
		const char *gpu = pl_json_get_text(price, "gpu");
		double number = json_number_value(json_object_get(price, "per_hour"));
		must(gpu != NULL && gpu[0] != '\0' && strlen(gpu) <= 300);
		must(json_object_size(price) == 2 && isfinite(number) && number >= 0);
		PL_JSON_EACH(other, prices)
			must(other_at == price_at ||
			     strcmp(pl_json_get_text(other, "gpu"), gpu) != 0);
	}
	return 0;
}
