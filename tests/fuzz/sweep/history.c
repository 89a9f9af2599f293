/* Reads any response of a dashboard, or of another server at its address: rows or an error,
 * never a crash; and no page leads to another without rows. */
#include "sweep/history_priv.h"

#include <stdlib.h>

static const char file[] = "server: {model: m}\n"
			   "benchmark: {num_prompts: 4}\n"
			   "sweep: {server.max_num_seqs: [2, 3], benchmark.max_concurrency: [1]}\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct exp_sweep *sweep;
	static struct sweep_plan plan;
	auto_free char *cursor = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t rows = 0;

	if (sweep == NULL) {
		auto_problems problems = { 0 };
		const struct sweep_how how = { .catalog = vllm_catalog_reference() };
		if (exp_sweep_read(how.catalog, file, sizeof(file) - 1, "fuzz", NULL, 0, &sweep,
				   &problems, &err) < 0)
			abort();
		sweep_plan_make(sweep, &how, &plan, &problems);
	}
	auto_sweep_history struct sweep_history *history = sweep_history_new(&plan, NULL, true);
	if (sweep_history_page(history, (const char *)data, len, &cursor, &rows, &err) < 0) {
		if (err.code != PL_ERR_NETWORK || err.text[0] == '\0')
			abort();
		return 0;
	}
	sweep_history_settle(history);
	if (json_object_size(sweep_history_rows(history)) > rows || (cursor != NULL && rows == 0))
		abort();
	return 0;
}
