/* Reads both forms of a server's report and compares them; a report that repeats the requested
 * values never differs. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "vllm/catalog.h"
#include "vllm/reported/fields.h"
#include "vllm/reported/mismatch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = pl_strndup((const char *)data, size);
	auto_json json_t *fields = vllm_reported_fields(text);
	const struct vllm_reported reported = {
		.args = text,
		.engine = text,
		.cache = fields,
		.model = fields,
		.defaults_known = true,
	};
	const struct vllm_reported repeated = { .args = text };
	auto_json json_t *requested = json_pack(
		"{s:i, s:b, s:s, s:f, s:[s], s:{s:i}}", "max_model_len", 4096,
		"enable_prefix_caching", 0, "dtype", "half", "gpu_memory_utilization", 0.5,
		"served_model_name", "a", "limit_mm_per_prompt", "image", 2);
	auto_json json_t *list = vllm_mismatches(vllm_catalog_reference(), requested, &reported);
	auto_json json_t *same = vllm_mismatches(vllm_catalog_reference(), fields, &repeated);

	if (json_array_size(same) > 0)
		abort();
	return list != NULL && !json_is_array(list) ? (abort(), 0) : 0;
}
