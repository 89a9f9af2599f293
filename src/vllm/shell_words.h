/*
 * A pasted command line split into words as a POSIX shell does it: quotes (also $'…'), escapes,
 * continued lines, comments, assignments, redirections, several commands.
 *
 * - Nothing is run. A variable is replaced by its value where an earlier command of the same text
 *   sets it or ${NAME:-text} gives one; any other stays as it is written, with a warning. Blanks
 *   in a value make no further words; patterns and '~' stay as they are.
 * - Redirections are left out with a warning; every operator and newline ends a command.
 * - Problems have the word's number (from 1, over all commands) as their line, and its column in
 *   the line of the text as their column.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

struct option_problems;

#define VLLM_WORDS_BYTES_MAX (1u << 20)
/* Problems of one text, about; what would come behind them is not told. */
#define VLLM_WORDS_PROBLEMS_MAX 1000

struct vllm_word {
	char *text;
	int line;       /* of the text, from 1 */
	int column;     /* first byte, from 1 */
	size_t command; /* which command of the text it belongs to, from 0 */
};

struct vllm_words {
	struct vllm_word *items;
	size_t count;
	size_t room;
	size_t bytes;      /* of all words */
	size_t commands;   /* that have words */
	json_t *variables; /* object: set by commands that only assign, or by export */
	json_t *exported;  /* object: those of them that reach later commands */
};

/* -1: too long, or a NUL byte. Appends to `words`, which starts as { 0 }. */
int vllm_words_split(const char *text, size_t len, const char *source, struct vllm_words *words,
		     struct option_problems *problems, struct pl_err *err) PL_MUST_CHECK;
/* One more word of the command `command`, split elsewhere; false: not UTF-8. */
bool vllm_words_add(struct vllm_words *words, const char *text, int line, int column,
		    size_t command);
void vllm_words_done(struct vllm_words *words);
#define auto_words __attribute__((cleanup(vllm_words_done), unused)) struct vllm_words

/* Length of NAME in "NAME=value", 0 where the word is no assignment. */
size_t vllm_word_name_len(const char *word);
/* Appends the word so that a shell reads it back. */
void vllm_word_quote(const char *word, struct pl_buf *buf);
