/*
 * Words of a command line matched to rows as Python's argparse matches them (3.12), behind the
 * folding that vLLM's FlexibleArgumentParser does first:
 *
 *	words, '_' as '-' in flags -> "--x.a.b v" joined to "--x JSON" at the end -> each word a
 *	flag, a value of the flag before it, or a word of no flag
 *
 * - Pure data: nothing is printed, no value is typed. Unlike argparse it goes on behind a fault; a
 *   word keeps its fault and its place, and the reader's user finds the sentence.
 * - A flag is written whole, by a beginning that only one flag has, with "=value" or, of one
 *   letter, with the value behind it ("-q4"). "-1" and "-.5" are values, and so is a text with a
 *   blank. Behind "--" all words are of no flag.
 * - Rows and words are added, then read once: option_argv_read() may move words, and what it gives
 *   stands in `words`.
 */
#pragma once

#include "base/json.h"
#include "option/row.h"

#include <stdbool.h>
#include <stddef.h>

/* One way to write a row. */
struct option_argv_flag {
	char *text; /* "--tensor-parallel-size" */
	const struct option_row *row;
	bool negative; /* "--no-x" */
	bool whole;    /* no beginning of it means it */
};

enum option_argv_kind {
	OPTION_ARGV_WORD,      /* of no flag */
	OPTION_ARGV_SEPARATOR, /* "--" */
	OPTION_ARGV_VALUE,     /* of the last flag before it */
	OPTION_ARGV_FLAG,
	/* faults of a flag that is known */
	OPTION_ARGV_NO_VALUE,
	OPTION_ARGV_TAKES_NONE, /* it has a "=value" */
	/* faults of a word that looks like a flag */
	OPTION_ARGV_UNKNOWN,
	OPTION_ARGV_AMBIGUOUS,
	/* faults of a dotted key; the word is among `refused` */
	OPTION_ARGV_DOTTED_BARE, /* the last word, and no "=" */
	OPTION_ARGV_DOTTED_DEEP, /* more than OPTION_ARGV_DEPTH_MAX parts */
	OPTION_ARGV_DOTTED_EXCESS,
};

enum { OPTION_ARGV_DEPTH_MAX = 32 };

/* A word and where it stands. */
struct option_argv_word {
	char *text;         /* as the parser gets it */
	char *written;      /* as it stands in the line */
	const char *source; /* borrowed from who added it */
	int line;
	int column;
	size_t dotted; /* which of the joined objects, from 1; 0: none */

	enum option_argv_kind kind;
	const struct option_argv_flag *flag; /* NULL: none of those known */
	const char *joined;                  /* in `text`: the value in the flag's own word */
	size_t values;                       /* words behind a flag that are its values */
	const struct option_argv_flag **candidates; /* of an ambiguous one */
	size_t candidate_count;
	const char *excess; /* what JSON here cannot hold: see option_json_excess() */
};

/* "--x.a" and "--x.b.c" as one object; each path with its place. */
struct option_argv_dotted {
	char *flag;
	json_t *object;
	size_t first; /* word, before they are joined */
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
	struct option_argv_word *refused; /* taken out: dotted keys with a fault */
	size_t refused_count;
	size_t refused_room;
	struct option_argv_dotted *dotted;
	size_t dotted_count;
	size_t dotted_room;
};

/* The row's flag, its aliases and its negative flags; `whole`: no beginning means one of them. */
void option_argv_add_row(struct option_argv *argv, const struct option_row *row, bool whole);
/* Adds a spelling that switches the row off and that the row itself does not have. */
void option_argv_add_negative(struct option_argv *argv, const struct option_row *row,
			      const char *flag, bool whole);
/* `source` is borrowed. The word is the list's until the next one is added. */
struct option_argv_word *option_argv_add_word(struct option_argv *argv, const char *text,
					      const char *source, int line, int column);
/* Takes `count` words out. */
void option_argv_drop(struct option_argv *argv, size_t at, size_t count);
/* Moves `count` words from `from` to `to`, which is before them. */
void option_argv_move(struct option_argv *argv, size_t from, size_t count, size_t to);
/* What the parser gets in a word's place; takes `text`. */
void option_argv_set_text(struct option_argv_word *word, char *text);
void option_argv_read(struct option_argv *argv);
void option_argv_done(struct option_argv *argv);
#define auto_argv __attribute__((cleanup(option_argv_done), unused)) struct option_argv

/* Takes the flag no words? */
bool option_argv_is_switch(const struct option_argv_flag *flag);
/* How many values a flag of `words` has; a joined one is the only one. */
size_t option_argv_value_count(const struct option_argv_word *flag);
const char *option_argv_value(const struct option_argv_word *flag, size_t i);
/* The flag that a word means by itself, "--x.key" and "--x=value" as "--x"; NULL: none, or several. */
const struct option_argv_flag *option_argv_find(const struct option_argv *argv, const char *word);
/* The long flag that is nearest to "--x", or to "x" without dashes, up to its '='; NULL. */
const char *option_argv_nearest(const struct option_argv *argv, const char *text);
