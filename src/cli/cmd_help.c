/*
 * `profllm help`, and manual pages.
 */
#include "cli/cli.h"

#include <string.h>

#include "base/man.h"

#define HELP_BYTES_MAX 65536
#define PAGES_MAX      64

static int print_commands(void)
{
	auto_free char *later = cli_later_names();
	auto_buf text = PL_BUF(HELP_BYTES_MAX);

	pl_buf_add_text(&text, "Usage: profllm COMMAND [options]\n\nMeasures LLM servers, and says "
			       "whether the figures can be trusted.\n\nCommands:\n");
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++)
		pl_buf_addf(&text, "  %-12s %s\n", cmd->name, cmd->summary);
	pl_buf_addf(&text, "\nNot in this version (each says what it will be):\n  %s\n", later);
	pl_buf_add_text(&text, "\nOptions:\n"
			       "  -h, --help     show this help and exit\n"
			       "  -V, --version  show the version and exit\n\n"
			       "profllm COMMAND --help shows the options of a command.\n"
			       "A first run, with no GPU:\n"
			       "  profllm run --config configs/examples/quickstart.yaml "
			       "--output r.json\n");
	return cli_print(pl_buf_text(&text));
}

static void man_overview(struct pl_buf *buf)
{
	const char *pages[PAGES_MAX + 1] = { NULL };
	size_t count = 0;

	pl_man_add_program(buf, "profllm",
			   "measures LLM servers, and says whether the figures can be trusted");
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++) {
		pl_man_add_summary(buf, cmd->name, cmd->summary);
		if (cmd->options != NULL && count < PAGES_MAX)
			pages[count++] = cmd->name;
	}
	pl_man_add_end(buf, "profllm", pages);
}

/* help --man [COMMAND]: what `make install` puts into share/man */
static int print_man(const char *name)
{
	auto_buf text = PL_BUF(HELP_BYTES_MAX);

	if (name == NULL) {
		man_overview(&text);
		return cli_print(pl_buf_text(&text));
	}
	const struct cli_cmd *cmd = cli_cmd_find(name);
	if (cmd == NULL)
		return cli_unknown_command(name);
	if (cmd->options == NULL)
		man_overview(&text);
	else
		pl_man_add_command(&text, "profllm", name, cmd->options);
	return cli_print(pl_buf_text(&text));
}

/* help --man --list: the commands that have a page of their own */
static int print_man_list(void)
{
	auto_buf text = PL_BUF(HELP_BYTES_MAX);

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
