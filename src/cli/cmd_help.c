#include "cli/cli.h"

#include <string.h>

#include "cli/man.h"

#define HELP_BYTES_MAX 65536

static int print_commands(void)
{
	auto_buf text = { 0 };

	pl_buf_init(&text, HELP_BYTES_MAX);
	pl_buf_add_text(&text, "Usage: profllm COMMAND [options]\n\nMeasures LLM servers, and says "
			       "whether the figures can be trusted.\n\nCommands:\n");
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++)
		pl_buf_addf(&text, "  %-12s %s\n", cmd->name, cmd->summary);
	pl_buf_add_text(&text, "\nOptions:\n"
			       "  -h, --help     show this help and exit\n"
			       "  -V, --version  show the version and exit\n\n"
			       "profllm COMMAND --help shows the options of a command.\n"
			       "A first run, with no GPU:\n"
			       "  profllm run --config configs/examples/quickstart.yaml "
			       "--output r.json\n");
	return cli_print(pl_buf_text(&text));
}

/* help --man [COMMAND]: what `make install` puts into share/man */
static int print_man(const char *name)
{
	auto_buf text = { 0 };

	pl_buf_init(&text, HELP_BYTES_MAX);
	if (name == NULL) {
		cli_man_overview(&text);
		return cli_print(pl_buf_text(&text));
	}
	const struct cli_cmd *cmd = cli_cmd_find(name);
	if (cmd == NULL)
		return cli_unknown_command(name);
	if (cmd->options == NULL)
		cli_man_overview(&text);
	else
		cli_man_command(name, cmd->options, &text);
	return cli_print(pl_buf_text(&text));
}

/* help --man --list: the commands that have a page of their own */
static int print_man_list(void)
{
	auto_buf text = { 0 };

	pl_buf_init(&text, HELP_BYTES_MAX);
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++) {
		if (cmd->options != NULL)
			pl_buf_addf(&text, "%s\n", cmd->name);
	}
	return cli_print(pl_buf_text(&text));
}

int cmd_help(int argc, char **argv)
{
	char option[] = "--help";

	if (argc > 2 && strcmp(argv[1], "--man") == 0 && strcmp(argv[2], "--list") == 0)
		return print_man_list();
	if (argc > 1 && strcmp(argv[1], "--man") == 0)
		return print_man(argc > 2 ? argv[2] : NULL);
	if (argc < 2 || argv[1][0] == '-')
		return print_commands();
	const struct cli_cmd *cmd = cli_cmd_find(argv[1]);
	if (cmd == NULL)
		return cli_unknown_command(argv[1]);
	/* it has no options of its own: the list is its help */
	if (cmd->run == cmd_help)
		return print_commands();
	char *cmd_argv[] = { argv[1], option, NULL };
	return cmd->run(2, cmd_argv);
}
