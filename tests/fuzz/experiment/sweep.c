/* A sweep of any bytes: cells, each with a label of its own, or problems; never both, never a crash. */
#include "experiment/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define CELLS_READ 20 /* of each sweep: the others are read in the same way */

static void check_cells(const struct exp_sweep *sweep)
{
	if (sweep->count == 0)
		abort();
	for (size_t i = 0; i < sweep->count && i < CELLS_READ; i++) {
		auto_problems problems = { 0 };
		auto_experiment struct exp_config *experiment = exp_sweep_config(
			sweep, &sweep->cells[i], vllm_catalog_reference(), &problems);
		auto_json json_t *requested = exp_config_explicit(experiment);
		if (!json_is_object(requested) || sweep->cells[i].label == NULL ||
		    json_object_size(sweep->cells[i].point) != sweep->cells[i].setting_count)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	auto_sweep struct exp_sweep *sweep = NULL;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;
	auto_buf lines = PL_BUF(1 << 20);

	if (exp_sweep_read(vllm_catalog_reference(), (const char *)data, len, "fuzz", NULL, 0,
			   &sweep, &problems, &err) < 0)
		return 0;
	if ((sweep == NULL) != (problems.errors > 0))
		abort();
	for (size_t i = 0; i < problems.count; i++)
		option_problem_text(&problems.items[i], OPTION_AS_FILE, &lines);
	if (lines.len > 0 && memchr(lines.data, '\n', lines.len) != NULL)
		abort();
	if (sweep != NULL)
		check_cells(sweep);
	return 0;
}
