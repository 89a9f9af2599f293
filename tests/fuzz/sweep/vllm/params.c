/* A parameter file of any bytes: combinations with names and folders, or an error, never a crash. */
#include "sweep/vllm/params.h"

#include <stdlib.h>
#include <string.h>

#include "sweep/vllm/command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check(const json_t *item)
{
	auto_json json_t *command = json_pack("[s, s, s]", "vllm", "--a-b", "1");
	auto_free char *name = sweep_vllm_name(item);
	const struct sweep_vllm_part part = { "SERVE-", name };
	auto_free char *folder = sweep_vllm_folder("r", &part, 1);

	/* it never leaves its place */
	if (strchr(folder + strlen("r") + (folder[1] == '/'), '/') != NULL ||
	    strstr(folder, "..") != NULL)
		abort();
	sweep_vllm_command_set(command, item);
	free(sweep_vllm_command_text(command));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *items = NULL;

	if (sweep_vllm_params_parse((const char *)data, len, "fuzz", &items, &err) < 0) {
		if (err.text[0] == '\0')
			abort();
		return 0;
	}
	PL_JSON_EACH(item, items)
		check(item);
	return 0;
}
