/*
 * The way of a server's words: form (which command, where its arguments begin) -> arguments (--config
 * in place, -O turned, then option/argv.h: which argument each flag means, which words are its
 * values) -> value (typed and checked). Of a load's: form -> load (option/argv.h and vllm/bench/) ->
 * address (is it for the server of the same text?).
 */
#pragma once

#include "option/argv.h"
#include "option/problem.h"
#include "vllm/bench/kinds.h"
#include "vllm/bench/line.h"
#include "vllm/catalog.h"
#include "vllm/command/line.h"
#include "vllm/version.h"

/* A command of the text that is taken. Numbers are of words, from 0. */
struct vllm_part {
	bool found;
	size_t begin; /* assignments and programs in front included */
	size_t first; /* argument */
	size_t end;   /* behind the last */
	size_t outer; /* which command of the text itself: that of "bash -c" */
};

struct vllm_parse {
	const struct vllm_catalog *catalog; /* the target's */
	struct vllm_command *command;
	struct option_problems *problems;
	const char *folder;
	struct vllm_version target;
	const char *target_text;
	bool target_known;
	bool allow_gone;
	bool own_flags;
	struct option_argv argv;
	bool has_positional; /* the model; --model counts only without it */
	struct vllm_part server;
	struct vllm_part load;
	enum vllm_bench_program load_program;
	/* the server's words are those of an offline benchmark, which runs an engine; NULL: they are not */
	const struct vllm_bench_kind *kind;
	struct vllm_bench_line line;      /* of the benchmark's own options */
	const struct vllm_inside *inside; /* a container of a manifest; NULL: a text or words */
	size_t split;                     /* number of the first problem of splitting */
	size_t remote; /* number (from 1) of the word that runs the server elsewhere; 0: none */
	size_t later; /* number (from 1) of the word that names a benchmark which is not here yet */
};

/* Fills form, launch, env, image and the two parts; false, with a problem, when there is neither. */
bool vllm_command_recognise(struct vllm_parse *parse);
/* `docker run …` from the word at `at`, which is the runtime; false: nothing behind the image. */
bool vllm_command_container(struct vllm_parse *parse, size_t at, size_t end, size_t *ret_image);
/* The release that an image's tag or file name says, "0.14.1". The caller's (free()); NULL: none. */
char *vllm_image_release(const char *image);

/* Adds the negative that an older release had of a switch and the target's row lacks. */
void vllm_command_older_negative(struct vllm_parse *parse, const struct option_row *arg);
/* Gives a flag that takes a value now the value that it had as a switch. For words that were read. */
void vllm_command_older_switches(struct vllm_parse *parse);
/* Puts today's options in the place of those that older releases of an offline benchmark had. For words
 * that were not read yet. */
void vllm_command_older_options(struct vllm_parse *parse);
/* Can the word be the value of a boolean argument? */
bool vllm_command_is_truth(const char *text);
/* Returns what the target takes for an unknown "--no-x" of an argument that it has, or NULL. The caller
 * frees it. */
char *vllm_command_negative_expected(const struct vllm_parse *parse, const char *text);

/* Reads the words of the server. */
void vllm_command_arguments(struct vllm_parse *parse);
/* Reads the values of a flag, one of the words read, and puts them among the command's. */
void vllm_command_take(struct vllm_parse *parse, const struct option_row *arg,
		       const struct option_argv_word *flag);

/* Does the word come from an expansion whose value the text does not give; `optional`: it is one
 * alone, of which a shell may make no word? */
bool vllm_word_is_unknown(const struct vllm_parse *parse, const struct option_argv_word *word,
			  bool optional);
/* Has a flag such a value? */
bool vllm_value_is_unknown(const struct vllm_parse *parse, const struct option_argv_word *flag);
/* Warns that a flag with such a value is left out. */
void vllm_tell_unknown_value(struct vllm_parse *parse, const struct option_argv_word *flag);

/* The value of such a flag, as far as it can be told: faults are not. New reference; NULL: it cannot. */
json_t *vllm_command_value(const struct vllm_parse *parse, const struct option_row *arg,
			   const struct option_argv_word *flag);

/* A fault that a line of `bench` has found in a flag's value, at the value's own word. */
void vllm_tell_bench_value(struct vllm_parse *parse, const struct vllm_bench_line *line,
			   const struct option_argv_word *flag);
/* Reads the words of the load. */
void vllm_command_load(struct vllm_parse *parse);
/* Takes a load and a server for one experiment: the load's address goes, or is a problem. */
void vllm_command_join(struct vllm_parse *parse);

/* Faults that a word of either has (option/argv.h). */
void vllm_tell_ambiguous(struct vllm_parse *parse, const struct option_argv_word *word);
void vllm_tell_joined(struct vllm_parse *parse, const struct option_argv_word *word);
void vllm_tell_no_value(struct vllm_parse *parse, const struct option_argv_word *word);
void vllm_tell_dotted(struct vllm_parse *parse, const struct option_argv_word *word);
/* A long flag whose dashes a text processor has joined into one: "–x". */
bool vllm_has_wide_dash(const char *text);

/* A problem at a word; where `what` has no key or found, those are the word's own. */
void vllm_parse_tell(struct vllm_parse *parse, const struct option_argv_word *at,
		     const struct option_problem *what);
/* The same. found NULL: the word's text. */
void vllm_parse_add(struct vllm_parse *parse, enum option_severity severity,
		    const struct option_argv_word *at, const char *found, const char *expected,
		    const char *nearest);
/* An error at a word, with what replaced it (vllm/replaced.h; NULL: nothing is known to). */
void vllm_parse_add_replaced(struct vllm_parse *parse, const struct option_argv_word *at,
			     const char *found, const char *expected, const json_t *replaced_by);
/* The flag as it was written, without "=value". The caller's (free()). */
char *vllm_word_key(const struct option_argv_word *word);
