/*
 * The parts of the splitter: reader.c (bytes and their locations), words.c (words and commands), quote.c,
 * expand.c ("$…"), variables.c (assignments), control.c (conditions and loops), here.c (here-documents),
 * paste.c (text that terminals and text processors add).
 *
 * A word contains quotes and expansions, which contain each other, so words.c, quote.c and expand.c recurse.
 * A condition assigns variables, and assigns them only in a branch that runs, so control.c and variables.c call
 * each other. No other part calls one above it:
 *
 *	words, quote, expand  ->  control, variables  ->  list  ->  reader
 */
#pragma once

#include "base/buf.h"
#include "option/problem.h"
#include "vllm/shell/words.h"

/*
 * Mark an expansion that keeps its spelling, in an unfinished word. UTF-8 text never contains these
 * bytes; the splitter replaces them in its input.
 */
#define SHELL_UNKNOWN_BEGIN '\xFE'
#define SHELL_UNKNOWN_END   '\xFF'

/* Maximum of all words, including the values of variables. */
#define SHELL_BYTES_MAX (4u * VLLM_WORDS_BYTES_MAX)

enum {
	SHELL_DEPTH_MAX = 32,
	SHELL_HERES_MAX = 16,
	SHELL_MARKS_MAX = 200000,
	SHELL_FOUND_BYTES_MAX = 80
};

/* The meaning of the next word of a command. */
enum shell_position {
	SHELL_FIRST,   /* a reserved word, an assignment or the program */
	SHELL_PREFIX,  /* after an assignment: an assignment or the program */
	SHELL_DECLARE, /* after "export" and the like: assignments and names */
	SHELL_WORDS,   /* arguments */
};

/* A value, with the sentinels of unknown expansions. */
struct shell_value {
	char *text;
	struct vllm_marks marks;
};

struct shell_variable {
	char *name;
	struct shell_value *items;
	size_t count; /* 1, of an array 0 and more */
	size_t room;
	bool is_set;
	bool is_array;
	bool exported;
	const char *construct; /* that decides whether it is assigned; NULL: none */
};

struct vllm_variables {
	struct shell_variable *items;
	size_t count;
	size_t room;
	json_t *index; /* object: name -> number of its item */
	bool exports_all;
};

/* The outcome of a condition; open: the text does not decide it. */
enum shell_truth { SHELL_FALSE, SHELL_TRUE, SHELL_OPEN };

/* An open construct: "if", "for", "while", "case", "{", "(". */
struct shell_construct {
	const char *name;  /* the construct that decides whether it runs; NULL: none */
	char kind;         /* first byte of its word */
	bool in_condition; /* its commands are the condition's, of `case` patterns */
	enum shell_truth condition;
	bool is_dead;  /* this branch does not run */
	bool is_open;  /* unknown whether it runs */
	bool is_later; /* an earlier branch may have run */
	bool has_run;  /* an earlier branch runs */
	char *subject; /* of `case`; NULL: not known */
};

/* A redirection "<<" whose body has not been reached. */
struct shell_pending_here {
	char *delimiter;
	size_t command;
	bool literal;
	bool strips_tabs;
};

struct shell_lexer {
	const char *text;
	const char *at;
	const char *end;
	const char *line_start;
	int line;
	const struct vllm_words_options *options;
	struct vllm_words *words;
	struct option_problems *problems;
	/* the word that is read */
	struct pl_buf word;
	struct vllm_marks marks;
	bool in_word;
	bool quoted;       /* has a quoted part */
	bool is_list;      /* has the items of an unknown array */
	int quotes;        /* quoted parts */
	int empty_lists;   /* of those, arrays without items */
	bool skips_target; /* belongs to a redirection */
	int word_line;
	int word_column;
	size_t name_len;    /* of the variable that it assigns, 0: none */
	bool is_array_word; /* … an array, which is read already */
	bool after_blank;   /* IFS: the last field was ended by white space of this expansion */
	int depth;          /* of "${A:-${B}}" */
	size_t trims;       /* expansions with a pattern so far */
	/* the array that its words go to; NULL: the command */
	struct shell_variable *array;
	/* the command that is read */
	size_t first;   /* number of its first word */
	bool is_double; /* "[[ … ]]": its values are not split */
	enum shell_position position;
	struct vllm_variables pending; /* its assignments */
	bool prompted;                 /* the command's first line began with a prompt */
	struct shell_construct constructs[SHELL_DEPTH_MAX];
	size_t construct_count;
	size_t excess; /* constructs deeper than those */
	/* "&&" or "||" before the command; '\0': neither */
	char chain;
	enum shell_truth chained; /* outcome of the commands before it */
	struct shell_pending_here heres[SHELL_HERES_MAX];
	size_t pending_heres;
};

/* reader.c */
void vllm_shell_mark(struct vllm_words *words, struct vllm_marks *marks, size_t offset, int line,
		     int column);
void vllm_shell_marks_copy(struct vllm_words *words, struct vllm_marks *into, size_t at,
			   const struct vllm_marks *from, size_t from_offset, size_t len);
struct shell_value vllm_shell_value_copy(struct shell_lexer *lexer, const char *text,
					 const struct vllm_marks *marks);
void vllm_shell_add_problem(struct shell_lexer *lexer, enum option_severity severity,
			    const char *found, const char *expected);
void vllm_shell_locate(const struct shell_lexer *lexer, const char *at, int *ret_line,
		       int *ret_column);
void vllm_shell_begin_word(struct shell_lexer *lexer, int line, int column);
/* Appends a byte of the word whose location is that of `at`. */
void vllm_shell_put(struct shell_lexer *lexer, char c, const char *at);
/* Appends the next byte of the text unchanged to the word. */
void vllm_shell_take_byte(struct shell_lexer *lexer);
/* Skips text. */
void vllm_shell_skip_to(struct shell_lexer *lexer, const char *at);
/*
 * Returns the position after the closing byte of "$(…)", "${…}", "(…)" or "`…`", from its opening
 * byte; `end`: it is not closed. Handles quotes.
 */
const char *vllm_shell_group_end(const char *at, const char *end);
size_t vllm_shell_name_len(const char *at, const char *end);
/* Keeps the spelling up to `end`, and warns. */
void vllm_shell_keep_unknown(struct shell_lexer *lexer, const char *end, const char *expected);

/* words.c: ends the word, which expansions do where they split a value */
void vllm_shell_end_word(struct shell_lexer *lexer);

/* quote.c: reads text after its opening quote, with its closing quote */
void vllm_shell_take_single(struct shell_lexer *lexer, bool ansi);
void vllm_shell_take_double(struct shell_lexer *lexer);
void vllm_shell_take_fancy(struct shell_lexer *lexer, char quote);
/* A byte of text between double quotes, or of a here-document. */
void vllm_shell_take_double_byte(struct shell_lexer *lexer, const char *escapable);
/* Length of "\<newline>", with or without a carriage return; 0: none. */
size_t vllm_shell_continuation_len(const struct shell_lexer *lexer);

/* expand.c */
void vllm_shell_take_dollar(struct shell_lexer *lexer, bool in_double);
void vllm_shell_take_backquotes(struct shell_lexer *lexer);

/* variables.c */
struct shell_variable *vllm_shell_variable_find(const struct vllm_variables *variables,
						const char *name);
void vllm_shell_variables_done(struct vllm_variables *variables);
/* Returns the variable as seen by the current word; NULL: not set. */
const struct shell_variable *vllm_shell_lookup(const struct shell_lexer *lexer, const char *name,
					       size_t len);
/* Returns the length of "NAME=", "NAME+=" or "NAME[N]=" at `at`; 0: not an assignment. */
size_t vllm_shell_assignment_len(const struct shell_lexer *lexer, const char *at);
/* Keeps the finished word's assignment for the end of the command. */
void vllm_shell_assign_word(struct shell_lexer *lexer);
/* Keeps the assignment of an array for the end of the command; frees its items. */
void vllm_shell_assign_array(struct shell_lexer *lexer, const char *name,
			     struct shell_variable *items, bool appends);
/* Makes the command's assignments if it consists only of assignments or exports. */
void vllm_shell_assign_all(struct shell_lexer *lexer);

/* control.c */
/* Handles a reserved word in command position; false: it is not one. */
bool vllm_shell_take_reserved(struct shell_lexer *lexer, const char *word);
/* The end of a command. */
struct shell_operator {
	char op; /* first byte of the operator, or a newline */
	bool is_doubled;
	bool had_words;   /* the command has any */
	bool is_function; /* "NAME()" */
	enum shell_truth found;
	struct shell_construct *construct; /* that the command is in; NULL: none */
};
/* Decides about the condition that the command is; its words are not yet gone. */
struct shell_operator vllm_shell_control_decide(struct shell_lexer *lexer, char op, bool doubled);
/* Begins the next command: chains, branches and groups. */
void vllm_shell_control_apply(struct shell_lexer *lexer, const struct shell_operator *end);
/* Returns whether the command is in a branch that does not run. */
bool vllm_shell_is_dead(const struct shell_lexer *lexer);
/* Returns whether an unquoted value is split into words. */
bool vllm_shell_splits(const struct shell_lexer *lexer);
/* Returns the construct that decides whether the command runs; NULL: it runs. */
const char *vllm_shell_construct_name(const struct shell_lexer *lexer);
bool vllm_shell_is_later_branch(const struct shell_lexer *lexer);
void vllm_shell_control_done(struct shell_lexer *lexer);

/* here.c */
void vllm_shell_take_here(struct shell_lexer *lexer);
/* Skips the bodies of the previous line's here-documents, at the start of a line. */
void vllm_shell_read_heres(struct shell_lexer *lexer);

/* paste.c: lengths at `at`, 0 for none */
size_t vllm_shell_blank_len(const char *at, const char *end);
size_t vllm_shell_invisible_len(const char *at, const char *end);
/* Returns the length of a typographic quote; *ret_quote: the corresponding ASCII quote. */
size_t vllm_shell_fancy_quote_len(const char *at, const char *end, char *ret_quote);
size_t vllm_shell_fancy_dash_len(const char *at, const char *end);
size_t vllm_shell_prompt_len(const char *at, const char *end, bool hash_is_prompt);
/*
 * Returns the length of "^" or "`" that continues a line of cmd or PowerShell, including the
 * newline.
 */
size_t vllm_shell_windows_continuation_len(const char *at, const char *end);
