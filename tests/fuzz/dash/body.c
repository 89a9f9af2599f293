/*
 * Parses any bytes as the body of a route that takes JSON (the first byte selects the route): the
 * result is a request, or the location of the fault.
 */
#include "dash/contract.h"

#include <stdlib.h>

#include "store/documents/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dash_contract *contract;

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_faults(const struct schema_faults *faults)
{
	must(faults->count > 0);
	for (size_t i = 0; i < faults->count; i++) {
		auto_buf text = PL_BUF(1u << 20);
		must(faults->items[i].pointer != NULL);
		schema_fault_text(&faults->items[i], &text);
		must(text.len > 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_schema_faults faults = { 0 };
	auto_json json_t *body = NULL;
	struct pl_err err = PL_ERR_INIT;
	const char *method, *path;

	if (contract == NULL && dash_contract_open(&contract, &err) < 0)
		abort();
	if (size == 0)
		return 0;
	const struct dash_operation *operation = dash_contract_at(
		contract, data[0] % dash_contract_count(contract), &method, &path);
	const struct schema *schema = dash_operation_schema(operation, "application/json");
	if (schema == NULL ||
	    store_json_parse((const char *)data + 1, size - 1, "body", &body, &err) < 0)
		return 0;
	if (!schema_check(schema, body, 100, &faults))
		check_faults(&faults);
	return 0;
}
