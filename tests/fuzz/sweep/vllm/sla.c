/*
 * A file of limits of any bytes: each combination has a name without a path in it, and how far runs miss the limits is a
 * number or an error that names the metric. The limit for a combination's own name key is none.
 */
#include "sweep/vllm/sla.h"

#include <math.h>
#include <string.h>

#include "../../scratch.h"
#include "sweep/vllm/params.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Two runs that have a number for each key, and none that has it. */
static void check_margin(const json_t *limits)
{
	auto_json json_t *runs = json_pack("[{}, {}]");
	auto_json json_t *none = json_array();
	struct pl_err err = PL_ERR_INIT;
	double margin = NAN;

	PL_JSON_EACH_MEMBER(key, value, limits) {
		(void)value;
		if (strcmp(key, SWEEP_VLLM_NAME) == 0)
			continue;
		json_object_set_new(json_array_get(runs, 0), key, json_integer(1));
		json_object_set_new(json_array_get(runs, 1), key, json_real(2.5));
	}
	must(sweep_vllm_sla_margin(limits, runs, &margin, &err) == 0);
	must(isfinite(margin));
	if (sweep_vllm_sla_margin(limits, none, &margin, &err) < 0)
		must(err.text[0] != '\0');
}

static void check(const json_t *limits)
{
	auto_free char *name = sweep_vllm_sla_name(limits);
	auto_free char *file = sweep_vllm_file_name(name);
	auto_json json_t *bare = json_copy((json_t *)limits);

	must(name[0] != '\0');
	must(strchr(file, '/') == NULL && strstr(file, "..") == NULL);
	json_object_del(bare, SWEEP_VLLM_NAME);
	auto_free char *same = sweep_vllm_sla_name(bare);
	must(strcmp(name, same) == 0);
	check_margin(limits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *path = scratch_write("sla.json", data, len);
	auto_json json_t *all = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (sweep_vllm_sla_read(path, &all, &err) < 0) {
		must(all == NULL && strncmp(err.text, path, strlen(path)) == 0);
		return 0;
	}
	must(json_array_size(all) > 0);
	PL_JSON_EACH(limits, all)
		check(limits);
	return 0;
}
