/* A help text is read, compared with the table and turned into an overlay, which must be taken. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/help_diff.h"
#include "model/help_text.h"
#include "model/overlay.h"
#include "model/server_args.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_help struct md_help *help = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (md_help_parse((const char *)data, size, &help, &err) < 0)
		return 0;
	auto_json json_t *diff = md_help_diff(help);
	auto_json json_t *overlay = md_help_overlay(diff, "fuzz");
	if (overlay == NULL)
		return 0;
	if (md_overlay_use(overlay, "fuzz", &err) == 0 && md_arg_find("port") == NULL)
		abort();
	md_overlay_drop();
	return 0;
}
