/*
 * The way of the words: form (which command, where its arguments begin) -> arguments (--config in
 * place, -O turned, then option/argv.h: which argument each flag means, which words are its values)
 * -> value (typed and checked).
 */
#ifndef VLLM_COMMAND_COMMAND_PRIV_H
#define VLLM_COMMAND_COMMAND_PRIV_H

#include "option/argv.h"
#include "vllm/catalog.h"
#include "vllm/command/line.h"
#include "vllm/version.h"

struct vllm_parse {
	const struct vllm_catalog *catalog;
	struct vllm_command *command;
	struct option_problems *problems;
	const char *folder;
	struct vllm_version target;
	const char *target_text;
	bool target_known;
	bool allow_gone;
	bool at_reference; /* the target is the reference or newer, or taken to be */
	struct option_argv argv;
	bool has_positional; /* the model; --model counts only without it */
};

/* Fills form, launch, env, image and the words' range; false, with a problem, when there is none.
 * *ret_first: the first argument. */
bool vllm_command_recognise(struct vllm_parse *parse, size_t *ret_first);
/* `docker run …` from the word at `at`, which is the runtime; false: nothing behind the image. */
bool vllm_command_container(struct vllm_parse *parse, size_t at, size_t end, size_t *ret_image);

/* Reads the words from `first` on. */
void vllm_command_arguments(struct vllm_parse *parse, size_t first);
/* Reads the values of a flag, one of the words read, and puts them among the command's. */
void vllm_command_take(struct vllm_parse *parse, const struct option_row *arg,
		       const struct option_argv_word *flag);

/* A problem at a word. found NULL: the word's text. */
void vllm_parse_add(struct vllm_parse *parse, enum option_severity severity,
		    const struct option_argv_word *at, const char *found, const char *expected,
		    const char *nearest);
/* The flag as it was written, without "=value". The caller's (free()). */
char *vllm_word_key(const struct option_argv_word *word);
/* "--structured-outputs-config.backend" of "structured_outputs_config.backend". The caller's. */
char *vllm_flag_of(const char *name);

#endif
