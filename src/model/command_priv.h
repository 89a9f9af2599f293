/*
 * What the files command_*.c share. The way of the words: form (which command, where its arguments
 * begin) -> tokens (--config in place, dashes, -O, dotted keys joined to JSON) -> match (which
 * argument each flag means, which words are its values) -> value (typed and checked).
 */
#ifndef MODEL_COMMAND_PRIV_H
#define MODEL_COMMAND_PRIV_H

#include "model/command_line.h"
#include "model/server_args.h"
#include "model/version.h"

/* One dotted key of several that were joined: where "pass_config.x" stands. */
struct md_dotted {
	char *path;
	int line;
	int column;
};

struct md_token {
	char *text;    /* as vLLM's parser gets it */
	char *written; /* as it stands in the command */
	char *source;  /* the command's, or the --config file */
	int line;      /* number of the word, or line of the file */
	int column;
	size_t dotted;  /* which joined dotted argument, from 1; 0: none */
	bool is_option; /* set when it is matched */
};

struct md_dotted_arg {
	char *flag; /* "--compilation-config", as vLLM's parser gets it */
	char *written;
	size_t token; /* the first of them */
	json_t *object;
	struct md_dotted *keys;
	size_t count;
	size_t room;
};

struct md_parse {
	struct md_command *command;
	struct option_problems *problems;
	const char *folder;
	struct md_version target;
	const char *target_text;
	bool target_known;
	bool allow_gone;
	bool at_reference; /* the target is the reference or newer, or taken to be */
	struct md_token *tokens;
	size_t count;
	size_t room;
	struct md_dotted_arg *dotted;
	size_t dotted_count;
	size_t dotted_room;
	bool has_positional; /* the model; --model counts only without it */
};

/* An option of the parser with the words that are its value. */
struct md_match {
	const struct md_arg *arg;
	bool negative;
	const char *joined; /* behind "=" or a one-letter flag; NULL: none */
	size_t flag;        /* token */
	size_t first;       /* token */
	size_t count;
};

/* Fills form, launch, env, image and the words' range; false, with a problem, when there is none.
 * *ret_first: the first argument. */
bool md_command_recognise(struct md_parse *parse, size_t *ret_first);
/* `docker run …` from the word at `at`, which is the runtime; false: nothing behind the image. */
bool md_command_container(struct md_parse *parse, size_t at, size_t end, size_t *ret_image);

/* Tokens of the words from `first` on, in the shape that is matched. */
void md_command_tokens(struct md_parse *parse, size_t first);
struct md_token *md_token_add(struct md_parse *parse, const char *text, const char *source,
			      int line, int column);
/* Tokens of a --config file, appended; false with a problem at `at`. */
bool md_command_config(struct md_parse *parse, const struct md_token *at, const char *path);

void md_command_match(struct md_parse *parse);
/* Reads the value and puts it among the command's. */
void md_command_take(struct md_parse *parse, const struct md_match *match);

/* A problem at a token. found NULL: the token's text. */
void md_parse_add(struct md_parse *parse, enum option_severity severity, const struct md_token *at,
		  const char *found, const char *expected, const char *nearest);
/* Does the word stand among the values of a secret flag? */
bool md_words_hide(const struct md_words *words, size_t at);
/* The flag as it was written, without "=value". The caller's (free()). */
char *md_token_key(const struct md_token *token);
/* "--structured-outputs-config.backend" of "structured_outputs_config.backend". The caller's. */
char *md_flag_of(const char *name);

#endif
