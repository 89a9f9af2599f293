#include "dash/import/sweep.h"

#include "base/file.h"
#include "result/files.h"
#include "schema/former.h"
#include "store/sweeps/sweep.h"

#define ROUTE           "/api/data/sweeps/{id}"
#define FAULT_BYTES_MAX 65536

/* Returns the first violation of the contract; NULL: none. free() */
static char *fault_of(const struct dash_operation *operation, const char *path,
		      const json_t *summary)
{
	auto_schema_faults faults = { 0 };
	auto_buf text = PL_BUF(FAULT_BYTES_MAX);

	if (!store_sweep_is_id(res_sweep_id(summary)))
		return pl_asprintf("'%s': /sweep: not a valid sweep id", path);
	if (schema_check(dash_operation_schema(operation, "application/json"), summary, 1, &faults))
		return NULL;
	schema_fault_text(&faults.items[0], &text);
	return pl_asprintf("'%s': %s", path, pl_buf_text(&text));
}

int dash_import_sweep(struct store *store, const struct dash_contract *contract, const char *path,
		      char **ret_id, char **ret_message, struct pl_err *err)
{
	const struct dash_operation *operation = dash_contract_find(contract, "PUT", ROUTE);
	auto_free char *text = NULL;
	auto_json json_t *summary = NULL;
	bool fits = true;
	size_t len;

	*ret_id = *ret_message = NULL;
	if (!res_may_be_sweep(path) ||
	    pl_file_read(path, (size_t)dash_operation_bytes_max(operation), &text, &len,
			 PL_ERR_IGNORED) < 0 ||
	    pl_json_parse(text, len, path, &summary, PL_ERR_IGNORED) < 0 ||
	    res_sweep_id(summary) == NULL)
		return 0;
	schema_rename_former(summary);
	char *fault = fault_of(operation, path, summary);
	if (fault == NULL && store_sweep_put(store, res_sweep_id(summary), summary, &fits, err) < 0)
		return -1;
	if (!fits)
		fault = pl_asprintf("'%s': the limit of %d sweeps is reached; delete one first",
				    path, STORE_SWEEPS_MAX);
	*ret_id = pl_strdup(res_sweep_id(summary));
	*ret_message = fault;
	return 0;
}
