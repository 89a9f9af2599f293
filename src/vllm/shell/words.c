/*
 * Splits a text into words and commands. A command ends at a newline or at one of ; & | ( ), and
 * each word records its command, line and column. If a shell would do something that the author
 * does not intend, the text is read as intended, with a warning.
 */
#include "vllm/shell/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "vllm/shell/shell_priv.h"

/* At the next byte of the text. Whether the word is an assignment shows here. */
static void begin_word(struct shell_lexer *lexer)
{
	int line, column;

	if (lexer->in_word)
		return;
	vllm_shell_locate(lexer, lexer->at, &line, &column);
	vllm_shell_begin_word(lexer, line, column);
}

/* The text without sentinels, with its marks. *ret_unknown: it had some; *ret_known: it has bytes
 * that are not between them. */
static char *without_sentinels(struct shell_lexer *lexer, struct vllm_marks *ret_marks,
			       bool *ret_unknown, bool *ret_known)
{
	const char *word = pl_buf_text(&lexer->word);
	auto_buf text = PL_BUF(2 * SHELL_BYTES_MAX);
	size_t from = 0;
	bool inside = false;

	for (size_t i = 0; i <= lexer->word.len; i++) {
		bool ends = i == lexer->word.len;
		bool is_sentinel = !ends &&
				   (word[i] == SHELL_UNKNOWN_BEGIN || word[i] == SHELL_UNKNOWN_END);
		if (!ends && !is_sentinel) {
			*ret_known |= !inside;
			continue;
		}
		vllm_shell_marks_copy(lexer->words, ret_marks, text.len, &lexer->marks, from,
				      i - from);
		pl_buf_add(&text, word + from, i - from);
		from = i + 1;
		*ret_unknown |= is_sentinel;
		inside = !ends && word[i] == SHELL_UNKNOWN_BEGIN;
	}
	return text.len > 0 ? pl_buf_take(&text) : pl_strdup("");
}

/* Locations that follow from the first one need no marks. */
static bool is_plain(const struct vllm_marks *marks, int line, int column)
{
	return marks->count == 0 || (marks->count == 1 && marks->items[0].line == line &&
				     marks->items[0].column == column);
}

static void add_word(struct shell_lexer *lexer)
{
	struct vllm_words *words = lexer->words;
	struct vllm_marks marks = { 0 };
	bool unknown = false, known = false;
	auto_free char *text = without_sentinels(lexer, &marks, &unknown, &known);

	if (!vllm_words_add(words, text, lexer->word_line, lexer->word_column, words->commands)) {
		vllm_shell_add_problem(lexer, OPTION_ERROR, "bytes that are not UTF-8", "text");
		vllm_marks_done(&marks);
		return;
	}
	struct vllm_word *word = &words->items[words->count - 1];
	word->unknown = unknown;
	word->optional = unknown && !known && (!lexer->quoted || lexer->is_list);
	word->construct = vllm_shell_construct_name(lexer);
	if (is_plain(&marks, word->line, word->column))
		vllm_marks_done(&marks);
	else
		word->marks = marks;
}

static bool is_declaration(const char *word)
{
	static const char *const words[] = { "export", "declare", "local", "readonly", "typeset" };

	return PL_TEXT_IS_ONE_OF(word, words);
}

/* Moves on in the command: the word decides the meaning of those after it. */
static void move_position(struct shell_lexer *lexer, const char *word)
{
	if (lexer->position == SHELL_DECLARE || lexer->position == SHELL_WORDS)
		return;
	lexer->is_double |= strcmp(word, "[[") == 0 && lexer->name_len == 0;
	if (lexer->name_len > 0)
		lexer->position = SHELL_PREFIX;
	else if (lexer->quoted || lexer->position == SHELL_PREFIX)
		lexer->position = SHELL_WORDS;
	else if (!vllm_shell_take_reserved(lexer, word))
		lexer->position = is_declaration(word) ? SHELL_DECLARE : SHELL_WORDS;
}

void vllm_shell_end_word(struct shell_lexer *lexer)
{
	if (!lexer->in_word)
		return;
	bool is_nothing = lexer->empty_lists > 0 && lexer->word.len == 0 &&
			  lexer->empty_lists >= lexer->quotes;
	if (lexer->skips_target) {
		lexer->skips_target = false;
	} else if (lexer->array != NULL && !is_nothing) {
		struct shell_variable *array = lexer->array;
		*PL_PUSH(array->items, array->count, array->room) = vllm_shell_value_copy(
			lexer, pl_buf_text(&lexer->word), &lexer->marks);
		lexer->words->bytes += lexer->word.len;
	} else if (!is_nothing) {
		if (lexer->name_len > 0)
			vllm_shell_assign_word(lexer);
		move_position(lexer, pl_buf_text(&lexer->word));
		add_word(lexer);
	}
	lexer->in_word = false;
	lexer->name_len = 0;
	lexer->is_array_word = false;
	pl_buf_clear(&lexer->word);
	lexer->words->mark_count -= lexer->marks.count;
	lexer->marks.count = 0;
}

static void end_words(struct shell_lexer *lexer)
{
	struct vllm_words *words = lexer->words;

	vllm_shell_end_word(lexer);
	lexer->skips_target = false;
	lexer->prompted = false;
	if (words->count > lexer->first)
		vllm_shell_assign_all(lexer);
	vllm_shell_variables_done(&lexer->pending);
	lexer->position = SHELL_FIRST;
	lexer->is_double = false;
	if (words->count == lexer->first)
		return;
	if (vllm_shell_is_dead(lexer)) {
		vllm_words_truncate(words, lexer->first);
		return;
	}
	words->commands++;
	lexer->first = words->count;
}

/* Ends the command at an operator or at the end of its line. */
static void end_command(struct shell_lexer *lexer, char op, bool doubled)
{
	/* the words of a condition decide which branch runs; their command ends before it begins */
	const struct shell_operator end = vllm_shell_control_decide(lexer, op, doubled);

	end_words(lexer);
	vllm_shell_control_apply(lexer, &end);
}

static void take_quote(struct shell_lexer *lexer, char quote, size_t len, bool fancy)
{
	begin_word(lexer);
	lexer->quoted = true;
	lexer->quotes++;
	lexer->at += len;
	if (fancy)
		vllm_shell_take_fancy(lexer, quote);
	else if (quote == '\'')
		vllm_shell_take_single(lexer, false);
	else
		vllm_shell_take_double(lexer);
}

/* Blanks on one line, from `at` on. */
static const char *skip_blanks(const char *at, const char *end)
{
	for (size_t len = 1; at < end && len > 0; at += len) {
		bool plain = *at == ' ' || *at == '\t' || *at == '\r';
		len = plain ? 1 : vllm_shell_blank_len(at, end) + vllm_shell_invisible_len(at, end);
	}
	return at;
}

/* "\" and blanks at the end of a line: a shell ends the command there, which is never meant. */
static bool take_loose_continuation(struct shell_lexer *lexer)
{
	const char *at = skip_blanks(lexer->at + 1, lexer->end);

	if (at == lexer->at + 1 || at == lexer->end || *at != '\n')
		return false;
	vllm_shell_locate(lexer, lexer->at, &lexer->word_line, &lexer->word_column);
	vllm_shell_add_problem(
		lexer, OPTION_WARNING, "a backslash with blanks after it",
		"the end of the line directly after it; a shell ends the command here");
	vllm_shell_end_word(lexer);
	vllm_shell_skip_to(lexer, at + 1);
	return true;
}

/* The continuation prompt "> " of a command that was copied with its prompt. */
static void skip_second_prompt(struct shell_lexer *lexer)
{
	const char *at = lexer->at;

	if (!lexer->prompted || lexer->at != lexer->line_start)
		return;
	while (at < lexer->end && *at == '>')
		at++;
	if (at > lexer->at && at < lexer->end && (*at == ' ' || *at == '\t'))
		lexer->at = at + 1;
}

static void take_backslash(struct shell_lexer *lexer)
{
	size_t joined = vllm_shell_continuation_len(lexer);

	if (joined > 0) {
		vllm_shell_skip_to(lexer, lexer->at + joined);
		skip_second_prompt(lexer);
		return;
	}
	if (take_loose_continuation(lexer)) {
		skip_second_prompt(lexer);
		return;
	}
	begin_word(lexer);
	lexer->quoted = true;
	lexer->at++;
	if (lexer->at < lexer->end)
		vllm_shell_take_byte(lexer);
}

/* "^" and "`" at the end of a line join without a space before them; blanks after them are ignored. */
static bool take_windows_continuation(struct shell_lexer *lexer)
{
	size_t len = vllm_shell_windows_continuation_len(lexer->at, lexer->end);

	if (len == 0)
		return false;
	vllm_shell_skip_to(lexer, lexer->at + len);
	skip_second_prompt(lexer);
	return true;
}

/* "<(…)" and ">(…)" are words of a command, which runs another one. */
static bool take_process(struct shell_lexer *lexer)
{
	if (lexer->at + 1 >= lexer->end || lexer->at[1] != '(' || *lexer->at == '&')
		return false;
	begin_word(lexer);
	vllm_shell_keep_unknown(lexer, vllm_shell_group_end(lexer->at + 1, lexer->end),
				"text; profllm does not run the command in it");
	return true;
}

static void take_redirection(struct shell_lexer *lexer)
{
	bool is_here = lexer->end - lexer->at >= 2 && strncmp(lexer->at, "<<", 2) == 0 &&
		       (lexer->end - lexer->at == 2 || lexer->at[2] != '<');

	/* "2>&1": the number before the operator was read as the beginning of a word. */
	const char *word = pl_buf_text(&lexer->word);
	if (lexer->in_word && !lexer->quoted && word[0] != '\0' &&
	    strspn(word, "0123456789") == strlen(word)) {
		lexer->in_word = false;
		pl_buf_clear(&lexer->word);
		lexer->words->mark_count -= lexer->marks.count;
		lexer->marks.count = 0;
	}
	vllm_shell_end_word(lexer);
	vllm_shell_locate(lexer, lexer->at, &lexer->word_line, &lexer->word_column);
	if (is_here) {
		vllm_shell_take_here(lexer);
		return;
	}
	if (take_process(lexer))
		return;
	if (lexer->words->count > lexer->first)
		vllm_shell_add_problem(lexer, OPTION_WARNING, "a redirection",
				       "arguments of the command; profllm ignores the redirection");
	while (lexer->at < lexer->end && strchr("<>&|", *lexer->at) != NULL)
		lexer->at++;
	lexer->skips_target = true;
}

/* The second character of "&&" ends an empty command, which does not count. */
static void take_operator(struct shell_lexer *lexer)
{
	char op = *lexer->at;
	bool doubled = lexer->at + 1 < lexer->end && lexer->at[1] == op;

	if (op == '<' || op == '>' ||
	    (op == '&' && lexer->at + 1 < lexer->end && lexer->at[1] == '>')) {
		take_redirection(lexer);
		return;
	}
	/* the command's words are needed to decide */
	vllm_shell_end_word(lexer);
	end_command(lexer, op, doubled);
	lexer->at += doubled && strchr("&|;", op) != NULL ? 2 : 1;
}

/* A dash that a text processor made of "--": at the beginning of a word, or within a flag. */
static bool take_fancy_dash(struct shell_lexer *lexer, size_t len)
{
	const char *word = pl_buf_text(&lexer->word);
	const char *after = lexer->at + len;
	bool begins = !lexer->in_word;

	if (!begins && (lexer->quoted || word[0] != '-' || strchr(word, '=') != NULL))
		return false;
	/* "–x": one; "–port": two. The en dash of "–-port" stands for one. */
	size_t rest = 0;
	while (after + rest < lexer->end && strchr(" \t\r\n=", after[rest]) == NULL)
		rest++;
	bool is_long = rest > 2 && *after != '-' &&
		       vllm_shell_fancy_dash_len(after, lexer->end) == 0;
	bool is_wide = (unsigned char)lexer->at[2] == 0x93 || (unsigned char)lexer->at[2] == 0x94;
	begin_word(lexer);
	if (begins)
		vllm_shell_add_problem(lexer, OPTION_WARNING, "a typographic dash",
				       "'-' or '--'; a shell reads this as text");
	vllm_shell_put(lexer, '-', lexer->at);
	if (begins && is_long && is_wide)
		vllm_shell_put(lexer, '-', lexer->at);
	lexer->at = after;
	return true;
}

/* Takes a character that stands for an ASCII one. */
static bool take_typographic(struct shell_lexer *lexer)
{
	char quote = '\0';
	size_t blank = vllm_shell_blank_len(lexer->at, lexer->end);
	size_t nothing = vllm_shell_invisible_len(lexer->at, lexer->end);
	size_t fancy = vllm_shell_fancy_quote_len(lexer->at, lexer->end, &quote);
	size_t dash = vllm_shell_fancy_dash_len(lexer->at, lexer->end);
	/* an apostrophe within a word is one */
	bool opens = !lexer->in_word || quote == '"' ||
		     (lexer->word.len > 0 && lexer->word.data[lexer->word.len - 1] == '=');

	if (blank > 0)
		vllm_shell_end_word(lexer);
	if (blank > 0 || nothing > 0) {
		lexer->at += blank + nothing;
		return true;
	}
	if (fancy > 0 && opens) {
		take_quote(lexer, quote, fancy, true);
		return true;
	}
	return dash > 0 && take_fancy_dash(lexer, dash);
}

static void take_any(struct shell_lexer *lexer)
{
	if (*lexer->at == '$')
		vllm_shell_take_dollar(lexer, false);
	else if (*lexer->at == '`')
		vllm_shell_take_backquotes(lexer);
	else
		vllm_shell_take_byte(lexer);
}

/*
 * "$env:NAME = 'x'" of PowerShell and "set NAME=x" of cmd set environment variables, like a shell's
 * export.
 */
static size_t windows_assignment(struct shell_lexer *lexer, size_t *ret_name)
{
	static const char *const heads[] = { "$env:", "$Env:", "set ", "SET " };

	for (size_t i = 0; i < PL_ARRAY_SIZE(heads); i++) {
		size_t head = strlen(heads[i]);
		if ((size_t)(lexer->end - lexer->at) <= head ||
		    strncmp(lexer->at, heads[i], head) != 0)
			continue;
		const char *name = lexer->at + head;
		size_t len = vllm_shell_name_len(name, lexer->end);
		const char *at = i < 2 ? skip_blanks(name + len, lexer->end) : name + len;
		if (len == 0 || at >= lexer->end || *at != '=')
			return 0;
		at = i < 2 ? skip_blanks(at + 1, lexer->end) : at + 1;
		*ret_name = len;
		return (size_t)(at - lexer->at);
	}
	return 0;
}

static void put_text(struct shell_lexer *lexer, const char *text, size_t len, const char *at)
{
	for (size_t i = 0; i < len; i++)
		vllm_shell_put(lexer, text[i], at + i);
}

static bool take_windows_assignment(struct shell_lexer *lexer)
{
	size_t name = 0;
	size_t len = windows_assignment(lexer, &name);

	if (len == 0 || lexer->position != SHELL_FIRST)
		return false;
	begin_word(lexer);
	put_text(lexer, "export", strlen("export"), lexer->at);
	vllm_shell_end_word(lexer);
	const char *at = strchr(lexer->at, lexer->at[0] == '$' ? ':' : ' ') + 1;
	put_text(lexer, at, name, at);
	put_text(lexer, "=", 1, at + name);
	lexer->name_len = name;
	vllm_shell_skip_to(lexer, lexer->at + len);
	return true;
}

static void step(struct shell_lexer *lexer);

/* Reads "(a b c)" at the lexer, the value of an array. */
static void take_array(struct shell_lexer *lexer)
{
	struct shell_lexer outer = *lexer;
	struct shell_variable items = { .is_set = true, .is_array = true };
	const char *from = lexer->at;
	const char *end = vllm_shell_group_end(from, lexer->end);
	auto_free char *name = pl_strndup(pl_buf_text(&lexer->word), lexer->name_len);
	bool appends = lexer->word.data[lexer->word.len - 2] == '+';

	/* its items are separate words */
	pl_buf_init(&lexer->word, 2 * SHELL_BYTES_MAX);
	lexer->marks = (struct vllm_marks){ 0 };
	lexer->in_word = false;
	lexer->name_len = 0;
	lexer->array = &items;
	lexer->at++;
	lexer->end = end > lexer->at && end[-1] == ')' ? end - 1 : end;
	while (lexer->at < lexer->end) {
		if (*lexer->at == '\n') {
			vllm_shell_end_word(lexer);
			vllm_shell_skip_to(lexer, lexer->at + 1);
		} else {
			step(lexer);
		}
	}
	vllm_shell_end_word(lexer);
	pl_buf_done(&lexer->word);
	vllm_marks_done(&lexer->marks);
	lexer->word = outer.word;
	lexer->marks = outer.marks;
	lexer->in_word = true;
	lexer->quoted = false;
	lexer->word_line = outer.word_line;
	lexer->word_column = outer.word_column;
	lexer->name_len = outer.name_len;
	lexer->array = NULL;
	lexer->end = outer.end;
	lexer->at = end;
	if (end == outer.end && (end == from + 1 || end[-1] != ')'))
		vllm_shell_add_problem(lexer, OPTION_ERROR, "an array that is not closed",
				       "a closing )");
	vllm_shell_assign_array(lexer, name, &items, appends);
	/* the variable has the items */
	pl_buf_add_text(&lexer->word, "(…)");
	lexer->is_array_word = true;
}

/* At the first byte of a word: "NAME=" and "NAME=(…)". */
static bool take_assignment(struct shell_lexer *lexer)
{
	if (lexer->in_word || lexer->array != NULL || lexer->position == SHELL_WORDS ||
	    lexer->skips_target)
		return false;
	if (take_windows_assignment(lexer))
		return true;
	size_t len = vllm_shell_assignment_len(lexer, lexer->at);
	if (len == 0)
		return false;
	begin_word(lexer);
	lexer->name_len = vllm_shell_name_len(lexer->at, lexer->end);
	const char *end = lexer->at + len;
	bool is_array = end < lexer->end && *end == '(';
	while (lexer->at < end)
		vllm_shell_take_byte(lexer);
	if (is_array)
		take_array(lexer);
	return true;
}

/* Reads one item of unquoted text. A carriage return is a blank: texts come from Windows too. */
static void step(struct shell_lexer *lexer)
{
	char c = *lexer->at;

	if (c == ' ' || c == '\t' || c == '\r') {
		vllm_shell_end_word(lexer);
		lexer->at++;
	} else if (c == '#' && !lexer->in_word) {
		while (lexer->at < lexer->end && *lexer->at != '\n')
			lexer->at++;
	} else if ((unsigned char)c >= 0x80 && take_typographic(lexer)) {
		return;
	} else if (take_windows_continuation(lexer)) {
		return;
	} else if (c == '\\') {
		take_backslash(lexer);
	} else if (c == '\'' || c == '"') {
		take_quote(lexer, c, 1, false);
	} else if (lexer->array == NULL && c != '\0' && strchr(";&|()<>", c) != NULL) {
		take_operator(lexer);
	} else if (!take_assignment(lexer)) {
		take_any(lexer);
	}
}

/* The beginning of a line that begins a command. */
static void begin_line(struct shell_lexer *lexer)
{
	size_t len = vllm_shell_prompt_len(lexer->at, lexer->end, lexer->options->hash_is_prompt);

	lexer->at += len;
	lexer->prompted = len > 0;
}

static void end_line(struct shell_lexer *lexer)
{
	vllm_shell_end_word(lexer);
	end_command(lexer, '\n', false);
	vllm_shell_skip_to(lexer, lexer->at + 1);
	vllm_shell_read_heres(lexer);
	begin_line(lexer);
}

int vllm_words_split(const char *text, size_t len, const struct vllm_words_options *options,
		     struct vllm_words *words, struct option_problems *problems, struct pl_err *err)
{
	struct shell_lexer lexer = { .text = text,
				     .at = text,
				     .end = text + len,
				     .line_start = text,
				     .line = 1,
				     .options = options,
				     .words = words,
				     .problems = problems,
				     .first = words->count };

	if (len > VLLM_WORDS_BYTES_MAX)
		return pl_err_invalid(err, "'%s' is longer than %u bytes", options->source,
				      VLLM_WORDS_BYTES_MAX);
	if (memchr(text, '\0', len) != NULL)
		return pl_err_invalid(err, "'%s' has a NUL byte: it is not text", options->source);
	if (words->exported == NULL)
		words->exported = json_object();
	if (words->variables == NULL)
		words->variables = pl_alloc(sizeof(*words->variables));
	pl_buf_init(&lexer.word, 2 * SHELL_BYTES_MAX);
	begin_line(&lexer);
	while (lexer.at < lexer.end) {
		if (*lexer.at == '\n')
			end_line(&lexer);
		else
			step(&lexer);
	}
	vllm_shell_end_word(&lexer);
	end_command(&lexer, '\n', false);
	vllm_shell_control_done(&lexer);
	for (size_t i = 0; i < lexer.pending_heres; i++)
		free(lexer.heres[i].delimiter);
	vllm_marks_done(&lexer.marks);
	pl_buf_done(&lexer.word);
	return 0;
}
