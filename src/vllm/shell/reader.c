/*
 * The position in the text, its locations, and the bytes of the word that is read. These functions read no word on
 * their own.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "vllm/shell/shell_priv.h"

/* ---- marks --------------------------------------------------------------------------------- */

void vllm_shell_mark(struct vllm_words *words, struct vllm_marks *marks, size_t offset, int line,
		     int column)
{
	const struct vllm_mark *last = marks->count > 0 ? &marks->items[marks->count - 1] : NULL;

	if (last != NULL && last->line == line &&
	    (size_t)last->column + (offset - last->offset) == (size_t)column)
		return;
	if (words->mark_count >= SHELL_MARKS_MAX)
		return;
	words->mark_count++;
	*PL_PUSH(marks->items, marks->count, marks->room) =
		(struct vllm_mark){ .offset = offset, .line = line, .column = column };
}

/* The last mark at or before the offset; `count`: none. */
static size_t mark_at(const struct vllm_marks *marks, size_t offset)
{
	size_t low = 0, high = marks->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (marks->items[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? low - 1 : marks->count;
}

bool vllm_marks_find(const struct vllm_marks *marks, size_t offset, int *ret_line, int *ret_column)
{
	size_t i = marks != NULL ? mark_at(marks, offset) : 0;

	if (marks == NULL || i == marks->count)
		return false;
	*ret_line = marks->items[i].line;
	*ret_column = marks->items[i].column + (int)(offset - marks->items[i].offset);
	return true;
}

void vllm_shell_marks_copy(struct vllm_words *words, struct vllm_marks *into, size_t at,
			   const struct vllm_marks *from, size_t from_offset, size_t len)
{
	int line, column;

	if (len == 0 || !vllm_marks_find(from, from_offset, &line, &column))
		return;
	vllm_shell_mark(words, into, at, line, column);
	for (size_t i = mark_at(from, from_offset) + 1;
	     i < from->count && from->items[i].offset < from_offset + len; i++)
		vllm_shell_mark(words, into, at + (from->items[i].offset - from_offset),
				from->items[i].line, from->items[i].column);
}

void vllm_marks_done(struct vllm_marks *marks)
{
	free(marks->items);
	*marks = (struct vllm_marks){ 0 };
}

struct shell_value vllm_shell_value_copy(struct shell_lexer *lexer, const char *text,
					 const struct vllm_marks *marks)
{
	struct shell_value value = { .text = pl_strdup(text) };

	vllm_shell_marks_copy(lexer->words, &value.marks, 0, marks, 0, strlen(text) + 1);
	return value;
}

/* ---- the position and the word ------------------------------------------------------------- */

/* After the limit only the first error is kept: a rejected text must have a reason. */
void vllm_shell_add_problem(struct shell_lexer *lexer, enum option_severity severity,
			    const char *found, const char *expected)
{
	/* the word that is read, or the one before */
	size_t line = lexer->options->first_number + lexer->words->count + lexer->in_word;

	if (lexer->problems->count >= VLLM_WORDS_PROBLEMS_MAX &&
	    (severity == OPTION_WARNING || lexer->problems->errors > 0))
		return;
	option_problem_report(lexer->problems, .severity = severity,
			      .source = lexer->options->source, .line = line > 0 ? (int)line : 1,
			      .column = lexer->word_column > 0 ? lexer->word_column : 1,
			      .found = found, .expected = expected);
}

void vllm_shell_locate(const struct shell_lexer *lexer, const char *at, int *ret_line,
		       int *ret_column)
{
	if (vllm_marks_find(lexer->options->origin, (size_t)(at - lexer->text), ret_line,
			    ret_column))
		return;
	*ret_line = lexer->line;
	*ret_column = at >= lexer->line_start ? (int)(at - lexer->line_start) + 1 : 1;
}

static void next_line(struct shell_lexer *lexer)
{
	lexer->line++;
	lexer->line_start = lexer->at;
}

void vllm_shell_begin_word(struct shell_lexer *lexer, int line, int column)
{
	if (lexer->in_word)
		return;
	lexer->in_word = true;
	lexer->quoted = lexer->is_list = false;
	lexer->quotes = lexer->empty_lists = 0;
	lexer->word_line = line;
	lexer->word_column = column;
}

void vllm_shell_put(struct shell_lexer *lexer, char c, const char *at)
{
	int line, column;

	vllm_shell_locate(lexer, at, &line, &column);
	vllm_shell_begin_word(lexer, line, column);
	vllm_shell_mark(lexer->words, &lexer->marks, lexer->word.len, line, column);
	/* the sentinels are not the text's; neither byte is UTF-8 */
	pl_buf_add_char(&lexer->word,
			c == SHELL_UNKNOWN_BEGIN || c == SHELL_UNKNOWN_END ? '\xC0' : c);
}

void vllm_shell_take_byte(struct shell_lexer *lexer)
{
	char c = *lexer->at;

	vllm_shell_put(lexer, c, lexer->at);
	lexer->at++;
	if (c == '\n')
		next_line(lexer);
}

void vllm_shell_skip_to(struct shell_lexer *lexer, const char *at)
{
	while (lexer->at < at) {
		if (*lexer->at++ == '\n')
			next_line(lexer);
	}
}

/* ---- names and groups ---------------------------------------------------------------------- */

size_t vllm_shell_name_len(const char *at, const char *end)
{
	const char *begin = at;

	if (at < end && isdigit((unsigned char)*at))
		return 0;
	while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
		at++;
	return (size_t)(at - begin);
}

static const char *skip_quoted(const char *at, const char *end)
{
	char quote = *at++;

	while (at < end && *at != quote) {
		if (*at == '\\' && quote == '"' && at + 1 < end)
			at++;
		at++;
	}
	return at < end ? at + 1 : end;
}

/* Groups of other kinds inside are not counted: "${A:-(}" ends at its brace. */
const char *vllm_shell_group_end(const char *at, const char *end)
{
	char open = *at;
	char close = open == '{' ? '}' : open == '(' ? ')' : open;
	size_t depth = 1;

	for (at++; at < end;) {
		if (*at == '\\' && at + 1 < end) {
			at += 2;
		} else if (*at == close && --depth == 0) {
			return at + 1;
		} else if (*at == '#' && open == '(' && isspace((unsigned char)at[-1])) {
			while (at < end && *at != '\n')
				at++;
		} else if (open != '`' && (*at == '"' || (*at == '\'' && open == '('))) {
			at = skip_quoted(at, end);
		} else {
			depth += *at == open && open != close;
			at++;
		}
	}
	return end;
}

static void put_sentinel(struct shell_lexer *lexer, char c)
{
	pl_buf_add_char(&lexer->word, c);
}

void vllm_shell_keep_unknown(struct shell_lexer *lexer, const char *end, const char *expected)
{
	size_t len = (size_t)(end - lexer->at);
	auto_free char *found = pl_strndup(
		lexer->at, len < SHELL_FOUND_BYTES_MAX ? len : SHELL_FOUND_BYTES_MAX);
	int line, column;

	for (char *at = found; *at != '\0'; at++) {
		if (*at == '\n')
			*at = ' ';
	}
	vllm_shell_locate(lexer, lexer->at, &line, &column);
	vllm_shell_begin_word(lexer, line, column);
	vllm_shell_add_problem(lexer, OPTION_WARNING, found, expected);
	put_sentinel(lexer, SHELL_UNKNOWN_BEGIN);
	while (lexer->at < end)
		vllm_shell_take_byte(lexer);
	put_sentinel(lexer, SHELL_UNKNOWN_END);
}

size_t vllm_word_name_len(const char *word)
{
	size_t len = vllm_shell_name_len(word, word + strlen(word));

	return word[len] == '=' ? len : 0;
}
