/* A help text is read, compared with the table and turned into an overlay, which must be taken. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "vllm/catalog.h"
#include "vllm/help_diff.h"
#include "vllm/help_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_help struct vllm_help *help = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (vllm_help_parse((const char *)data, size, &help, &err) < 0)
		return 0;
	auto_json json_t *diff = vllm_help_diff(vllm_catalog_reference(), help);
	auto_json json_t *overlay = vllm_help_overlay(vllm_catalog_reference(), diff, "fuzz");
	if (overlay == NULL)
		return 0;
	auto_catalog const struct vllm_catalog *catalog = NULL;
	if (vllm_catalog_overlay(vllm_catalog_reference(), overlay, "fuzz", &catalog, &err) == 0 &&
	    vllm_arg_find(catalog, "port") == NULL)
		abort();
	return 0;
}
