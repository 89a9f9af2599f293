/*
 * Any bytes as the body of POST /api/live/{run_id}: what fits the contract becomes a run whose snapshot, list and
 * history are valid JSON.
 */
#include "dash/live/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "dash/contract.h"
#include "dash/live/history.h"
#include "store/documents/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dash_contract *contract;
static const struct schema *schema;

static void must(bool holds)
{
	if (!holds)
		abort();
}

static int64_t find_none(void *data, const char *run_id)
{
	(void)data;
	(void)run_id;
	return 0;
}

static int64_t version_of(void *data)
{
	(void)data;
	return 1;
}

static void must_be_json(char *text)
{
	auto_free char *owned = text;
	auto_json json_t *json = pl_json_of_text(owned);

	must(json_is_object(json));
}

static void check(const json_t *snapshot)
{
	const struct dash_live_options options = { .find = find_none,
						   .version = version_of,
						   .second_ns = PL_NS_PER_S };
	struct pl_err err = PL_ERR_INIT;
	struct dash_live *live;
	auto_buf text = PL_BUF(1u << 20);

	must(dash_live_start(&options, &live, &err) == 0);
	must(dash_live_put(live, snapshot, NULL) == DASH_LIVE_TAKEN);
	must(dash_live_put(live, snapshot, NULL) == DASH_LIVE_OLD);
	must_be_json(dash_live_list(live));
	must_be_json(dash_live_get(live, pl_json_path_text(snapshot, "run.run_id")));
	dash_live_stop(live);

	struct dash_live_history *history = dash_live_history_new();
	for (int i = 0; i < 3; i++)
		dash_live_history_add(history, snapshot, 1);
	dash_live_history_write(history, &text);
	dash_live_history_free(history);
	must_be_json(pl_buf_take(&text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_schema_faults faults = { 0 };
	auto_json json_t *body = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (contract == NULL) {
		must(dash_contract_open(&contract, &err) == 0);
		schema = dash_operation_schema(
			dash_contract_find(contract, "POST", "/api/live/{run_id}"),
			"application/json");
		must(schema != NULL);
	}
	if (store_json_parse((const char *)data, size, "body", &body, &err) < 0 ||
	    !schema_check(schema, body, 100, &faults))
		return 0;
	check(body);
	return 0;
}
