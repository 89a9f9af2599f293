/* `help --json`: the commands and their options as data, from the rows of --help. */
#include "base/command_json.h"

#include <string.h>

#include "base/program.h"
#include "base/text.h"

static const char *const type_names[] = {
	[PL_OPT_FLAG] = "flag",  [PL_OPT_TEXT] = "text",         [PL_OPT_INT] = "integer",
	[PL_OPT_F64] = "number", [PL_OPT_DURATION] = "duration", [PL_OPT_LIST] = "list",
};

/* NULL: an empty list. */
static json_t *texts_json(const char *const *texts)
{
	json_t *list = json_array();

	for (size_t i = 0; texts != NULL && texts[i] != NULL; i++)
		json_array_append_new(list, json_string(texts[i]));
	return list;
}

static json_t *option_json(const struct pl_opt *row)
{
	const char letter[] = { row->letter, '\0' };
	bool is_flag = row->type == PL_OPT_FLAG;

	return json_pack("{s:s, s:o, s:s, s:o, s:s, s:o, s:o, s:b, s:b}", "name", row->name,
			 "letter", row->letter != 0 ? json_string(letter) : json_null(), "type",
			 type_names[row->type], "argument",
			 is_flag ? json_null() : json_string(row->arg != NULL ? row->arg : "VALUE"),
			 "help", row->help != NULL ? row->help : "", "choices",
			 texts_json(row->choices), "default", pl_json_text(row->def), "repeatable",
			 (int)(row->type == PL_OPT_LIST), "negatable",
			 (int)(row->negatable && is_flag));
}

static json_t *options_json(const struct pl_opt *rows)
{
	json_t *list = json_array();

	for (const struct pl_opt *row = rows; row != NULL && row->name != NULL; row++) {
		if (!row->hidden && !row->later)
			json_array_append_new(list, option_json(row));
	}
	return list;
}

/* One text per line of the usage. */
static json_t *usage_json(const char *name, const char *usage)
{
	auto_free char *copy = pl_strdup(usage != NULL ? usage : "");
	json_t *list = json_array();

	for (char *rest = copy, *line; (line = strsep(&rest, "\n")) != NULL;)
		json_array_append_new(list,
				      json_sprintf("%s%s%s", name, *line != '\0' ? " " : "", line));
	return list;
}

/* The options of `help` itself, which pl_command_help() reads without rows. */
static const struct pl_opt help_rows[] = {
	{ .name = "json", .help = "print the commands and their options as one JSON object" },
	{ .name = "man",
	  .type = PL_OPT_TEXT,
	  .arg = "COMMAND",
	  .help = "print the manual page of COMMAND, or with --list the names of the pages" },
	{ .name = NULL },
};

/* `name` is without the program; options NULL: that of `help`. */
static void add_command(json_t *list, const char *program, const char *name, const char *summary,
			const struct pl_opt_command *options)
{
	static const struct pl_opt_command help = { .usage = "[COMMAND [PART]] [--json]",
						    .options = help_rows,
						    .operand = "COMMAND" };
	const struct pl_opt_command *shown = options != NULL ? options : &help;
	auto_free char *full = pl_asprintf("%s %s", program, name);

	json_array_append_new(
		list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:b, s:o}", "name", name, "summary",
				summary, "usage", usage_json(full, shown->usage), "words",
				texts_json(shown->words), "operand", pl_json_text(shown->operand),
				"takes_command", (int)shown->takes_command, "options",
				options_json(shown->options)));
}

/* Adds the command and its parts; `part` NULL: all of them, otherwise that part alone. */
static void add_with_parts(json_t *list, const char *program, const struct pl_command *command,
			   const char *part)
{
	const struct pl_opt_command *parts = command->options != NULL ? command->options->parts
								      : NULL;

	if (part == NULL)
		add_command(list, program, command->name, command->summary, command->options);
	for (; parts != NULL && parts->name != NULL; parts++) {
		/* "profllm sweep serve" is "sweep serve" */
		const char *name = parts->name + strlen(program) + 1;
		const char *last = strrchr(name, ' ') + 1;
		if (part == NULL || strcmp(part, last) == 0)
			add_command(list, program, name, parts->summary, parts);
	}
}

int pl_command_help_json(const struct pl_commands *commands, const char *name, const char *part)
{
	const struct pl_command *only = name != NULL ? pl_command_find(commands, name) : NULL;
	json_t *list = json_array();
	auto_json json_t *answer = json_pack("{s:s, s:s, s:s, s:o}", "name", commands->program,
					     "version", PROFLLM_VERSION, "summary",
					     commands->summary, "commands", list);

	if (name != NULL && only == NULL)
		return commands->unknown(name);
	for (const struct pl_command *at = commands->items; at->name != NULL; at++) {
		if (only == NULL || at == only)
			add_with_parts(list, commands->program, at, part);
	}
	if (json_array_size(list) == 0)
		return pl_program_refuse("%s: found '%s', expected a part of this command", name,
					 part);
	return pl_program_print_json(answer);
}
