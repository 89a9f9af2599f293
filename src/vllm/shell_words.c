/*
 * A shell's words, as far as they can be told without running anything: quotes, escapes, continued
 * lines, comments, and variables that the text itself has set. No file and no environment is read.
 * "$(…)", "`…`" and variables of elsewhere stay as they are written, with a warning; "*" and "~"
 * stay without one.
 *
 * A command ends at a newline or at one of ; & | ( ), and each word knows its command, line and
 * column. The text is a person's paste: where a shell would do what nobody means, a warning says
 * so and the reading goes on.
 */
#include "vllm/shell_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/problem.h"

/* What Python's shlex.quote() leaves without quotes. */
#define SAFE_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"

/* Of all words, variables in place. */
#define TOTAL_BYTES_MAX (4u * VLLM_WORDS_BYTES_MAX)

struct lexer {
	const char *at;
	const char *end;
	const char *line_start;
	int line;
	const char *source;
	struct vllm_words *words;
	struct option_problems *problems;
	struct pl_buf word;
	bool in_word;
	bool quoted;       /* the word has a quoted part */
	bool skips_target; /* the next word belongs to a redirection */
	int word_line;
	int word_column;
	size_t first; /* word of the command */
};

/* Past the limit an error is kept only where it is the first: a text that is refused must say
 * why. */
static void add_problem(struct lexer *lexer, enum option_severity severity, const char *found,
			const char *expected)
{
	/* the word that is being read, or the one before */
	size_t line = lexer->words->count + lexer->in_word;

	if (lexer->problems->count >= VLLM_WORDS_PROBLEMS_MAX &&
	    (severity == OPTION_WARNING || lexer->problems->errors > 0))
		return;
	option_problem_tell(lexer->problems, .severity = severity, .source = lexer->source,
			    .line = line > 0 ? (int)line : 1, .column = lexer->word_column,
			    .found = found, .expected = expected);
}

static void begin_word(struct lexer *lexer)
{
	if (lexer->in_word)
		return;
	lexer->in_word = true;
	lexer->quoted = false;
	lexer->word_line = lexer->line;
	lexer->word_column = (int)(lexer->at - lexer->line_start) + 1;
}

static void next_line(struct lexer *lexer)
{
	lexer->line++;
	lexer->line_start = lexer->at;
}

/* Takes one byte of a word as it is. */
static void take_byte(struct lexer *lexer)
{
	char c = *lexer->at++;

	pl_buf_add_char(&lexer->word, c);
	if (c == '\n')
		next_line(lexer);
}

static void end_word(struct lexer *lexer)
{
	if (!lexer->in_word)
		return;
	lexer->in_word = false;
	if (!lexer->skips_target &&
	    !vllm_words_add(lexer->words, pl_buf_text(&lexer->word), lexer->word_line,
			    lexer->word_column, lexer->words->commands))
		add_problem(lexer, OPTION_ERROR, "bytes that are no UTF-8", "text");
	lexer->skips_target = false;
	pl_buf_clear(&lexer->word);
}

static void remember(json_t *into, const char *word, size_t name_len)
{
	auto_free char *name = pl_strndup(word, name_len);

	json_object_set_new(into, name, json_string(word + name_len + 1));
}

/* "A=1 B=2" and "export A=1 B": what later commands see. In front of a program they are that
 * program's alone, and stay words (command/form.c). */
static void remember_assignments(struct lexer *lexer)
{
	struct vllm_words *words = lexer->words;
	bool exports = strcmp(words->items[lexer->first].text, "export") == 0;

	for (size_t i = lexer->first; !exports && i < words->count; i++) {
		if (vllm_word_name_len(words->items[i].text) == 0)
			return;
	}
	for (size_t i = lexer->first + exports; i < words->count; i++) {
		const char *word = words->items[i].text;
		size_t len = vllm_word_name_len(word);
		const json_t *known = json_object_get(words->variables, word);
		if (len > 0)
			remember(words->variables, word, len);
		if (len > 0 && exports)
			remember(words->exported, word, len);
		else if (exports && known != NULL)
			json_object_set(words->exported, word, (json_t *)known);
	}
}

static void end_command(struct lexer *lexer)
{
	end_word(lexer);
	lexer->skips_target = false;
	if (lexer->words->count == lexer->first)
		return;
	remember_assignments(lexer);
	lexer->words->commands++;
	lexer->first = lexer->words->count;
}

static size_t name_len(const char *at, const char *end)
{
	const char *begin = at;

	if (at < end && isdigit((unsigned char)*at))
		return 0;
	while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
		at++;
	return (size_t)(at - begin);
}

/* End of "$(…)", "${…}" or "`…`" from its opening byte; nested ones counted, quotes not looked
 * at. */
static const char *skip_group(const char *at, const char *end, char open, char close)
{
	size_t depth = 0;

	for (; at < end; at++) {
		if (*at == close && (open != close || depth > 0) && --depth == 0)
			return at + 1;
		if (*at == open)
			depth++;
	}
	return end;
}

static void keep_unresolved(struct lexer *lexer, const char *end)
{
	size_t len = (size_t)(end - lexer->at);
	auto_free char *found = pl_strndup(lexer->at, len < 80 ? len : 80);

	add_problem(lexer, OPTION_WARNING, found,
		    "a value: this is not set here, and is left as it is");
	while (lexer->at < end)
		take_byte(lexer);
}

static bool take_variable(struct lexer *lexer, const char *name, size_t len, const char *end)
{
	auto_free char *key = pl_strndup(name, len);
	const char *value = pl_json_get_text(lexer->words->variables, key);

	/* variables made of variables grow fast */
	if (len == 0 || value == NULL ||
	    lexer->words->bytes + lexer->word.len + strlen(value) > TOTAL_BYTES_MAX)
		return false;
	pl_buf_add_text(&lexer->word, value);
	lexer->at = end;
	return true;
}

/* "${NAME}", "${NAME:-text}", "${NAME-text}" The default is taken as it is written: what stands
 * in it is not looked up. */
static void take_braced(struct lexer *lexer)
{
	const char *name = lexer->at + 2;
	const char *end = skip_group(lexer->at + 1, lexer->end, '{', '}');
	size_t len = name_len(name, end);
	const char *behind = name + len;
	bool has_default = len > 0 && behind + 1 < end && (*behind == '-' || *behind == ':') &&
			   (*behind == '-' || behind[1] == '-') && end[-1] == '}';
	bool plain = len > 0 && behind + 1 == end && *behind == '}';

	if ((plain || has_default) && take_variable(lexer, name, len, end))
		return;
	if (!has_default) {
		keep_unresolved(lexer, end);
		return;
	}
	behind += *behind == ':' ? 2 : 1;
	pl_buf_add(&lexer->word, behind, (size_t)(end - 1 - behind));
	for (; lexer->at < end; lexer->at++) {
		if (*lexer->at == '\n') {
			lexer->line++;
			lexer->line_start = lexer->at + 1;
		}
	}
}

static unsigned take_digits(struct lexer *lexer, int base, int count)
{
	unsigned value = 0;

	for (; count > 0 && lexer->at < lexer->end; count--, lexer->at++) {
		int digit = pl_hex_value(*lexer->at);
		if (digit < 0 || digit >= base)
			break;
		value = value * (unsigned)base + (unsigned)digit;
	}
	return value;
}

/* What comes out as no UTF-8 is told when the word ends. */
static void add_utf8(struct pl_buf *buf, unsigned code)
{
	if (code < 0x80) {
		pl_buf_add_char(buf, (char)code);
	} else if (code < 0x800) {
		pl_buf_add_char(buf, (char)(0xC0 | code >> 6));
		pl_buf_add_char(buf, (char)(0x80 | (code & 0x3F)));
	} else if (code < 0x10000) {
		pl_buf_add_char(buf, (char)(0xE0 | code >> 12));
		pl_buf_add_char(buf, (char)(0x80 | (code >> 6 & 0x3F)));
		pl_buf_add_char(buf, (char)(0x80 | (code & 0x3F)));
	} else {
		pl_buf_add_char(buf, (char)(0xF0 | (code >> 18 & 7)));
		pl_buf_add_char(buf, (char)(0x80 | (code >> 12 & 0x3F)));
		pl_buf_add_char(buf, (char)(0x80 | (code >> 6 & 0x3F)));
		pl_buf_add_char(buf, (char)(0x80 | (code & 0x3F)));
	}
}

/* One escape of $'…', behind the backslash. */
static void take_ansi_escape(struct lexer *lexer)
{
	static const char names[] = "abefnrtv\\'\"?";
	static const char bytes[] = "\a\b\033\f\n\r\t\v\\'\"?";
	const char *known = *lexer->at != '\0' ? strchr(names, *lexer->at) : NULL;
	char kind = *lexer->at;

	if (known != NULL) {
		pl_buf_add_char(&lexer->word, bytes[known - names]);
		lexer->at++;
	} else if (kind == 'u' || kind == 'U') {
		lexer->at++;
		add_utf8(&lexer->word, take_digits(lexer, 16, kind == 'u' ? 4 : 8));
	} else if (kind == 'x') {
		lexer->at++;
		pl_buf_add_char(&lexer->word, (char)take_digits(lexer, 16, 2));
	} else if (kind >= '0' && kind <= '7') {
		pl_buf_add_char(&lexer->word, (char)take_digits(lexer, 8, 3));
	} else {
		pl_buf_add_char(&lexer->word, '\\');
		take_byte(lexer);
	}
}

static void unclosed(struct lexer *lexer, const char *quote)
{
	auto_free char *expected = pl_asprintf("%s that ends it", quote);

	add_problem(lexer, OPTION_ERROR, "a quote that does not end", expected);
}

/* Behind the opening quote of '…' or $'…'. */
static void take_single(struct lexer *lexer, bool ansi)
{
	while (lexer->at < lexer->end && *lexer->at != '\'') {
		if (ansi && *lexer->at == '\\' && lexer->at + 1 < lexer->end) {
			lexer->at++;
			take_ansi_escape(lexer);
		} else {
			take_byte(lexer);
		}
	}
	if (lexer->at == lexer->end)
		unclosed(lexer, "a '");
	else
		lexer->at++;
}

static void take_dollar(struct lexer *lexer, bool in_double);

static void take_backquotes(struct lexer *lexer)
{
	keep_unresolved(lexer, skip_group(lexer->at, lexer->end, '`', '`'));
}

/* Length of "\<newline>", with or without a carriage return; 0: none. */
static size_t continuation_len(const struct lexer *lexer)
{
	size_t left = (size_t)(lexer->end - lexer->at);

	if (left >= 2 && lexer->at[1] == '\n')
		return 2;
	return left >= 3 && lexer->at[1] == '\r' && lexer->at[2] == '\n' ? 3 : 0;
}

static void take_double_byte(struct lexer *lexer)
{
	size_t joined = *lexer->at == '\\' ? continuation_len(lexer) : 0;

	if (joined > 0) {
		lexer->at += joined;
		next_line(lexer);
	} else if (*lexer->at == '\\' && lexer->at + 1 < lexer->end &&
		   strchr("$`\"\\", lexer->at[1]) != NULL) {
		lexer->at++;
		take_byte(lexer);
	} else if (*lexer->at == '$') {
		take_dollar(lexer, true);
	} else if (*lexer->at == '`') {
		take_backquotes(lexer);
	} else {
		take_byte(lexer);
	}
}

/* Behind the opening quote of "…". */
static void take_double(struct lexer *lexer)
{
	while (lexer->at < lexer->end && *lexer->at != '"')
		take_double_byte(lexer);
	if (lexer->at == lexer->end)
		unclosed(lexer, "a \"");
	else
		lexer->at++;
}

static void take_dollar(struct lexer *lexer, bool in_double)
{
	const char *next = lexer->at + 1;
	char kind = next < lexer->end ? *next : ' ';
	size_t len = name_len(next, lexer->end);

	if (!in_double && (kind == '\'' || kind == '"')) {
		lexer->at += 2;
		lexer->quoted = true;
		if (kind == '\'')
			take_single(lexer, true);
		else
			take_double(lexer);
	} else if (kind == '{') {
		take_braced(lexer);
	} else if (kind == '(') {
		keep_unresolved(lexer, skip_group(next, lexer->end, '(', ')'));
	} else if (len > 0) {
		if (!take_variable(lexer, next, len, next + len))
			keep_unresolved(lexer, next + len);
	} else if (isdigit((unsigned char)kind) || strchr("@*#?!$", kind) != NULL) {
		keep_unresolved(lexer, next + 1);
	} else {
		take_byte(lexer);
	}
}

/* "\" and blanks at the end of a line: a shell ends the command there, which nobody means. */
static bool take_loose_continuation(struct lexer *lexer)
{
	const char *at = lexer->at + 1;

	while (at < lexer->end && (*at == ' ' || *at == '\t' || *at == '\r'))
		at++;
	if (at == lexer->at + 1 || at == lexer->end || *at != '\n')
		return false;
	lexer->word_column = (int)(lexer->at - lexer->line_start) + 1;
	add_problem(lexer, OPTION_WARNING, "a backslash with blanks behind it",
		    "the end of the line right behind it: a shell ends the command here");
	end_word(lexer);
	lexer->at = at + 1;
	next_line(lexer);
	return true;
}

static void take_backslash(struct lexer *lexer)
{
	size_t joined = continuation_len(lexer);

	if (joined > 0) {
		lexer->at += joined;
		next_line(lexer);
		return;
	}
	if (take_loose_continuation(lexer))
		return;
	begin_word(lexer);
	lexer->quoted = true;
	lexer->at++;
	if (lexer->at < lexer->end)
		take_byte(lexer);
}

/* "2>&1": the number before it was read as the beginning of a word. */
static void take_redirection(struct lexer *lexer)
{
	const char *word = pl_buf_text(&lexer->word);
	bool numbered = lexer->in_word && !lexer->quoted && word[0] != '\0' &&
			strspn(word, "0123456789") == strlen(word);

	if (numbered) {
		lexer->in_word = false;
		pl_buf_clear(&lexer->word);
	}
	end_word(lexer);
	lexer->word_column = (int)(lexer->at - lexer->line_start) + 1;
	add_problem(lexer, OPTION_WARNING, "a redirection", "words of the command: it is left out");
	while (lexer->at < lexer->end && strchr("<>&|", *lexer->at) != NULL)
		lexer->at++;
	lexer->skips_target = true;
}

/* The second of "&&" ends a command without words, which is none. */
static void take_operator(struct lexer *lexer)
{
	if (*lexer->at == '<' || *lexer->at == '>' ||
	    (*lexer->at == '&' && lexer->at + 1 < lexer->end && lexer->at[1] == '>')) {
		take_redirection(lexer);
		return;
	}
	end_command(lexer);
	lexer->at++;
}

static void take_quote(struct lexer *lexer)
{
	char quote = *lexer->at;

	begin_word(lexer);
	lexer->quoted = true;
	lexer->at++;
	if (quote == '\'')
		take_single(lexer, false);
	else
		take_double(lexer);
}

static void take_any(struct lexer *lexer)
{
	begin_word(lexer);
	if (*lexer->at == '$')
		take_dollar(lexer, false);
	else if (*lexer->at == '`')
		take_backquotes(lexer);
	else
		take_byte(lexer);
}

/* A carriage return is a blank: texts come from Windows too. */
static void step(struct lexer *lexer)
{
	char c = *lexer->at;

	if (c == '\n') {
		end_command(lexer);
		lexer->at++;
		next_line(lexer);
	} else if (c == ' ' || c == '\t' || c == '\r') {
		end_word(lexer);
		lexer->at++;
	} else if (c == '#' && !lexer->in_word) {
		while (lexer->at < lexer->end && *lexer->at != '\n')
			lexer->at++;
	} else if (c == '\\') {
		take_backslash(lexer);
	} else if (c == '\'' || c == '"') {
		take_quote(lexer);
	} else if (strchr(";&|()<>", c) != NULL) {
		take_operator(lexer);
	} else {
		take_any(lexer);
	}
}

int vllm_words_split(const char *text, size_t len, const char *source, struct vllm_words *words,
		     struct option_problems *problems, struct pl_err *err)
{
	struct lexer lexer = { .at = text,
			       .end = text + len,
			       .line_start = text,
			       .line = 1,
			       .source = source,
			       .words = words,
			       .problems = problems,
			       .first = words->count };

	if (len > VLLM_WORDS_BYTES_MAX)
		return pl_err_invalid(err, "'%s' is longer than %u bytes", source,
				      VLLM_WORDS_BYTES_MAX);
	if (memchr(text, '\0', len) != NULL)
		return pl_err_invalid(err, "'%s' has a NUL byte: it is no text", source);
	if (words->variables == NULL) {
		words->variables = json_object();
		words->exported = json_object();
	}
	pl_buf_init(&lexer.word, 2 * TOTAL_BYTES_MAX);
	while (lexer.at < lexer.end)
		step(&lexer);
	end_command(&lexer);
	pl_buf_done(&lexer.word);
	return 0;
}

bool vllm_words_add(struct vllm_words *words, const char *text, int line, int column,
		    size_t command)
{
	if (!pl_text_is_utf8(text))
		return false;
	pl_grow((void **)&words->items, &words->room, words->count + 1, sizeof(words->items[0]));
	words->bytes += strlen(text);
	words->items[words->count++] = (struct vllm_word){
		.text = pl_strdup(text),
		.line = line,
		.column = column,
		.command = command,
	};
	return true;
}

void vllm_words_done(struct vllm_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i].text);
	free(words->items);
	json_decref(words->variables);
	json_decref(words->exported);
	*words = (struct vllm_words){ 0 };
}

size_t vllm_word_name_len(const char *word)
{
	size_t len = name_len(word, word + strlen(word));

	return word[len] == '=' ? len : 0;
}

void vllm_word_quote(const char *word, struct pl_buf *buf)
{
	if (word[0] != '\0' && strspn(word, SAFE_BYTES) == strlen(word)) {
		pl_buf_add_text(buf, word);
		return;
	}
	pl_buf_add_char(buf, '\'');
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			pl_buf_add_text(buf, "'\\''");
		else
			pl_buf_add_char(buf, *word);
	}
	pl_buf_add_char(buf, '\'');
}
