/*
 * Here-documents: "<<WORD" and the lines after the command's, up to a line WORD. The body is not
 * part of the command's words; command/form.c may read it as a text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "vllm/shell/shell_priv.h"

/* The delimiter without its quotes. */
static char *take_delimiter(struct shell_lexer *lexer, bool *ret_literal)
{
	auto_buf text = PL_BUF(VLLM_WORDS_BYTES_MAX);

	for (; lexer->at < lexer->end && strchr(" \t\r\n;&|()<>", *lexer->at) == NULL;
	     lexer->at++) {
		if (strchr("'\"\\", *lexer->at) != NULL)
			*ret_literal = true;
		else
			pl_buf_add_char(&text, *lexer->at);
	}
	return text.len > 0 ? pl_buf_take(&text) : NULL;
}

void vllm_shell_take_here(struct shell_lexer *lexer)
{
	struct shell_pending_here here = { .command = lexer->words->commands };

	lexer->at += 2;
	here.strips_tabs = lexer->at < lexer->end && *lexer->at == '-';
	lexer->at += here.strips_tabs;
	while (lexer->at < lexer->end && (*lexer->at == ' ' || *lexer->at == '\t'))
		lexer->at++;
	here.delimiter = take_delimiter(lexer, &here.literal);
	if (here.delimiter == NULL || lexer->pending_heres == SHELL_HERES_MAX) {
		free(here.delimiter);
		return;
	}
	lexer->heres[lexer->pending_heres++] = here;
}

/* Adds a line of the body. If the delimiter has no quotes, a backslash escapes expansions. */
static void add_line(struct shell_lexer *lexer, const struct shell_pending_here *pending,
		     struct vllm_here *here, struct pl_buf *text, const char *end)
{
	int line, column;

	for (const char *at = lexer->at; at < end; at++) {
		if (!pending->literal && *at == '\\' && at + 1 < end &&
		    strchr("$`\\", at[1]) != NULL && at[1] != '\0')
			at++;
		vllm_shell_locate(lexer, at, &line, &column);
		vllm_shell_mark(lexer->words, &here->marks, text->len, line, column);
		pl_buf_add_char(text, *at);
	}
}

static void read_here(struct shell_lexer *lexer, struct shell_pending_here *pending)
{
	struct vllm_here here = { .command = pending->command, .literal = pending->literal };
	auto_buf text = PL_BUF(VLLM_WORDS_BYTES_MAX);
	bool ended = false;

	while (!ended && lexer->at < lexer->end) {
		while (pending->strips_tabs && lexer->at < lexer->end && *lexer->at == '\t')
			lexer->at++;
		const char *end = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
		const char *next = end != NULL ? end + 1 : lexer->end;
		size_t len = (size_t)((end != NULL ? end : lexer->end) - lexer->at);
		len -= len > 0 && lexer->at[len - 1] == '\r';
		ended = strlen(pending->delimiter) == len &&
			strncmp(pending->delimiter, lexer->at, len) == 0;
		if (!ended)
			add_line(lexer, pending, &here, &text, next);
		vllm_shell_skip_to(lexer, next);
	}
	if (!ended)
		vllm_shell_add_problem(
			lexer, OPTION_WARNING, "a here-document that is not closed",
			"a line with its delimiter; profllm reads it to the end of the file");
	here.text = text.len > 0 ? pl_buf_take(&text) : pl_strdup("");
	lexer->words->bytes += strlen(here.text);
	*PL_PUSH(lexer->words->heres, lexer->words->here_count, lexer->words->here_room) = here;
	free(pl_take(pending->delimiter));
}

void vllm_shell_read_heres(struct shell_lexer *lexer)
{
	for (size_t i = 0; i < lexer->pending_heres; i++)
		read_here(lexer, &lexer->heres[i]);
	lexer->pending_heres = 0;
}
