/* The table of the commands, and `profllm help`. */
#include "cli/cli.h"

#define HELP_BYTES_MAX 65536

static int print_help(void)
{
	auto_free char *later = cli_later_names(&cli_commands);
	auto_buf text = PL_BUF(HELP_BYTES_MAX);

	pl_buf_add_text(&text,
			"Usage: profllm COMMAND [options]\n\n"
			"Measures LLM servers and reports whether the results can be trusted.\n\n"
			"Commands:\n");
	pl_command_add_list(&cli_commands, NULL, "", &text);
	pl_buf_addf(&text,
		    "\n"
		    "Not in this version (run one to see what to use instead):\n"
		    "  %s\n",
		    later);
	pl_buf_add_text(
		&text, "\n"
		       "Options:\n"
		       "  -h, --help     show this help and exit\n"
		       "  -V, --version  show the version and exit\n\n"
		       "profllm COMMAND --help shows the options of a command.\n"
		       "profllm help --json [COMMAND] prints them as data.\n"
		       "A first run, without a GPU:\n"
		       "  profllm run --config configs/examples/quickstart.yaml --output r.json\n");
	return pl_program_print_page(pl_buf_text(&text));
}

int cli_unknown_command(const char *name)
{
	return cli_unknown_in(&cli_commands, name);
}

static const struct pl_command rows[] = {
#define COMMAND(name, options, summary)             { #name, cmd_##name, summary, options },
#define COMMAND_NAMED(name, text, options, summary) { text, cmd_##name, summary, options },
#include "tbl/commands.h"
	{ NULL, NULL, NULL, NULL },
};

const struct pl_commands cli_commands = {
	.program = "profllm",
	.summary = "measures LLM servers and reports whether the results can be trusted",
	.items = rows,
	.unknown = cli_unknown_command,
	.print_help = print_help,
};

int cmd_help(int argc, char **argv)
{
	return pl_command_help(&cli_commands, argc, argv);
}
