#include "dash/dash.h"

#include <stddef.h>

struct version_options {
	bool json;
};

#define AT(field) offsetof(struct version_options, field)

static const struct pl_opt version_rows[] = {
	PL_OPT(FLAG, 0, "json", json, NULL, "print one JSON object"),
	{ .name = NULL },
};

const struct pl_opt_command dash_version_command = {
	.name = DASH_PROGRAM " version",
	.usage = "[--json]",
	.summary = "Show the version.",
	.options = version_rows,
};

int dash_cmd_version(int argc, char **argv)
{
	struct version_options options = { 0 };
	struct pl_words words;
	int status;

	if (!pl_command_read(&dash_version_command, argc, argv, &options, &words, &status))
		return status;
	if (options.json) {
		auto_json json_t *answer = json_pack("{s:s, s:s}", "name", DASH_PROGRAM, "version",
						     PROFLLM_VERSION);
		return pl_program_print_json(answer);
	}
	return pl_program_print(DASH_PROGRAM " " PROFLLM_VERSION "\n");
}
