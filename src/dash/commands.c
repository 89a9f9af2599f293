#include "dash/dash.h"

#include <string.h>

#include "base/text.h"

#define NAMES_MAX 64

const struct dash_cmd dash_cmds[] = {
#define COMMAND(name, options, summary) { #name, dash_cmd_##name, summary, options },
#include "tbl/dash_commands.h"
	{ NULL, NULL, NULL, NULL },
};

const struct dash_cmd *dash_cmd_find(const char *name)
{
	for (const struct dash_cmd *cmd = dash_cmds; cmd->name != NULL; cmd++) {
		if (strcmp(cmd->name, name) == 0)
			return cmd;
	}
	return NULL;
}

int dash_unknown_command(const char *name)
{
	const char *names[NAMES_MAX];
	size_t count = 0;

	for (const struct dash_cmd *cmd = dash_cmds; cmd->name != NULL && count < NAMES_MAX; cmd++)
		names[count++] = cmd->name;
	const char *nearest = pl_text_nearest(name, names, count);
	if (nearest != NULL)
		return pl_program_refuse("unknown command '%s' (did you mean '%s'?)", name,
					 nearest);
	return pl_program_refuse("unknown command '%s' (see " DASH_PROGRAM " --help)", name);
}

static int read_words(const struct pl_opt_command *command, int argc, char **argv, void *options,
		      struct dash_words *ret, bool *ret_help, struct pl_err *err)
{
	bool has_words = command->words != NULL || command->operand != NULL;

	if (pl_opt_parse(command, argc, argv, options, &ret->items, &ret->count, ret_help, err) < 0)
		return -1;
	if (!*ret_help && !has_words && ret->count > 0)
		return pl_err_set(err, PL_ERR_INVALID, "found '%s', expected options only",
				  ret->items[0]);
	return 0;
}

bool dash_read(const struct pl_opt_command *command, int argc, char **argv, void *options,
	       struct dash_words *ret, int *ret_status)
{
	struct pl_err err = PL_ERR_INIT;
	bool help = false;

	if (read_words(command, argc, argv, options, ret, &help, &err) < 0)
		*ret_status = pl_program_fail(&err);
	else if (help)
		*ret_status = pl_program_print_help(command);
	else
		return true;
	return false;
}
