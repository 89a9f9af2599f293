#include "base/command.h"

#include <string.h>

#include "base/command_json.h"
#include "base/man.h"
#include "base/program.h"
#include "base/text.h"

#define HELP_BYTES_MAX 65536
#define COMMANDS_MAX   64

const struct pl_command *pl_command_find(const struct pl_commands *commands, const char *name)
{
	for (const struct pl_command *at = commands->items; at->name != NULL; at++) {
		if (strcmp(at->name, name) == 0)
			return at;
	}
	return NULL;
}

int pl_command_refuse(const struct pl_commands *commands, const char *name)
{
	const char *names[COMMANDS_MAX];
	size_t count = 0;

	for (const struct pl_command *at = commands->items;
	     at->name != NULL && count < COMMANDS_MAX; at++)
		names[count++] = at->name;
	const char *nearest = pl_text_nearest(name, names, count);
	if (nearest != NULL)
		return pl_program_refuse("unknown command '%s' (did you mean '%s'?)", name,
					 nearest);
	return pl_program_refuse("unknown command '%s'; see '%s --help'", name, commands->program);
}

void pl_command_add_list(const struct pl_commands *commands, const char *progress, const char *also,
			 struct pl_buf *buf)
{
	for (const struct pl_command *at = commands->items; at->name != NULL; at++)
		pl_buf_addf(buf, "  %-12s %s%s\n", at->name, at->summary,
			    pl_text_equal(at->name, progress) ? also : "");
}

static void man_overview(const struct pl_commands *commands, struct pl_buf *buf)
{
	const char *pages[COMMANDS_MAX + 1] = { NULL };
	size_t count = 0;

	pl_man_add_program(buf, commands->program, commands->summary);
	for (const struct pl_command *at = commands->items; at->name != NULL; at++) {
		pl_man_add_summary(buf, at->name, at->summary);
		if (at->options != NULL && count < COMMANDS_MAX)
			pages[count++] = at->name;
	}
	pl_man_add_end(buf, commands->program, pages);
}

/* Finds the part named "sweep-serve"; NULL: no command has such a part. */
static const struct pl_opt_command *find_part(const struct pl_commands *commands, const char *name)
{
	for (const struct pl_command *at = commands->items; at->name != NULL; at++) {
		const struct pl_opt_command *part = at->options != NULL ? at->options->parts : NULL;
		for (; part != NULL && part->name != NULL; part++) {
			auto_free char *page = pl_man_part(commands->program, part);
			if (strcmp(page, name) == 0)
				return part;
		}
	}
	return NULL;
}

static int print_man(const struct pl_commands *commands, const char *name)
{
	const struct pl_command *command = name != NULL ? pl_command_find(commands, name) : NULL;
	const struct pl_opt_command *options = command != NULL ? command->options : NULL;
	auto_buf text = PL_BUF(HELP_BYTES_MAX);

	if (name != NULL && command == NULL && (options = find_part(commands, name)) == NULL)
		return commands->unknown(name);
	if (options == NULL)
		man_overview(commands, &text);
	else
		pl_man_add_command(&text, commands->program, name, options);
	return pl_program_print_page(pl_buf_text(&text));
}

static void list_parts(const struct pl_commands *commands, const struct pl_opt_command *part,
		       struct pl_buf *buf)
{
	for (; part != NULL && part->name != NULL; part++) {
		auto_free char *page = pl_man_part(commands->program, part);
		pl_buf_addf(buf, "%s\n", page);
	}
}

static int print_man_list(const struct pl_commands *commands)
{
	auto_buf text = PL_BUF(HELP_BYTES_MAX);

	for (const struct pl_command *at = commands->items; at->name != NULL; at++) {
		if (at->options == NULL)
			continue;
		pl_buf_addf(&text, "%s\n", at->name);
		list_parts(commands, at->options->parts, &text);
	}
	return pl_program_print(pl_buf_text(&text));
}

/* Removes the option from the words; returns whether it was among them. */
static bool take_json(int *argc, char **argv)
{
	int count = 1;

	for (int i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--json") != 0)
			argv[count++] = argv[i];
	}
	bool found = count < *argc;
	*argc = count;
	return found;
}

int pl_command_help(const struct pl_commands *commands, int argc, char **argv)
{
	char option[] = "--help";
	bool is_manual = argc > 1 && strcmp(argv[1], "--man") == 0;

	if (!is_manual && take_json(&argc, argv))
		return pl_command_help_json(commands, argc > 1 ? argv[1] : NULL,
					    argc > 2 ? argv[2] : NULL);

	if (is_manual && argc > 2 && strcmp(argv[2], "--list") == 0)
		return print_man_list(commands);
	if (is_manual)
		return print_man(commands, argc > 2 ? argv[2] : NULL);
	if (argc < 2 || argv[1][0] == '-')
		return commands->print_help();
	const struct pl_command *command = pl_command_find(commands, argv[1]);
	if (command == NULL)
		return commands->unknown(argv[1]);
	if (command->options == NULL)
		return commands->print_help();
	/* "help sweep serve": its part's help */
	char *part = argc > 2 && command->options->parts != NULL ? argv[2] : option;
	char *words[] = { argv[1], part, option, NULL };
	return command->run(part == option ? 2 : 3, words);
}

/* -1: an error in the command line; *ret_help: help was requested. */
static int read_words(const struct pl_opt_command *command, int argc, char **argv, void *options,
		      struct pl_words *ret, bool *ret_help, struct pl_err *err)
{
	bool has_words = command->words != NULL || command->operand != NULL;
	int program_count = 1;

	/* the arguments after "--" are another program's command line */
	while (program_count < argc &&
	       !(command->takes_command && strcmp(argv[program_count], "--") == 0))
		program_count++;
	ret->command = argv + (program_count < argc ? program_count + 1 : argc);
	ret->command_count = program_count < argc ? argc - program_count - 1 : 0;
	if (pl_opt_parse(command, program_count, argv, options, &ret->items, &ret->count, ret_help,
			 err) < 0)
		return -1;
	if (!*ret_help && !has_words && ret->count > 0)
		return pl_err_invalid(err,
				      "unexpected argument '%s'; this command accepts only options",
				      ret->items[0]);
	return 0;
}

bool pl_command_read(const struct pl_opt_command *command, int argc, char **argv, void *options,
		     struct pl_words *ret, int *ret_status)
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
