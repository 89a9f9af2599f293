#include "cli/cli.h"

#include <stddef.h>

struct version_options {
	bool json;
};

#define AT(field) offsetof(struct version_options, field)

static const struct pl_opt version_options[] = {
	PL_OPT(FLAG, 0, "json", json, NULL, "print one JSON object"),
	{ .name = NULL },
};

const struct pl_opt_command cli_version_command = {
	.name = "profllm version",
	.usage = "[--json]",
	.summary = "Show the version.",
	.options = version_options,
};

int cmd_version(int argc, char **argv)
{
	struct version_options options = { 0 };
	struct pl_words words;
	int status;

	if (!pl_command_read(&cli_version_command, argc, argv, &options, &words, &status))
		return status;
	if (options.json) {
		auto_json json_t *answer = json_pack("{s:s, s:s}", "name", "profllm", "version",
						     PROFLLM_VERSION);
		return cli_print_json(answer);
	}
	return cli_print("profllm " PROFLLM_VERSION "\n");
}
