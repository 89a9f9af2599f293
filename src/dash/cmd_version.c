#include "dash/dash.h"

static const struct pl_opt version_rows[] = { { .name = NULL } };

const struct pl_opt_command dash_version_command = {
	.name = DASH_PROGRAM " version",
	.usage = "",
	.summary = "Show the version.",
	.options = version_rows,
};

int dash_cmd_version(int argc, char **argv)
{
	struct pl_words words;
	int status;

	if (!pl_command_read(&dash_version_command, argc, argv, NULL, &words, &status))
		return status;
	return pl_program_print(DASH_PROGRAM " " PROFLLM_VERSION "\n");
}
