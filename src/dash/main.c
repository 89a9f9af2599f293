/* profllm-dashboard: finds the command and runs it. dash/cmd_help.c lists the commands. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/program.h"
#include "base/text.h"
#include "dash/dash.h"
#include "option/secret_known.h"

/* Returns the present name of a command; NULL: no name was given. */
static const char *present_name(const char *name)
{
	static const struct {
		const char *former, *name;
	} commands[] = {
#define FORMER_COMMAND(former, name) { former, name },
#include "tbl/dash_commands.h"
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(commands); i++) {
		if (pl_text_equal(name, commands[i].former))
			return commands[i].name;
	}
	return name;
}

/* Runs "--db FILE import PATH" as "import --db FILE PATH". */
static int run_command_after(const struct pl_command *cmd, int front, int argc, char **argv)
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

	pl_log_init(DASH_PROGRAM);
	pl_program_begin();
	if (argc > 2 && strcmp(argv[1], "complete") == 0)
		return dash_cmd_complete(argc - 1, argv + 1);
	if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0))
		return dash_cmd_version(1, argv);
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return print_help();
	/* the address of a database may contain its password */
	option_secret_know_env();
	for (int i = 1; i < argc; i++)
		option_secret_know_urls(argv[i]);
	int front = dash_front_words(argv + 1, argc - 1);
	const char *name = present_name(1 + front < argc ? argv[1 + front] : NULL);
	if (name != NULL && name[0] != '-') {
		const struct pl_command *cmd = pl_command_find(&dash_commands, name);
		return cmd != NULL ? run_command_after(cmd, front, argc, argv)
				   : pl_command_refuse(&dash_commands, name);
	}
	if (serve != NULL)
		return serve->run(argc, argv);
	print_help();
	return pl_err_exit_status(PL_ERR_INVALID);
}
