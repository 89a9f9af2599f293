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
	struct pl_err err = PL_ERR_INIT;
	char **rest;
	int rest_count;
	bool help = false;
	char nothing;

	if (pl_opt_parse(&cli_version_command, argc, argv, &nothing, &rest, &rest_count, &help,
			 &err) < 0)
		return cli_fail(&err);
	if (help)
		return cli_print_help(&cli_version_command);
	if (rest_count > 0) {
		pl_err_set(&err, PL_ERR_INVALID, "found '%s', expected options only", rest[0]);
		return cli_fail(&err);
	}
	return cli_print("profllm " PROFLLM_VERSION "\n");
}
