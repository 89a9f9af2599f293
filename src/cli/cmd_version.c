#include "cli/cli.h"

static const struct pl_opt version_options[] = { { .name = NULL } };

const struct pl_opt_command cli_version_command = {
	.name = "profllm version",
	.usage = "",
	.summary = "Show the version.",
	.options = version_options,
};

int cmd_version(int argc, char **argv)
{
	struct pl_words words;
	int status;

	if (!pl_command_read(&cli_version_command, argc, argv, NULL, &words, &status))
		return status;
	return cli_print("profllm " PROFLLM_VERSION "\n");
}
