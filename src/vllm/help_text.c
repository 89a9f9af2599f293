/*
 * Parses argparse's help, which is meant for users, into arguments:
 *
 *   ParallelConfig:                                     a group: column 0, after a blank line
 *     Configuration for the distributed execution.      its description: ignored
 *
 *     --enable-x, --no-enable-x                         an argument: two columns in
 *                           Its effect. (default:        its help: deeper; Python breaks lines at
 *                           False)                      the width of the terminal, even in words
 *
 * The width is unknown and guessed from the text (help_width()): only the width distinguishes a
 * word that was broken from two words.
 */
#include "vllm/help_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strv.h"
#include "base/text.h"
#include "vllm/flag_sense.h"

#define TEXT_BYTES_MAX    (1u << 20) /* of one argument's help, or of its names */
#define ARGS_MAX          20000
#define SPELLINGS_MAX     64 /* of one argument */
#define ARENA_BLOCK_BYTES 65536
#define ARG_INDENT        2
#define INDENTS           64
#define HEADING_WORDS_MAX 4
#define DEFAULT_MARK      "(default:"

struct vllm_help {
	struct pl_arena *arena;
	struct vllm_help_arg *args;
	size_t count;
	size_t room;
};

struct parser {
	struct vllm_help *help;
	const char *group;   /* NULL: outside of all groups */
	bool was_blank;      /* the line before */
	size_t width;        /* columns of the longest line of help */
	size_t last_columns; /* of the help line that was added last */
	bool collecting;     /* in an argument */
	int line;            /* from 1 */
	int first_line;      /* of the argument */
	struct pl_buf names;
	struct pl_buf text;
};

void vllm_help_free(struct vllm_help *help)
{
	if (help == NULL)
		return;
	for (size_t i = 0; i < help->count; i++)
		json_decref(help->args[i].choices);
	pl_arena_free(help->arena);
	free(help->args);
	free(help);
}

size_t vllm_help_count(const struct vllm_help *help)
{
	return help->count;
}

const struct vllm_help_arg *vllm_help_at(const struct vllm_help *help, size_t i)
{
	return &help->args[i];
}

static const char *keep(struct vllm_help *help, const char *text, size_t len)
{
	return pl_arena_strndup(help->arena, text, len);
}

/* ---- one argument ---------------------------------------------------------------------- */

/* Only "[…]" shows quotes, which are not part of the choice. */
static void add_choice(struct vllm_help_arg *arg, const char *text, size_t len)
{
	while (len > 0 && (*text == ' ' || *text == '\'')) {
		text++;
		len--;
	}
	while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\''))
		len--;
	if (len == 4 && strncmp(text, "None", 4) == 0) {
		arg->takes_none = true;
		return;
	}
	json_t *choice = json_stringn(text, len);
	if (choice != NULL)
		json_array_append_new(arg->choices, choice);
}

/* "{a,b}", which argparse checks, or "['a', 'b']", which only tells. */
static void read_choices(struct vllm_help_arg *arg, const char *text)
{
	const char *end = strrchr(text, text[0] == '{' ? '}' : ']');

	if (arg->choices != NULL || end == NULL)
		return;
	arg->choices = json_array();
	/* "{a,b} or another registered" */
	arg->choices_open = text[0] == '[' || end[1] != '\0';
	for (text++; text < end;) {
		size_t len = strcspn(text, ",");
		if (len > (size_t)(end - text))
			len = (size_t)(end - text);
		add_choice(arg, text, len);
		text += len + 1;
	}
}

/* Reads the metavar after a flag: "X", "{a,b}", "[X]", "X [X ...]", "[X ...]". */
static void read_metavar(struct vllm_help_arg *arg, const char *text)
{
	const char *more = strstr(text, " ...]");
	bool is_list = more != NULL && more[5] == '\0';
	bool is_reported = text[0] == '[' && (text[1] == '\'' || text[1] == '"');

	if (text[0] == '\0')
		return;
	if (is_list)
		arg->style = OPTION_STYLE_LIST;
	else if (text[0] == '[' && !is_reported)
		arg->style = OPTION_STYLE_OPTIONAL_VALUE;
	else
		arg->style = OPTION_STYLE_VALUE;
	auto_free char *first = pl_strndup(text, is_list ? (size_t)(more - text) : strlen(text));
	char *retry = is_list ? strstr(first, " [") : NULL;
	if (retry != NULL)
		*retry = '\0';
	const char *value = first + (first[0] == '[' && !is_reported ? 1 : 0);
	if (value[0] == '{' || is_reported)
		read_choices(arg, value);
}

static bool is_long(const char *flag)
{
	return flag[0] == '-' && flag[1] == '-';
}

/* Returns whether `no_flag` is "--no-x" for the flag "--x". */
static bool is_plain_negative(const char *flag, const char *no_flag)
{
	return pl_text_starts(no_flag, "--no-") && strcmp(flag + 2, no_flag + 5) == 0;
}

/* The first long flag names the argument. "--no-x" does so only where no other flag is long. */
static const char *main_flag(const struct pl_strv *flags)
{
	const char *found = NULL;

	for (size_t i = 0; i < flags->count; i++) {
		const char *flag = flags->items[i];
		if (is_long(flag) && !pl_text_starts(flag, "--no-"))
			return flag;
		if (is_long(flag) && found == NULL)
			found = flag;
	}
	return found;
}

/* The spellings of a switch by their sense. A short one means the same as the first long one:
 * argparse makes negatives of long flags only. */
struct spellings {
	struct pl_strv same;
	struct pl_strv negative;
	struct pl_strv undecided;
};

static bool has_plain_negative(const struct pl_strv *flags, const char *flag)
{
	for (size_t i = 0; i < flags->count; i++) {
		if (is_plain_negative(flag, flags->items[i]))
			return true;
	}
	return false;
}

/* argparse makes "--no-y" of each long flag that means the same as the first one. */
static enum vllm_sense sense_of(const struct pl_strv *flags, const struct pl_strv *same,
				const char *flag)
{
	if (!is_long(flag))
		return VLLM_SENSE_SAME;
	enum vllm_sense sense = VLLM_SENSE_UNDECIDED;
	for (size_t i = 0; i < same->count && sense == VLLM_SENSE_UNDECIDED; i++) {
		if (is_long(same->items[i]))
			sense = vllm_flag_sense(same->items[i], flag);
	}
	if (sense == VLLM_SENSE_UNDECIDED && has_plain_negative(flags, flag))
		return VLLM_SENSE_SAME;
	return sense;
}

static void sort_switch(const struct pl_strv *flags, const char *first, struct spellings *ret)
{
	pl_strv_add(&ret->same, first);
	for (size_t i = 0; i < flags->count; i++) {
		const char *flag = flags->items[i];
		enum vllm_sense sense = sense_of(flags, &ret->same, flag);
		if (strcmp(flag, first) == 0)
			continue;
		pl_strv_add(sense == VLLM_SENSE_SAME       ? &ret->same
			    : sense == VLLM_SENSE_OPPOSITE ? &ret->negative
							   : &ret->undecided,
			    flag);
	}
}

/* Joins the items from `from` on with blanks; NULL: none. */
static const char *keep_words(struct vllm_help *help, const struct pl_strv *flags, size_t from)
{
	auto_buf words = PL_BUF(TEXT_BYTES_MAX);

	for (size_t i = from; i < flags->count; i++)
		pl_buf_addf(&words, "%s%s", i > from ? " " : "", flags->items[i]);
	return words.len > 0 ? keep(help, words.data, words.len) : NULL;
}

static void read_switch(struct vllm_help *help, struct vllm_help_arg *arg,
			const struct pl_strv *flags, const char *first)
{
	struct spellings spellings = { 0 };

	sort_switch(flags, first, &spellings);
	arg->aliases = keep_words(help, &spellings.same, 1);
	arg->negative_aliases = keep_words(help, &spellings.negative, 1);
	arg->undecided = keep_words(help, &spellings.undecided, 0);
	arg->style = OPTION_STYLE_FLAG;
	if (spellings.negative.count > 0) {
		arg->negative_flag = keep(help, spellings.negative.items[0],
					  strlen(spellings.negative.items[0]));
		arg->style = OPTION_STYLE_TOGGLE;
	}
	pl_strv_done(&spellings.same);
	pl_strv_done(&spellings.negative);
	pl_strv_done(&spellings.undecided);
}

/* All flags except the main one are its aliases, in any order. */
static const char *other_flags(struct vllm_help *help, const struct pl_strv *flags,
			       const char *first)
{
	auto_buf words = PL_BUF(TEXT_BYTES_MAX);

	for (size_t i = 0; i < flags->count; i++) {
		if (strcmp(flags->items[i], first) != 0)
			pl_buf_addf(&words, "%s%s", words.len > 0 ? " " : "", flags->items[i]);
	}
	return words.len > 0 ? keep(help, words.data, words.len) : NULL;
}

/* Without a value's name it is a switch; with "--no-x" it is one as well. */
static void read_names(struct vllm_help *help, struct vllm_help_arg *arg, const char *names)
{
	auto_strv flags = { 0 };
	bool is_switch = true;

	while (*names != '\0') {
		/* Length up to the next ", " outside of brackets and quotes. */
		int depth = 0;
		char quote = 0;
		size_t len;
		for (len = 0; names[len] != '\0'; len++) {
			char c = names[len];
			if (quote != 0)
				quote = c == quote ? 0 : quote;
			else if (c == '\'' && depth > 0)
				quote = c;
			else if (c == '[' || c == '{')
				depth++;
			else if (c == ']' || c == '}')
				depth--;
			else if (c == ',' && names[len + 1] == ' ' && depth <= 0)
				break;
		}
		auto_free char *part = pl_strndup(names, len);
		char *metavar = strchr(part, ' ');
		names += len;
		names += strspn(names, ", ");
		if (metavar != NULL)
			*metavar++ = '\0';
		if (part[0] == '-' && part[1] != '\0' && flags.count < SPELLINGS_MAX)
			pl_strv_add(&flags, part);
		if (metavar != NULL && metavar[0] != '\0') {
			read_metavar(arg, metavar);
			is_switch = false;
		}
	}
	const char *first = main_flag(&flags);
	if (first != NULL) {
		arg->flag = keep(help, first, strlen(first));
		if (is_switch || has_plain_negative(&flags, first))
			read_switch(help, arg, &flags, first);
		else
			arg->aliases = other_flags(help, &flags, first);
	}
}

/*
 * The last mark counts: the text before it may also mention a default, and argparse appends its
 * own.
 */
static void read_help(struct vllm_help *help, struct vllm_help_arg *arg, const char *text)
{
	const char *mark = NULL;
	size_t len = strlen(text);

	for (const char *at = strstr(text, DEFAULT_MARK); at != NULL;
	     at = strstr(at + 1, DEFAULT_MARK))
		mark = at;
	if (mark != NULL && text[len - 1] == ')') {
		const char *value = mark + strlen(DEFAULT_MARK);
		value += strspn(value, " ");
		const char *end = text + len - 1;
		arg->default_text = keep(help, value, end > value ? (size_t)(end - value) : 0);
		len = (size_t)(mark - text);
	}
	while (len > 0 && text[len - 1] == ' ')
		len--;
	arg->help = keep(help, text, len);
}

static void finish_arg(struct parser *parser)
{
	struct vllm_help *help = parser->help;
	struct vllm_help_arg arg = { .group = parser->group, .line = parser->first_line };

	if (!parser->collecting)
		return;
	parser->collecting = false;
	read_names(help, &arg, pl_buf_text(&parser->names));
	read_help(help, &arg, pl_buf_text(&parser->text));
	/* on by default and no way off: the flag may set or clear it */
	if (arg.style == OPTION_STYLE_FLAG && arg.undecided == NULL && arg.flag != NULL &&
	    pl_text_equal(arg.default_text, "True"))
		arg.undecided = arg.flag;
	if (arg.flag == NULL || help->count >= ARGS_MAX || strcmp(arg.flag, "--help") == 0) {
		json_decref(arg.choices);
		return;
	}
	*PL_PUSH(help->args, help->count, help->room) = arg;
}

/* ---- lines ------------------------------------------------------------------------------ */

/*
 * Returns whether the word at the end of the last line was broken there. Python breaks at hyphens,
 * and inside a word that is longer than a line.
 */
static bool was_cut(const struct parser *parser, size_t indent, const char *next)
{
	const struct pl_buf *text = &parser->text;
	size_t word = 0;
	while (word < text->len && text->data[text->len - 1 - word] != ' ')
		word++;
	size_t columns = parser->width > indent ? parser->width - indent : 0;

	if (text->len > 1 && text->data[text->len - 1] == '-' && text->data[text->len - 2] != ' ')
		return isalnum((unsigned char)next[0]);
	return parser->last_columns >= parser->width && word + strcspn(next, " ") > columns;
}

static void add_help(struct parser *parser, const char *line, size_t indent)
{
	struct pl_buf *text = &parser->text;

	if (text->len > 0 && !was_cut(parser, indent, line + indent))
		pl_buf_add_char(text, ' ');
	pl_buf_add_text(text, line + indent);
	parser->last_columns = pl_text_columns(line, strlen(line));
}

static bool starts_arg(const char *line, size_t indent)
{
	const char *at = line + indent;

	if (indent != ARG_INDENT || at[0] != '-')
		return false;
	at += at[1] == '-' ? 2 : 1;
	return isalnum((unsigned char)at[0]);
}

/* "options:", "ParallelConfig:"; but not sentences that end with a colon. */
static bool is_heading(const char *line, bool was_blank)
{
	size_t len = strlen(line);
	size_t words = 1;

	if (!was_blank || len < 2 || line[len - 1] != ':')
		return false;
	for (size_t i = 0; i + 1 < len; i++) {
		if (line[i] == ' ')
			words++;
		else if (!isalnum((unsigned char)line[i]) && line[i] != '_')
			return false;
	}
	return words <= HEADING_WORDS_MAX;
}

/* Two blanks part the names from help in the same line; within the names there are single ones. */
static void start_arg(struct parser *parser, const char *line)
{
	const char *names = line + ARG_INDENT;
	const char *gap = strstr(names, "  ");

	finish_arg(parser);
	parser->collecting = true;
	parser->first_line = parser->line;
	pl_buf_clear(&parser->names);
	pl_buf_clear(&parser->text);
	pl_buf_add(&parser->names, names, gap != NULL ? (size_t)(gap - names) : strlen(names));
	if (gap != NULL)
		add_help(parser, line, (size_t)(gap - line) + strspn(gap, " "));
}

/*
 * Returns whether a bracket of the names is still open; then the names continue on the next line.
 */
static bool names_are_open(const struct parser *parser)
{
	const char *names = pl_buf_text(&parser->names);
	const char *last = strrchr(names, '{');

	return parser->collecting && parser->text.len == 0 && last != NULL &&
	       strchr(last, '}') == NULL;
}

static void read_line(struct parser *parser, const char *line)
{
	size_t indent = strspn(line, " ");
	bool was_blank = parser->was_blank;

	parser->was_blank = line[indent] == '\0';
	if (parser->was_blank)
		return;
	if (indent == 0 && is_heading(line, was_blank)) {
		/* The group without a name of its own, Python's, gets an empty name. */
		size_t len = strlen(line) - 1;
		finish_arg(parser);
		if (strcmp(line, "options:") == 0 || strcmp(line, "optional arguments:") == 0)
			len = 0;
		parser->group = keep(parser->help, line, len);
	} else if (indent == 0) {
		/* the lines before the first group, or after the last */
		finish_arg(parser);
		parser->group = NULL;
	} else if (parser->group != NULL && starts_arg(line, indent)) {
		start_arg(parser, line);
	} else if (indent <= ARG_INDENT) {
		finish_arg(parser);
	} else if (names_are_open(parser)) {
		pl_buf_add_text(&parser->names, line + indent);
	} else if (parser->collecting) {
		add_help(parser, line, indent);
	}
}

/* Copies the text without carriage returns, colors and NUL bytes; tabs become blanks. */
static char *plain_text(const char *text, size_t len)
{
	char *plain = pl_alloc(len + 1);
	size_t used = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\033' && i + 1 < len && text[i + 1] == '[') {
			for (i += 2; i < len && !isalpha((unsigned char)text[i]);)
				i++;
		} else if (text[i] == '\t') {
			plain[used++] = ' ';
		} else if (text[i] != '\r' && text[i] != '\0') {
			plain[used++] = text[i];
		}
	}
	plain[used] = '\0';
	/* Replaces bytes that are not UTF-8 with ASCII: the rest of the program accepts only UTF-8. */
	auto_json json_t *probe = json_stringn(plain, used);
	for (size_t i = 0; probe == NULL && i < used; i++) {
		if ((unsigned char)plain[i] >= 0x80)
			plain[i] = '?';
	}
	return plain;
}

/* Length of a line without its blanks at the end. */
static size_t line_len(const char *line)
{
	size_t len = strcspn(line, "\n");

	while (len > 0 && line[len - 1] == ' ')
		len--;
	return len;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/* The longest line that is indented as most lines are: that is how help is. Lines of usage and
 * of the groups' own words are broken by other rules. */
static size_t help_width(const char *text)
{
	size_t lines[INDENTS] = { 0 };
	size_t width[INDENTS] = { 0 };
	size_t best = ARG_INDENT + 1;

	for (const char *line = text; *line != '\0'; line = next_line(line)) {
		size_t indent = strspn(line, " ");
		size_t len = line_len(line);
		if (indent >= INDENTS || len <= indent)
			continue;
		lines[indent]++;
		if (pl_text_columns(line, len) > width[indent])
			width[indent] = pl_text_columns(line, len);
	}
	for (size_t i = best; i < INDENTS; i++) {
		if (lines[i] > lines[best])
			best = i;
	}
	return width[best];
}

int vllm_help_parse(const char *text, size_t len, struct vllm_help **ret, struct pl_err *err)
{
	auto_help struct vllm_help *help = pl_alloc(sizeof(*help));
	auto_free char *plain = plain_text(text, len);
	struct parser parser = { .help = help, .was_blank = true };

	help->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	parser.width = help_width(plain);
	pl_buf_init(&parser.names, TEXT_BYTES_MAX);
	pl_buf_init(&parser.text, TEXT_BYTES_MAX);
	for (char *rest = plain; rest != NULL;) {
		char *line = strsep(&rest, "\n");
		line[line_len(line)] = '\0';
		parser.line++;
		read_line(&parser, line);
	}
	finish_arg(&parser);
	pl_buf_done(&parser.names);
	pl_buf_done(&parser.text);
	if (help->count == 0)
		return pl_err_invalid(
			err, "found no argument, expected the text of vllm serve --help=all");
	*ret = pl_take(help);
	return 0;
}
