#include "base/opt.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { HELP_COLUMNS = 80, HELP_LEFT_MAX = 30, HELP_BYTES_MAX = 1 << 20, NAMES_BYTES_MAX = 1024 };

/* Follows the command's rows in every table. */
static const struct pl_opt help_option = {
	.name = "help", .letter = 'h', .type = PL_OPT_FLAG, .help = "show this help and exit"
};

/* A parse under way: argv[at..argc) is still to read, argv[1..1 + rest) are the positionals. */
struct parse {
	const struct pl_opt_command *command;
	int argc;
	char **argv;
	int at;
	int rest;
	void *into;
	bool help;
};

/* One option as it was met. */
struct met {
	const struct pl_opt *option;
	bool negated;
	char *shown;       /* as the user spelled it, "--output" or "-o" */
	const char *value; /* the value in the same word, or NULL */
};

/* Returns row i of the command, with --help as the last; NULL after it. */
static const struct pl_opt *row(const struct pl_opt_command *command, size_t i)
{
	static const struct pl_opt none = { 0 };
	const struct pl_opt *at = command->options != NULL ? command->options : &none;

	for (; at->name != NULL; at++) {
		if (i-- == 0)
			return at;
	}
	return i == 0 ? &help_option : NULL;
}

enum match { MATCH_NONE, MATCH_PREFIX, MATCH_EXACT };

/* '-' and '_' are the same in names. */
static enum match match_name(const char *given, size_t len, const char *name)
{
	for (size_t i = 0; i < len; i++) {
		char a = given[i] == '_' ? '-' : given[i];
		char b = name[i] == '_' ? '-' : name[i];
		if (a != b)
			return MATCH_NONE;
	}
	return name[len] == '\0' ? MATCH_EXACT : MATCH_PREFIX;
}

struct search {
	struct met *met;
	enum match best;
	unsigned prefixes;
	struct pl_buf *names; /* of the rows that the given text is a prefix of */
};

static void search_row(struct search *search, const struct pl_opt *option, const char *given,
		       size_t len, bool negated)
{
	enum match match = match_name(given, len, option->name);

	if (match == MATCH_NONE || search->best == MATCH_EXACT ||
	    (match == MATCH_PREFIX && option->hidden))
		return;
	if (match == MATCH_PREFIX)
		pl_buf_addf(search->names, "%s'--%s%s'", search->prefixes++ > 0 ? ", " : "",
			    negated ? "no-" : "", option->name);
	search->best = match;
	search->met->option = option;
	search->met->negated = negated;
}

static int unknown_option(const struct parse *parse, const char *shown, struct pl_err *err)
{
	struct pl_nearest nearest = { .name = shown + 2 };
	const struct pl_opt *option;

	for (size_t i = 0; shown[1] == '-' && (option = row(parse->command, i)) != NULL; i++) {
		if (!option->hidden)
			pl_nearest_try(&nearest, option->name);
	}
	if (nearest.found == NULL)
		return pl_err_invalid(err, "unknown option '%s'", shown);
	return pl_err_invalid(err, "unknown option '%s' (did you mean '--%s'?)", shown,
			      nearest.found);
}

static int find_long(const struct parse *parse, size_t len, struct met *met, struct pl_err *err)
{
	const char *given = met->shown + 2;
	const struct pl_opt *option;
	auto_buf names = PL_BUF(NAMES_BYTES_MAX);
	struct search search = { .met = met, .names = &names };

	for (size_t i = 0; (option = row(parse->command, i)) != NULL; i++) {
		search_row(&search, option, given, len, false);
		if (option->negatable && option->type == PL_OPT_FLAG && len > 3 &&
		    match_name(given, 3, "no-") == MATCH_EXACT)
			search_row(&search, option, given + 3, len - 3, true);
	}
	if (search.best == MATCH_NONE || len == 0)
		return unknown_option(parse, met->shown, err);
	if (search.best == MATCH_PREFIX && search.prefixes > 1)
		return pl_err_invalid(err, "option '%s' is ambiguous: %s", met->shown,
				      pl_buf_text(&names));
	return 0;
}

/* `letter` is not NUL, which stands for an option without one. */
static const struct pl_opt *find_letter(const struct parse *parse, char letter)
{
	const struct pl_opt *option;

	for (size_t i = 0; (option = row(parse->command, i)) != NULL; i++) {
		if (option->letter == letter)
			return option;
	}
	return NULL;
}

static int bad_value(const struct met *met, const char *expected, struct pl_err *err)
{
	return pl_err_invalid(err, "option '%s': found '%s', expected %s", met->shown, met->value,
			      expected);
}

static int check_choice(const struct met *met, struct pl_err *err)
{
	const char *const *choices = met->option->choices;
	size_t count = 0;
	auto_buf expected = PL_BUF(NAMES_BYTES_MAX);

	if (choices == NULL)
		return 0;
	for (; choices[count] != NULL; count++) {
		if (strcmp(choices[count], met->value) == 0)
			return 0;
		pl_buf_addf(&expected, "%s%s",
			    count == 0                   ? ""
			    : choices[count + 1] == NULL ? " or "
							 : ", ",
			    choices[count]);
	}
	const char *nearest = pl_text_nearest(met->value, choices, count);
	if (nearest != NULL)
		pl_buf_addf(&expected, " (did you mean '%s'?)", nearest);
	return bad_value(met, pl_buf_text(&expected), err);
}

/* Returns whether the value names a file, a directory or a server, which "" never does. */
static bool names_a_resource(const struct pl_opt *option)
{
	static const char *const args[] = { "FILE", "DIR", "FOLDER", "DB", "URL", "ADDRESS" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(args); i++) {
		if (option->arg != NULL && strcmp(option->arg, args[i]) == 0)
			return true;
	}
	return false;
}

static int check_text(const struct met *met, struct pl_err *err)
{
	if (met->value[0] == '\0' && names_a_resource(met->option))
		return pl_err_invalid(err, "option '%s': found an empty value, expected %s",
				      met->shown, met->option->arg);
	return check_choice(met, err);
}

static int set_flag(const struct met *met, bool *into, struct pl_err *err)
{
	if (met->value == NULL) {
		*into = !met->negated;
		return 0;
	}
	if (met->negated)
		return pl_err_invalid(err, "option '%s' takes no value", met->shown);
	bool yes = strcmp(met->value, "true") == 0;
	if (!yes && strcmp(met->value, "false") != 0)
		return bad_value(met, "true or false", err);
	*into = yes;
	return 0;
}

static int set_value(const struct met *met, void *into, struct pl_err *err)
{
	void *field = (char *)into + met->option->offset;
	struct pl_opt_list *list = field;

	switch (met->option->type) {
	case PL_OPT_FLAG:
		return set_flag(met, field, err);
	case PL_OPT_TEXT:
		if (check_text(met, err) < 0)
			return -1;
		*(const char **)field = met->value;
		return 0;
	case PL_OPT_LIST:
		if (check_text(met, err) < 0)
			return -1;
		*PL_PUSH(list->items, list->count, list->room) = met->value;
		return 0;
	case PL_OPT_INT:
		return pl_text_to_i64(met->value, field) ? 0 : bad_value(met, "an integer", err);
	case PL_OPT_F64:
		return pl_text_to_f64(met->value, field) ? 0 : bad_value(met, "a number", err);
	case PL_OPT_DURATION:
		return pl_text_to_duration_ns(met->value, field)
			       ? 0
			       : bad_value(met, "a duration such as 500ms, 30s or 2h", err);
	}
	return pl_err_set(err, PL_ERR_INTERNAL, "option '%s' has no type", met->shown);
}

/* Takes the next word as a value, unless it is itself an option: "--set --quiet" is a mistake. */
static int take_value(struct parse *parse, struct met *met, struct pl_err *err)
{
	const char *word = parse->at < parse->argc ? parse->argv[parse->at] : NULL;

	if (word == NULL || (word[0] == '-' && word[1] == '-') ||
	    (word[0] == '-' && word[1] != '\0' && find_letter(parse, word[1]) != NULL))
		return pl_err_invalid(err, "option '%s' needs a value", met->shown);
	met->value = word;
	parse->at++;
	return 0;
}

/* Where no operand can follow, a word that is not an option is meant as a duration: it is one, or a mistake to name. */
static bool duration_follows(const struct parse *parse)
{
	const char *word = parse->at < parse->argc ? parse->argv[parse->at] : "";
	bool has_operands = parse->command->words != NULL || parse->command->operand != NULL;
	int64_t ns;

	return pl_text_to_duration_ns(word, &ns) ||
	       (!has_operands && word[0] != '\0' && word[0] != '-');
}

static int apply(struct parse *parse, struct met *met, struct pl_err *err)
{
	if (met->option == &help_option) {
		parse->help = true;
		return 0;
	}
	if (met->value == NULL && met->option->optional && !duration_follows(parse)) {
		*(int64_t *)((char *)parse->into + met->option->offset) = INT64_MAX;
		return 0;
	}
	if (met->option->type != PL_OPT_FLAG && met->value == NULL &&
	    take_value(parse, met, err) < 0)
		return -1;
	return set_value(met, parse->into, err);
}

static int parse_long(struct parse *parse, const char *word, struct pl_err *err)
{
	size_t len = strcspn(word, "=");
	auto_free char *shown = pl_strndup(word, len);
	struct met met = { .shown = shown };

	if (find_long(parse, len - 2, &met, err) < 0)
		return -1;
	if (word[len] == '=')
		met.value = word + len + 1;
	return apply(parse, &met, err);
}

/* "-o FILE", "-oFILE", and flags run together: "-vq". */
static int parse_letters(struct parse *parse, const char *word, struct pl_err *err)
{
	for (const char *at = word + 1; *at != '\0' && !parse->help; at++) {
		char shown[] = { '-', *at, '\0' };
		struct met met = { .shown = shown, .option = find_letter(parse, *at) };

		if (met.option == NULL)
			return unknown_option(parse, at == word + 1 ? word : shown, err);
		bool is_flag = met.option->type == PL_OPT_FLAG;
		if (!is_flag && at[1] != '\0')
			met.value = at + 1;
		if (apply(parse, &met, err) < 0)
			return -1;
		if (!is_flag)
			break;
	}
	return 0;
}

int pl_opt_parse(const struct pl_opt_command *command, int argc, char **argv, void *into,
		 char ***ret_rest, int *ret_rest_count, bool *ret_help, struct pl_err *err)
{
	struct parse parse = {
		.command = command, .argc = argc, .argv = argv, .at = 1, .into = into
	};
	bool only_words = false;

	while (parse.at < argc && !parse.help) {
		char *word = argv[parse.at++];
		int result = 0;
		if (only_words || word[0] != '-' || word[1] == '\0')
			argv[1 + parse.rest++] = word;
		else if (strcmp(word, "--") == 0)
			only_words = true;
		else if (word[1] == '-')
			result = parse_long(&parse, word, err);
		else
			result = parse_letters(&parse, word, err);
		if (result < 0)
			return -1;
	}
	*ret_rest = argv + (argc > 0);
	*ret_rest_count = parse.rest;
	*ret_help = parse.help;
	return 0;
}

void pl_opt_list_done(struct pl_opt_list *list)
{
	free(list->items);
	*list = (struct pl_opt_list){ 0 };
}

/* Appends words from column `at`, further lines from column `indent`, and ends the line. */
static void add_wrapped(struct pl_buf *buf, const char *text, size_t len, size_t at, size_t indent)
{
	const char *end = text + len;
	bool first = true;

	while (text < end) {
		size_t word = 0;
		while (text + word < end && text[word] != ' ')
			word++;
		size_t width = pl_text_columns(text, word);
		if (!first && at + 1 + width > HELP_COLUMNS) {
			pl_buf_add_char(buf, '\n');
			pl_buf_addf(buf, "%*s", (int)indent, "");
			at = indent;
			first = true;
		}
		if (!first)
			pl_buf_add_char(buf, ' ');
		pl_buf_add(buf, text, word);
		at += width + !first;
		first = false;
		text += word;
		while (text < end && *text == ' ')
			text++;
	}
	pl_buf_add_char(buf, '\n');
}

/* Paragraphs are wrapped; lines that begin with a blank are examples and stay as they are. */
static void add_details(struct pl_buf *buf, const char *details)
{
	while (*details != '\0') {
		size_t len = strcspn(details, "\n");
		if (details[0] == ' ')
			pl_buf_addf(buf, "%.*s\n", (int)len, details);
		else
			add_wrapped(buf, details, len, 0, 0);
		details += len + (details[len] == '\n');
	}
}

/* "  -o, --output FILE" */
static void add_left(struct pl_buf *buf, const struct pl_opt *option)
{
	if (option->letter != 0)
		pl_buf_addf(buf, "  -%c, ", option->letter);
	else
		pl_buf_add_text(buf, "      ");
	pl_buf_addf(buf, "--%s%s", option->negatable ? "[no-]" : "", option->name);
	if (option->type != PL_OPT_FLAG)
		pl_buf_addf(buf, " %s", option->arg != NULL ? option->arg : "VALUE");
}

/* Whether the text has the word, between other characters than those of words. */
static bool has_word(const char *text, const char *word)
{
	static const char joined[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t len = strlen(word);

	for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
		bool begins = at == text || strchr(joined, at[-1]) == NULL;
		if (begins && (at[len] == '\0' || strchr(joined, at[len]) == NULL))
			return true;
	}
	return false;
}

/* Whether the help ends in parentheses that name each choice, such as "(html, or md by default)". */
static bool names_choices(const struct pl_opt *option)
{
	const char *open = strrchr(option->help, '(');

	if (open == NULL || !pl_text_ends(open, ")"))
		return false;
	for (size_t i = 0; option->choices[i] != NULL; i++) {
		if (!has_word(open, option->choices[i]))
			return false;
	}
	return true;
}

void pl_opt_help_after(const struct pl_opt *option, struct pl_buf *buf)
{
	bool has_choices = option->choices != NULL && option->choices[0] != NULL &&
			   !names_choices(option);

	for (size_t i = 0; has_choices && option->choices[i] != NULL; i++)
		pl_buf_addf(buf, "%s%s", i == 0 ? " (" : ", ", option->choices[i]);
	if (option->def != NULL)
		pl_buf_addf(buf, "%sdefault %s", has_choices ? "; " : " (", option->def);
	if (has_choices || option->def != NULL)
		pl_buf_add_char(buf, ')');
}

/*
 * Returns the column at which the help texts begin: after the widest left part that is not too
 * wide.
 */
static size_t help_column(const struct pl_opt_command *command)
{
	const struct pl_opt *option;
	size_t widest = 0;

	for (size_t i = 0; (option = row(command, i)) != NULL; i++) {
		auto_buf left = PL_BUF(HELP_BYTES_MAX);
		add_left(&left, option);
		size_t width = pl_text_columns(pl_buf_text(&left), left.len);
		if (!option->hidden && width <= HELP_LEFT_MAX && width > widest)
			widest = width;
	}
	return widest + 2;
}

/* Those that come later, by name alone. */
static void add_later(const struct pl_opt_command *command, struct pl_buf *buf)
{
	auto_buf names = PL_BUF(HELP_BYTES_MAX);
	const struct pl_opt *option;

	for (size_t i = 0; (option = row(command, i)) != NULL; i++) {
		if (option->later)
			pl_buf_addf(&names, "%s--%s", names.len > 0 ? ", " : "", option->name);
	}
	if (names.len == 0)
		return;
	pl_buf_add_text(buf, "\nnot in this version:\n  ");
	add_wrapped(buf, pl_buf_text(&names), names.len, 2, 2);
}

static void add_rows(const struct pl_opt_command *command, struct pl_buf *buf)
{
	size_t column = help_column(command);
	const struct pl_opt *option;
	bool is_first = true;

	for (size_t i = 0; (option = row(command, i)) != NULL; i++) {
		if (option->hidden)
			continue;
		if (is_first || option->group != NULL)
			pl_buf_addf(buf, "%s%s:\n", is_first ? "" : "\n",
				    option->group != NULL ? option->group : "options");
		is_first = false;
		auto_buf help = PL_BUF(HELP_BYTES_MAX);
		size_t before = buf->len;
		add_left(buf, option);
		size_t at = pl_text_columns(buf->data + before, buf->len - before);
		if (at + 2 > column) {
			pl_buf_add_char(buf, '\n');
			at = 0;
		}
		pl_buf_addf(buf, "%*s", (int)(column - at), "");
		pl_buf_add_text(&help, option->help != NULL ? option->help : "");
		pl_opt_help_after(option, &help);
		add_wrapped(buf, pl_buf_text(&help), help.len, column, column);
	}
	add_later(command, buf);
}

void pl_opt_help(const struct pl_opt_command *command, struct pl_buf *buf)
{
	/* One line, or more if it is too long, for each line of the usage. */
	const char *usage = command->usage != NULL ? command->usage : "";
	const char *before = "usage: ";
	do {
		auto_buf line = PL_BUF(HELP_BYTES_MAX);
		size_t len = strcspn(usage, "\n");
		pl_buf_addf(&line, "%s%s%.*s", command->name, len > 0 ? " " : "", (int)len, usage);
		pl_buf_add_text(buf, before);
		add_wrapped(buf, pl_buf_text(&line), line.len, strlen("usage: "),
			    strlen("usage: "));
		usage += len;
		before = "   or: ";
	} while (*usage++ == '\n');
	pl_buf_add_char(buf, '\n');
	if (command->summary != NULL) {
		add_wrapped(buf, command->summary, strlen(command->summary), 0, 0);
		pl_buf_add_char(buf, '\n');
	}
	add_rows(command, buf);
	if (command->details != NULL) {
		pl_buf_add_char(buf, '\n');
		add_details(buf, command->details);
	}
}
