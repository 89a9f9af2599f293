/*
 * Any bytes as an imported summary.json of a sweep: it is not a sweep, or it is stored, or one message
 * says why not. A stored one is listed and read back, and makes a file of its failed combinations.
 */
#include "dash/import/sweep.h"

#include <string.h>

#include "../../scratch.h"
#include "base/buf.h"
#include "dash/sweep_file.h"
#include "store/sweeps/sweep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dash_contract *contract;
static struct store *store;

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Before the first input: it takes longer than an input may. */
__attribute__((constructor)) static void open_store(void)
{
	static char path[128];
	static struct res_fields *fields;
	struct pl_err err = PL_ERR_INIT;

	fields = res_fields_new(NULL);
	snprintf(path, sizeof(path), "%s/s.db", scratch_path());
	const struct store_options options = { .path = path,
					       .fields = fields,
					       .with_columns = true };
	must(store_open(&options, &store, &err) == 0);
	must(dash_contract_open(&contract, &err) == 0);
}

static void check_stored(const char *id)
{
	auto_json json_t *heads = NULL;
	auto_json json_t *sweep = NULL;
	auto_json json_t *metrics = json_pack("[s]", "results.mean_ttft_ms");
	auto_json json_t *kinds = json_pack("[s, s]", "failed", "missing");
	auto_schema_faults faults = { 0 };
	auto_buf text = PL_BUF(16u << 20);
	struct pl_err err = PL_ERR_INIT;
	bool found = false;

	must(store_sweep_list(store, &heads, &err) == 0 && json_array_size(heads) == 1);
	must(store_sweep_get(store, id, metrics, &sweep, &faults, &err) == 0 && sweep != NULL);
	must(dash_sweep_file(sweep, kinds, &text) == 0 || text.len > 0);
	must(store_sweep_remove(store, id, &found, &err) == 0 && found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *id = NULL;
	auto_free char *message = NULL;
	struct pl_err err = PL_ERR_INIT;

	const char *path = scratch_write("summary.json", data, size);
	must(dash_import_sweep(store, contract, path, &id, &message, &err) == 0);
	must(message == NULL || (id != NULL && message[0] != '\0'));
	if (id != NULL && message == NULL)
		check_stored(id);
	return 0;
}
