/*
 * `profllm help`, and manual pages. Pages are made of the rows that --help is made of, so that
 * neither can tell of an option that the other leaves out.
 */
#include "cli/cli.h"

#include <string.h>

#include "base/opt.h"

#define HELP_BYTES_MAX   65536
#define BEHIND_BYTES_MAX 65536

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

/* ---- manual pages (roff, man(7)), from the same rows as --help ---- */

/* Text as roff shows it: backslashes and dashes as they are, no line taken for a request. */
static void add_text(struct pl_buf *buf, const char *text)
{
	bool line_start = true;

	for (; *text != '\0'; text++) {
		/* a line that begins so would be a request of roff's; \& stands for nothing */
		if (line_start && (*text == '.' || *text == '\''))
			pl_buf_add_text(buf, "\\&");
		if (*text == '\\')
			pl_buf_add_text(buf, "\\e");
		else if (*text == '-')
			pl_buf_add_text(buf, "\\-");
		else
			pl_buf_add_char(buf, *text);
		line_start = *text == '\n';
	}
}

static void add_head(struct pl_buf *buf, const char *name, const char *summary)
{
	pl_buf_addf(buf, ".TH %s 1 \"\" \"ProfLLM %s\" \"ProfLLM\"\n.SH NAME\n", name,
		    PROFLLM_VERSION);
	add_text(buf, name);
	pl_buf_add_text(buf, " \\- ");
	add_text(buf, summary);
	pl_buf_add_text(buf, "\n.SH SYNOPSIS\n.nf\n");
}

static void add_option(struct pl_buf *buf, const struct pl_opt *option)
{
	auto_buf behind = PL_BUF(BEHIND_BYTES_MAX);

	pl_buf_add_text(buf, ".TP\n.B ");
	if (option->letter != 0)
		pl_buf_addf(buf, "\\-%c, ", option->letter);
	pl_buf_add_text(buf, "\\-\\-");
	add_text(buf, option->name);
	if (option->arg != NULL) {
		pl_buf_add_text(buf, " ");
		add_text(buf, option->arg);
	}
	pl_buf_add_text(buf, "\n");
	add_text(buf, option->help);
	pl_opt_help_behind(option, &behind);
	add_text(buf, pl_buf_text(&behind));
	pl_buf_add_text(buf, "\n");
}

static void add_options(struct pl_buf *buf, const struct pl_opt *options)
{
	const char *comma = ".SH NOT IN THIS VERSION\n";

	for (const struct pl_opt *option = options; option->name != NULL; option++) {
		if (option->group != NULL) {
			pl_buf_add_text(buf, ".SS ");
			add_text(buf, option->group);
			pl_buf_add_text(buf, "\n");
		}
		if (!option->hidden)
			add_option(buf, option);
	}
	for (const struct pl_opt *option = options; option->name != NULL; option++) {
		if (!option->later)
			continue;
		pl_buf_addf(buf, "%s\\-\\-", comma);
		add_text(buf, option->name);
		comma = ",\n";
	}
	pl_buf_add_text(buf, comma[0] == ',' ? "\n" : "");
}

static void man_command(const char *name, const struct pl_opt_command *command, struct pl_buf *buf)
{
	auto_free char *page = pl_asprintf("profllm-%s", name);

	add_head(buf, page, command->summary);
	add_text(buf, command->name);
	pl_buf_add_text(buf, " ");
	add_text(buf, command->usage);
	pl_buf_add_text(buf, "\n.fi\n.SH OPTIONS\n");
	add_options(buf, command->options);
	if (command->details != NULL) {
		pl_buf_add_text(buf, ".SH DESCRIPTION\n.nf\n");
		add_text(buf, command->details);
		pl_buf_add_text(buf, "\n.fi\n");
	}
	pl_buf_add_text(buf, ".SH SEE ALSO\n.BR profllm (1)\n");
}

static void man_overview(struct pl_buf *buf)
{
	add_head(buf, "profllm",
		 "measures LLM servers, and says whether the figures can be trusted");
	pl_buf_add_text(buf, "profllm COMMAND [options]\n.fi\n.SH COMMANDS\n");
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++) {
		pl_buf_addf(buf, ".TP\n.B %s\n", cmd->name);
		add_text(buf, cmd->summary);
		pl_buf_add_text(buf, "\n");
	}
	pl_buf_add_text(buf, ".SH SEE ALSO\n.nf\n");
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++) {
		if (cmd->options != NULL)
			pl_buf_addf(buf, ".BR profllm\\-%s (1)\n", cmd->name);
	}
	pl_buf_add_text(buf, ".fi\n");
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
		man_command(name, cmd->options, &text);
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
