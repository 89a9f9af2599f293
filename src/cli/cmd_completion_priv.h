/*
 * What the files of `profllm completion` share: the words that can follow, from the rows of the
 * commands, their options, the server's arguments and the keys of an experiment.
 */
#ifndef CLI_CMD_COMPLETION_PRIV_H
#define CLI_CMD_COMPLETION_PRIV_H

#include "base/buf.h"
#include "base/opt.h"

#include <stdbool.h>

/* A word that can be chosen. All texts are borrowed. */
struct cli_word {
	const char *text;
	const char *help;   /* "" where there is none */
	const char *values; /* of a key: those it can have, separated by blanks; "": any */
	bool is_alone;      /* a flag without a value */
};

struct cli_words {
	struct cli_word *items;
	size_t count;
	size_t room;
	struct pl_arena *arena; /* of texts that are made here */
};

void cli_words_done(struct cli_words *words);
#define auto_words __attribute__((cleanup(cli_words_done), unused)) struct cli_words

enum cli_follow {
	CLI_FOLLOW_NOTHING,
	CLI_FOLLOW_FILES,
	CLI_FOLLOW_KEYS,
	CLI_FOLLOW_WORDS,
	CLI_FOLLOW_EITHER, /* a word, or a file behind one */
};

/* The keys that --set takes, "server.dtype". */
void cli_words_of_keys(struct cli_words *words);
/* vLLM's own flags, "--dtype" and "-tp", for the command behind "--". */
void cli_words_of_flags(struct cli_words *words);
/* Does the command take another one behind "--"? */
bool cli_takes_command(const struct pl_opt_command *command);
/* What stands behind an option; WORDS, EITHER: they are added. */
enum cli_follow cli_words_of_option(const struct pl_opt *option, struct cli_words *words);
/* What stands behind a command when it is no option. `command` NULL: one of the commands. */
enum cli_follow cli_words_of_command(const struct pl_opt_command *command, struct cli_words *words);
/* Texts without what a shell would read; separated by blanks. */
void cli_words_join(const struct cli_words *words, struct pl_buf *text);
/* In single quotes. `escape` stands for one within: "'\\''" or "\\'". */
void cli_words_quote(const char *text, const char *escape, struct pl_buf *buf);

/* What bash and zsh have in common: shell functions that print the words of the rows. */
void cli_completion_tables(struct pl_buf *text);
void cli_completion_bash(struct pl_buf *text);
void cli_completion_zsh(struct pl_buf *text);
void cli_completion_fish(struct pl_buf *text);

#endif
