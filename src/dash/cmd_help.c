/*
 * `profllm-dashboard help`, and manual pages.
 */
#include "dash/dash.h"

#include <string.h>

#include "base/man.h"

#define HELP_BYTES_MAX 65536
#define PAGES_MAX      64

#define SUMMARY "keeps results of LLM benchmarks, and shows them in the browser"

static int print_commands(void)
{
	auto_buf text = PL_BUF(HELP_BYTES_MAX);

	pl_buf_add_text(&text,
			"Usage: " DASH_PROGRAM " [COMMAND] [options]\n\n"
			"Keeps results of profllm and of vllm bench serve, finds them by any of "
			"their fields,\nand shows them in the browser.\n\nCommands:\n");
	for (const struct dash_cmd *cmd = dash_cmds; cmd->name != NULL; cmd++)
		pl_buf_addf(&text, "  %-12s %s%s\n", cmd->name, cmd->summary,
			    strcmp(cmd->name, DASH_COMMAND_DEFAULT) == 0
				    ? " (also without a command)"
				    : "");
	pl_buf_add_text(&text, "\nOptions:\n"
			       "      --db FILE  the database, of every command that has one\n"
			       "  -h, --help     show this help and exit\n"
			       "  -V, --version  show the version and exit\n\n" DASH_PROGRAM
			       " COMMAND --help shows the options of a command.\n");
	return pl_program_print(pl_buf_text(&text));
}

static void man_overview(struct pl_buf *buf)
{
	const char *pages[PAGES_MAX + 1] = { NULL };
	size_t count = 0;

	pl_man_add_program(buf, DASH_PROGRAM, SUMMARY);
	for (const struct dash_cmd *cmd = dash_cmds; cmd->name != NULL; cmd++) {
		pl_man_add_summary(buf, cmd->name, cmd->summary);
		if (cmd->options != NULL && count < PAGES_MAX)
			pages[count++] = cmd->name;
	}
	pl_man_add_end(buf, DASH_PROGRAM, pages);
}

/* help --man [COMMAND]: what `make install` puts into share/man */
static int print_man(const char *name)
{
	const struct dash_cmd *cmd = name != NULL ? dash_cmd_find(name) : NULL;
	auto_buf text = PL_BUF(HELP_BYTES_MAX);

	if (name != NULL && cmd == NULL)
		return dash_unknown_command(name);
	if (cmd == NULL || cmd->options == NULL)
		man_overview(&text);
	else
		pl_man_add_command(&text, DASH_PROGRAM, name, cmd->options);
	return pl_program_print(pl_buf_text(&text));
}

/* help --man --list: the commands that have a page of their own */
static int print_man_list(void)
{
	auto_buf text = PL_BUF(HELP_BYTES_MAX);

	for (const struct dash_cmd *cmd = dash_cmds; cmd->name != NULL; cmd++) {
		if (cmd->options != NULL)
			pl_buf_addf(&text, "%s\n", cmd->name);
	}
	return pl_program_print(pl_buf_text(&text));
}

int dash_cmd_help(int argc, char **argv)
{
	char option[] = "--help";

	if (argc > 2 && strcmp(argv[1], "--man") == 0 && strcmp(argv[2], "--list") == 0)
		return print_man_list();
	if (argc > 1 && strcmp(argv[1], "--man") == 0)
		return print_man(argc > 2 ? argv[2] : NULL);
	if (argc < 2 || argv[1][0] == '-')
		return print_commands();
	const struct dash_cmd *cmd = dash_cmd_find(argv[1]);
	if (cmd == NULL)
		return dash_unknown_command(argv[1]);
	/* it has no options of its own: the list is its help */
	if (cmd->options == NULL)
		return print_commands();
	char *words[] = { argv[1], option, NULL };
	return cmd->run(2, words);
}
