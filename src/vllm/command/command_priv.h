/*
 * Processing of a server's words: form (which command, where its arguments begin) -> arguments
 * (inserts --config, converts -O, then option/argv.h: which argument each flag means, which words
 * are its values) -> value (typed and validated). For a load's words: form -> load (option/argv.h
 * and vllm/bench/) -> address (is it for the server of the same text?).
 */
#pragma once

#include "option/argv.h"
#include "option/problem.h"
#include "vllm/bench/kinds.h"
#include "vllm/bench/line.h"
#include "vllm/catalog.h"
#include "vllm/command/line.h"
#include "vllm/version.h"

/* A command found in the text. Numbers are indexes of words, from 0. */
struct vllm_part {
	bool found;
	size_t begin; /* includes preceding assignments and programs */
	size_t first; /* first argument */
	size_t end;   /* after the last one */
	size_t outer; /* number of the command in the text itself: that of "bash -c" */
};

struct vllm_parse {
	const struct vllm_catalog *catalog; /* the target's */
	struct vllm_command *command;
	struct option_problems *problems;
	const char *folder;
	struct vllm_version target;
	const char *target_text;
	bool target_known;
	bool allow_removed;
	bool program_flags;
	struct option_argv argv;
	bool has_positional; /* the model is positional; --model counts only without it */
	struct vllm_part server;
	struct vllm_part load;
	enum vllm_bench_program load_program;
	/* the offline benchmark to which the server's words belong; NULL: none */
	const struct vllm_bench_kind *kind;
	struct vllm_bench_line line;      /* the benchmark's own options */
	const struct vllm_inside *inside; /* a container of a manifest; NULL: a text or words */
	size_t split;                     /* number of the first problem found while splitting */
	/* number (from 1) of the word that starts the server on another host; 0: none */
	size_t remote;
	/* number (from 1) of the word that names a benchmark which this version lacks */
	size_t later;
};

/*
 * Fills form, launch, env, image and the two parts. Returns false, with a problem, if there is
 * neither.
 */
bool vllm_command_recognise(struct vllm_parse *parse);
/*
 * Parses `docker run …` from the word at `at`, the runtime. Returns false if nothing follows the
 * image.
 */
bool vllm_command_container(struct vllm_parse *parse, size_t at, size_t end, size_t *ret_image);
/*
 * Returns the release in an image's tag or file name, "0.14.1". The caller frees it with free();
 * NULL: none.
 */
char *vllm_image_release(const char *image);

/* Adds the negative flag that an older release had for a switch and the target's row lacks. */
void vllm_command_older_negative(struct vllm_parse *parse, const struct option_row *arg);
/*
 * Gives a flag that now takes a value the value that it meant as a switch. Call it after the words
 * were read.
 */
void vllm_command_older_switches(struct vllm_parse *parse);
/*
 * Replaces options of older releases of an offline benchmark with the current ones. Call it before
 * the words are read.
 */
void vllm_command_older_options(struct vllm_parse *parse);
/* Returns whether the word can be the value of a boolean argument. */
bool vllm_command_is_truth(const char *text);
/*
 * Returns what the target accepts instead of an unknown "--no-x" of an argument that it has, or
 * NULL. The caller frees it.
 */
char *vllm_command_negative_expected(const struct vllm_parse *parse, const char *text);

/* Reads the words of the server. */
void vllm_command_arguments(struct vllm_parse *parse);
/* Reads the values of a flag and adds them to the command's values. */
void vllm_command_take(struct vllm_parse *parse, const struct option_row *arg,
		       const struct option_argv_word *flag);

/*
 * Returns whether the word comes from an expansion whose value the text does not define.
 * `optional`: only if it is nothing else, so that a shell may drop the word.
 */
bool vllm_word_is_unknown(const struct vllm_parse *parse, const struct option_argv_word *word,
			  bool optional);
/* Returns whether a flag of `argv` (the server's arguments, or those of a load) has such a value. */
bool vllm_value_is_unknown(const struct vllm_parse *parse, const struct option_argv *argv,
			   const struct option_argv_word *flag);
/* Warns that a flag with such a value is ignored. */
void vllm_report_unknown_value(struct vllm_parse *parse, const struct option_argv_word *flag);

/* Returns the value of such a flag without reporting its errors. New reference; NULL: unknown. */
json_t *vllm_command_value(const struct vllm_parse *parse, const struct option_row *arg,
			   const struct option_argv_word *flag);

/*
 * Reports an error that parsing a `bench` line found in a flag's value, at the location of the
 * value.
 */
void vllm_report_bench_value(struct vllm_parse *parse, const struct vllm_bench_line *line,
			     const struct option_argv_word *flag);
/* Reads the words of the load. */
void vllm_command_load(struct vllm_parse *parse);
/*
 * Combines a load and a server into one experiment: drops the load's address, or reports it as a
 * problem.
 */
void vllm_command_join(struct vllm_parse *parse);

/* Report an error of a word of either command (option/argv.h). */
void vllm_report_ambiguous(struct vllm_parse *parse, const struct option_argv_word *word);
void vllm_report_joined(struct vllm_parse *parse, const struct option_argv_word *word);
void vllm_report_no_value(struct vllm_parse *parse, const struct option_argv_word *word);
void vllm_report_dotted(struct vllm_parse *parse, const struct option_argv_word *word);
/* Returns whether a text processor joined the dashes of a long flag into one: "–x". */
bool vllm_has_wide_dash(const char *text);

/* Reports a problem at a word; if `what` lacks key or found, those of the word are used. */
void vllm_parse_report(struct vllm_parse *parse, const struct option_argv_word *at,
		       const struct option_problem *what);
/* The same. found NULL: the word's text. */
void vllm_parse_add(struct vllm_parse *parse, enum option_severity severity,
		    const struct option_argv_word *at, const char *found, const char *expected,
		    const char *nearest);
/* Reports an error at a word, with its replacement (vllm/replaced.h; NULL: unknown). */
void vllm_parse_add_replaced(struct vllm_parse *parse, const struct option_argv_word *at,
			     const char *found, const char *expected, const json_t *replaced_by);
/* Returns the flag as written, without "=value". The caller frees it with free(). */
char *vllm_word_key(const struct option_argv_word *word);
