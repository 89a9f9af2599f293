#include "cli/cli.h"

#include <string.h>

#include "base/text.h"

#define NAMES_MAX 64

const struct cli_cmd cli_cmds[] = {
#define COMMAND(name, options, summary) { #name, cmd_##name, summary, options },
#include "tbl/commands.h"
	{ NULL, NULL, NULL, NULL },
};

const struct cli_cmd *cli_cmd_find(const char *name)
{
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++) {
		if (strcmp(cmd->name, name) == 0)
			return cmd;
	}
	return NULL;
}

int cli_unknown_command(const char *name)
{
	const char *names[NAMES_MAX];
	struct pl_err err = PL_ERR_INIT;
	size_t count = 0;

	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL && count < NAMES_MAX; cmd++)
		names[count++] = cmd->name;
	const char *nearest = pl_text_nearest(name, names, count);
	if (nearest != NULL)
		pl_err_set(&err, PL_ERR_INVALID, "unknown command '%s' (did you mean '%s'?)", name,
			   nearest);
	else
		pl_err_set(&err, PL_ERR_INVALID, "unknown command '%s' (see profllm --help)", name);
	return cli_fail(&err);
}
