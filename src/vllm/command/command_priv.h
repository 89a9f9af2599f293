/*
 * What the files command_*.c share. The way of the words: form (which command, where its arguments
 * begin) -> tokens (--config in place, dashes, -O, dotted keys joined to JSON) -> match (which
 * argument each flag means, which words are its values) -> value (typed and checked).
 */
#ifndef VLLM_COMMAND_COMMAND_PRIV_H
#define VLLM_COMMAND_COMMAND_PRIV_H

#include "vllm/command/line.h"
#include "vllm/server_args.h"
#include "vllm/version.h"

/* One dotted key of several that were joined: where "pass_config.x" stands. */
struct vllm_dotted {
	char *path;
	int line;
	int column;
};

struct vllm_token {
	char *text;    /* as vLLM's parser gets it */
	char *written; /* as it stands in the command */
	char *source;  /* the command's, or the --config file */
	int line;      /* number of the word, or line of the file */
	int column;
	size_t dotted;  /* which joined dotted argument, from 1; 0: none */
	bool is_option; /* set when it is matched */
};

struct vllm_dotted_arg {
	char *flag; /* "--compilation-config", as vLLM's parser gets it */
	char *written;
	size_t token; /* the first of them */
	json_t *object;
	struct vllm_dotted *keys;
	size_t count;
	size_t room;
};

struct vllm_parse {
	struct vllm_command *command;
	struct option_problems *problems;
	const char *folder;
	struct vllm_version target;
	const char *target_text;
	bool target_known;
	bool allow_gone;
	bool at_reference; /* the target is the reference or newer, or taken to be */
	struct vllm_token *tokens;
	size_t count;
	size_t room;
	struct vllm_dotted_arg *dotted;
	size_t dotted_count;
	size_t dotted_room;
	bool has_positional; /* the model; --model counts only without it */
};

/* An option of the parser with the words that are its value. */
struct vllm_match {
	const struct option_row *arg;
	bool negative;
	const char *joined; /* behind "=" or a one-letter flag; NULL: none */
	size_t flag;        /* token */
	size_t first;       /* token */
	size_t count;
};

/* Fills form, launch, env, image and the words' range; false, with a problem, when there is none.
 * *ret_first: the first argument. */
bool vllm_command_recognise(struct vllm_parse *parse, size_t *ret_first);
/* `docker run …` from the word at `at`, which is the runtime; false: nothing behind the image. */
bool vllm_command_container(struct vllm_parse *parse, size_t at, size_t end, size_t *ret_image);

/* Tokens of the words from `first` on, in the shape that is matched. */
void vllm_command_tokens(struct vllm_parse *parse, size_t first);
struct vllm_token *vllm_token_add(struct vllm_parse *parse, const char *text, const char *source,
				  int line, int column);
/* Tokens of a --config file, appended; false with a problem at `at`. */
bool vllm_command_config(struct vllm_parse *parse, const struct vllm_token *at, const char *path);

void vllm_command_match(struct vllm_parse *parse);
/* Reads the value and puts it among the command's. */
void vllm_command_take(struct vllm_parse *parse, const struct vllm_match *match);

/* A problem at a token. found NULL: the token's text. */
void vllm_parse_add(struct vllm_parse *parse, enum option_severity severity,
		    const struct vllm_token *at, const char *found, const char *expected,
		    const char *nearest);
/* Does the word stand among the values of a secret flag? */
bool vllm_words_hide(const struct vllm_words *words, size_t at);
/* The flag as it was written, without "=value". The caller's (free()). */
char *vllm_token_key(const struct vllm_token *token);
/* "--structured-outputs-config.backend" of "structured_outputs_config.backend". The caller's. */
char *vllm_flag_of(const char *name);

#endif
