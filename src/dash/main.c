/*
 * profllm-dashboard: finds the command and lets it run. The commands stand in dash/cmd_help.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "dash/dash.h"

/* How many words the option at the front takes: 1 or 2, 0 where it is none that may stand there. */
static int front_option(char **words)
{
	if (strcmp(words[0], "--db") == 0)
		return words[1] != NULL ? 2 : 1;
	return pl_text_starts(words[0], "--db=");
}

/* "--db FILE import PATH" as "import --db FILE PATH". */
static int run_behind(const struct pl_command *cmd, int front, int argc, char **argv)
{
	memmove(argv + 2, argv + 1, (size_t)front * sizeof(*argv));
	argv[1] = (char *)cmd->name;
	return cmd->run(argc - 1, argv + 1);
}

static int print_help(void)
{
	char help[] = "help";
	char *words[] = { help, NULL };

	return dash_cmd_help(1, words);
}

int main(int argc, char **argv)
{
	const struct pl_command *serve = pl_command_find(&dash_commands, DASH_COMMAND_DEFAULT);
	int front = 0;

	pl_log_init(DASH_PROGRAM);
	if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0))
		return dash_cmd_version(1, argv);
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return print_help();
	while (1 + front < argc) {
		int words = front_option(argv + 1 + front);
		if (words == 0)
			break;
		front += words;
	}
	const char *name = 1 + front < argc ? argv[1 + front] : NULL;
	if (name != NULL && name[0] != '-') {
		const struct pl_command *cmd = pl_command_find(&dash_commands, name);
		return cmd != NULL ? run_behind(cmd, front, argc, argv)
				   : pl_command_refuse(&dash_commands, name);
	}
	if (serve != NULL)
		return serve->run(argc, argv);
	print_help();
	return pl_err_exit_status(PL_ERR_INVALID);
}
