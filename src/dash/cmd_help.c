/*
 * `profllm-dashboard help`, and the table of the commands.
 */
#include "dash/dash.h"

#include <string.h>

#include "base/text.h"

#define HELP_BYTES_MAX 65536

static int print_help(void)
{
	auto_buf text = PL_BUF(HELP_BYTES_MAX);

	pl_buf_add_text(&text,
			"Usage: " DASH_PROGRAM " [COMMAND] [options]\n\n"
			"Stores results of profllm and of vllm bench serve, filters them by any "
			"field,\nand shows them in the browser.\n\nCommands:\n");
	pl_command_add_list(&dash_commands, DASH_COMMAND_DEFAULT, " (also without a command)",
			    &text);
	pl_buf_add_text(&text,
			"\nOptions:\n"
			"      --db FILE  use this database, for every command that has one\n"
			"  -h, --help     show this help and exit\n"
			"  -V, --version  show the version and exit\n\n" DASH_PROGRAM
			" COMMAND --help shows the options of a command.\n" DASH_PROGRAM
			" help --json [COMMAND] prints them as data.\n");
	return pl_program_print(pl_buf_text(&text));
}

static int refuse(const char *name)
{
	return pl_command_refuse(&dash_commands, name);
}

static const struct pl_command rows[] = {
#define COMMAND(name, options, summary) { #name, dash_cmd_##name, summary, options },
#include "tbl/dash_commands.h"
	{ NULL, NULL, NULL, NULL },
};

const struct pl_commands dash_commands = {
	.program = DASH_PROGRAM,
	.summary = "stores results of LLM benchmarks and shows them in the browser",
	.items = rows,
	.unknown = refuse,
	.print_help = print_help,
};

int dash_front_words(char **words, int count)
{
	int front = 0;

	for (;;) {
		bool is_alone = front < count && strcmp(words[front], "--db") == 0;
		bool is_joined = front < count && pl_text_starts(words[front], "--db=");
		int next = front + (is_alone ? 2 : is_joined);
		if (next == front || next >= count)
			return front;
		front = next;
	}
}

int dash_cmd_help(int argc, char **argv)
{
	return pl_command_help(&dash_commands, argc, argv);
}
