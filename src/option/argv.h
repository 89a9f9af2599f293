/*
 * Matches the words of a command line to rows like Python's argparse (3.12), after the changes that
 * vLLM's FlexibleArgumentParser makes first:
 *
 *  words, '_' as '-' in flags -> "--x.a.b v" joined to "--x JSON" at the end -> each word a
 *  flag, a value of the preceding flag, or a word of no flag
 *
 * - Pure data: it prints nothing and does not type values. Unlike argparse it continues after an
 *   error; a word keeps its error and location, and the caller words the message.
 * - A flag may be written in full, as an unambiguous prefix, with "=value", or, if it has one
 *   letter, followed by its value ("-q4"). "-1" and "-.5" are values, and so is a text with a
 *   blank. After "--" all words belong to no flag.
 * - Add rows and words, then read once: option_argv_read() may move words; the result is in
 *   `words`.
 */
#pragma once

#include "base/json.h"
#include "option/row.h"

#include <stdbool.h>
#include <stddef.h>

/* One spelling of a row's flag. */
struct option_argv_flag {
	char *text; /* "--tensor-parallel-size" */
	const struct option_row *row;
	bool negative; /* "--no-x" */
	bool whole;    /* prefixes of it are not accepted */
};

enum option_argv_kind {
	OPTION_ARGV_WORD,      /* belongs to no flag */
	OPTION_ARGV_SEPARATOR, /* "--" */
	OPTION_ARGV_VALUE,     /* of the preceding flag */
	OPTION_ARGV_FLAG,
	/* errors of a known flag */
	OPTION_ARGV_NO_VALUE,
	OPTION_ARGV_TAKES_NONE, /* it has "=value" */
	/* errors of a word that looks like a flag */
	OPTION_ARGV_UNKNOWN,
	OPTION_ARGV_AMBIGUOUS,
	/* errors of a dotted key; the word is in `refused` */
	OPTION_ARGV_DOTTED_BARE, /* the last word, without "=" */
	OPTION_ARGV_DOTTED_DEEP, /* more than OPTION_ARGV_DEPTH_MAX parts */
	OPTION_ARGV_DOTTED_EXCESS,
};

enum { OPTION_ARGV_DEPTH_MAX = 32 };

/* A word and its location. */
struct option_argv_word {
	char *text;         /* as passed to the parser */
	char *written;      /* as in the command line */
	const char *source; /* borrowed from the caller */
	int line;
	int column;
	size_t dotted; /* number of its joined object, from 1; 0: none */

	enum option_argv_kind kind;
	const struct option_argv_flag *flag; /* NULL: no known flag */
	const char *joined;                  /* in `text`: the value in the flag's word */
	size_t values;                       /* number of words after a flag that are its values */
	const struct option_argv_flag **candidates; /* of an ambiguous flag */
	size_t candidate_count;
	const char *excess; /* data that our JSON cannot hold: see option_json_excess() */
};

/* "--x.a" and "--x.b.c" as one object; each path with its location. */
struct option_argv_dotted {
	char *flag;
	json_t *object;
	size_t first; /* index of the first word, before joining */
	struct option_argv_key {
		char *path; /* "b.c" */
		int line;
		int column;
	} * keys;
	size_t count;
	size_t room;
};

struct option_argv {
	struct option_argv_flag *flags; /* in the order in which an ambiguous word lists them */
	size_t flag_count;
	size_t flag_room;
	struct option_argv_word *words;
	size_t count;
	size_t room;
	struct option_argv_word *refused; /* removed words: dotted keys with an error */
	size_t refused_count;
	size_t refused_room;
	struct option_argv_dotted *dotted;
	size_t dotted_count;
	size_t dotted_room;
};

/* Adds the row's flag, its aliases and its negative flags; `whole`: prefixes are not accepted. */
void option_argv_add_row(struct option_argv *argv, const struct option_row *row, bool whole);
/* Adds a spelling that switches the row off and that the row lacks. */
void option_argv_add_negative(struct option_argv *argv, const struct option_row *row,
			      const char *flag, bool whole);
/* `source` is borrowed. The returned word is valid until the next one is added. */
struct option_argv_word *option_argv_add_word(struct option_argv *argv, const char *text,
					      const char *source, int line, int column);
/* Removes `count` words. */
void option_argv_drop(struct option_argv *argv, size_t at, size_t count);
/* Moves `count` words from `from` to `to`, which is before them. */
void option_argv_move(struct option_argv *argv, size_t from, size_t count, size_t to);
/* Replaces the text that the parser gets; takes `text`. */
void option_argv_set_text(struct option_argv_word *word, char *text);
void option_argv_read(struct option_argv *argv);
void option_argv_done(struct option_argv *argv);
#define auto_argv __attribute__((cleanup(option_argv_done), unused)) struct option_argv

/* Returns whether the flag takes no words. */
bool option_argv_is_switch(const struct option_argv_flag *flag);
/* Returns the number of values of a flag in `words`; 1 for a joined value. */
size_t option_argv_value_count(const struct option_argv_word *flag);
const char *option_argv_value(const struct option_argv_word *flag, size_t i);
/*
 * Returns the flag for a single word, "--x" for "--x.key" and "--x=value"; NULL: none, or
 * ambiguous.
 */
const struct option_argv_flag *option_argv_find(const struct option_argv *argv, const char *word);
/*
 * Returns the long flag that is most similar to "--x", or to "x" without dashes, up to its '=';
 * NULL: none.
 */
const char *option_argv_nearest(const struct option_argv *argv, const char *text);
