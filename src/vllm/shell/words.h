/*
 * Pasted shell text split into words as a POSIX shell splits it: quotes (also $'…'), escapes,
 * continued lines, comments, assignments, arrays, expansions, field splitting, redirections,
 * here-documents, several commands.
 *
 * - Nothing is run, and no file or environment is read. A variable expands to the value that an
 *   earlier command of the text assigns. An unquoted value is split on IFS, and an empty one makes
 *   no word. Patterns and '~' are not expanded.
 * - An expansion whose value the text does not give ($(…), an unset variable) keeps its spelling,
 *   marks its word as `unknown` and adds a warning.
 * - A condition that the text decides ([ -n "$A" ]) selects its branch. In any other `if`, `case`,
 *   `for` and `while` the first branch or the first item is read, and its words name the construct.
 * - Redirections are ignored with a warning; an operator or a newline ends a command.
 * - Text that terminals, shells of Windows and text processors add is recognized: prompts, '^' and
 *   '`' at the end of a line, no-break spaces, typographic quotes and dashes.
 * - A problem has the word's number (from 1, over all commands) as its line, and the word's column
 *   in its line of the text as its column.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

struct option_problems;

#define VLLM_WORDS_BYTES_MAX (1u << 20)
/* Approximate maximum of the problems of one text; later problems are dropped. */
#define VLLM_WORDS_PROBLEMS_MAX 1000

/* The byte at `offset` of a text, and those after it, begin at this location of the pasted text. */
struct vllm_mark {
	size_t offset;
	int line;
	int column;
};

/* Locations of the bytes of a text, in ascending order of offsets. */
struct vllm_marks {
	struct vllm_mark *items;
	size_t count;
	size_t room;
};

struct vllm_word {
	char *text;
	int line;                /* in the pasted text, from 1 */
	int column;              /* of the first byte, from 1 */
	size_t command;          /* number of its command, from 0 */
	bool unknown;            /* holds an expansion whose value the text does not give */
	bool optional;           /* consists only of such expansions: a shell may drop the word */
	const char *construct;   /* "if", "for", … that decides whether it runs; NULL: none */
	struct vllm_marks marks; /* empty: `text` begins at line and column */
};

/* The body of a here-document. */
struct vllm_here {
	char *text;
	struct vllm_marks marks;
	size_t command; /* number of the command that reads it */
	bool literal;   /* its delimiter is quoted: the outer shell expands nothing in it */
};

struct vllm_variables;

struct vllm_words {
	struct vllm_word *items;
	size_t count;
	size_t room;
	size_t bytes;                     /* of all words */
	size_t commands;                  /* that have words */
	size_t mark_count;                /* total of words, variables and here-documents */
	struct vllm_variables *variables; /* assigned by the text; NULL: none yet */
	json_t *exported;                 /* object: variables of the environment; or NULL */
	struct vllm_here *heres;
	size_t here_count;
	size_t here_room;
};

struct vllm_words_options {
	const char *source; /* name in messages */
	const struct vllm_marks
		*origin;     /* locations of the text's bytes; NULL: it is the pasted text */
	size_t first_number; /* words of other texts before its own, for the numbers in problems */
	bool hash_is_prompt; /* a line that begins with "# " is a root prompt with a command */
};

/*
 * Appends to `words`, which starts as { 0 }. Returns -1 if the text is too long or contains a NUL
 * byte.
 */
int vllm_words_split(const char *text, size_t len, const struct vllm_words_options *options,
		     struct vllm_words *words, struct option_problems *problems,
		     struct pl_err *err) PL_MUST_CHECK;
/* Appends an already split word to command `command`; false: it is not UTF-8. */
bool vllm_words_add(struct vllm_words *words, const char *text, int line, int column,
		    size_t command);
/* Removes the words from index `count` on. */
void vllm_words_truncate(struct vllm_words *words, size_t count);
/* Appends unchanged copies of the words of another text. */
void vllm_words_copy(struct vllm_words *words, const struct vllm_words *from);
/* Moves the words of another text to the end, as separate commands, with its exported variables. */
void vllm_words_append(struct vllm_words *words, struct vllm_words *from);
void vllm_words_done(struct vllm_words *words);
#define auto_words __attribute__((cleanup(vllm_words_done), unused)) struct vllm_words

/* Assigns a variable before the text is split. */
void vllm_words_assign(struct vllm_words *words, const char *name, const char *value,
		       bool exported);
/* Copies the variables of another text: all of them, or the exported ones. */
void vllm_words_inherit(struct vllm_words *words, const struct vllm_words *from, bool exported);

void vllm_marks_done(struct vllm_marks *marks);
/* Finds the location of the byte at `offset`; false: there are no marks. */
bool vllm_marks_find(const struct vllm_marks *marks, size_t offset, int *ret_line, int *ret_column);

/* Returns the length of NAME in "NAME=value", 0 if the word is not an assignment. */
size_t vllm_word_name_len(const char *word);
/*
 * Appends the word so that a shell reads it back. Control characters other than line feeds and tabs become $'\xHH', which
 * bash, ksh, zsh and POSIX.1-2024 read: the text of a foreign result must not change a terminal.
 */
void vllm_word_quote(const char *word, struct pl_buf *buf);
