/*
 * A pasted command line that starts vLLM's server or sends load to one, or one of each, read as
 * vLLM's own parser reads it (docs/reference/command-lines.md).
 *
 * - Forms of a server: "vllm serve MODEL …", "python -m vllm.entrypoints.openai.api_server …",
 *   "docker run … IMAGE …" (podman, nerdctl), "bash -c '…'", or flags alone; with assignments and
 *   programs such as nohup or numactl in front, and among other commands of the same text.
 * - An offline benchmark, "vllm bench latency …" and the like, is a server's arguments and a load in
 *   one: its engine's are `values`, its own are `load`, with the benchmark's name as `kind`.
 * - Forms of a load: "vllm bench serve …", "python benchmark_serving.py …", "profllm bench serve …".
 *   A load beside a server must be for that server: address.c.
 * - Every fault is a problem. In those of the command's own words `source` is the command's,
 *   `line` the number of the word (from 1) and `column` its column in its line of the text; those
 *   of a --config file have that file's name, line and column.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "vllm/shell/words.h"

#include <stdbool.h>
#include <stddef.h>

struct option_problem;
struct option_problems;
struct vllm_catalog;

enum vllm_command_form {
	VLLM_COMMAND_FLAGS, /* flags alone: the program is taken to be "vllm serve" */
	VLLM_COMMAND_SERVE,
	VLLM_COMMAND_MODULE,
	VLLM_COMMAND_CONTAINER,
	VLLM_COMMAND_NONE, /* no server: a load alone, or nothing that is known */
};

struct vllm_command_options {
	const struct vllm_catalog *catalog; /* of the reference; NULL: that without overlays */
	const char *source;                 /* name in messages; NULL: "command line" */
	const char *release; /* the target release; NULL: the image's tag, else the reference */
	bool allow_gone;     /* arguments that the release no longer has are taken */
	const char *folder;  /* that --config FILE is relative to; NULL: the current one */
	bool own_flags;      /* flags of an offline benchmark of ours are kept, and not told */
};

struct vllm_command {
	const struct vllm_catalog *catalog; /* the target's */
	char *source;
	struct vllm_words words;
	enum vllm_command_form form; /* of the server */
	json_t *values;       /* object: argument -> typed value, as an experiment's `server` */
	json_t *given;        /* object: JSON arguments as they were written, for those in values */
	json_t *places;       /* object: argument -> number of its word (from 1),
			       * [line, column] in the --config file */
	json_t *env;          /* object: variable -> text; null: taken from the caller's. Of a load
			       * beside a server its API key alone */
	json_t *launch;       /* array: words that start the server, [vllm, serve] */
	json_t *unknown;      /* array: words of arguments that the table does not have */
	char *runtime;        /* "docker", or NULL */
	char *image;          /* NULL: none */
	json_t *runtime_args; /* array: the runtime's own options, without the environment */
	char *version;        /* release in the image's tag, or NULL */
	char *target;         /* release that the arguments were read for; NULL: not known */
	char *config;         /* the --config file as it was named, or NULL */
	json_t *load;         /* object: option of `bench serve` -> typed value, as an experiment's
			       * `benchmark`; NULL: no load */
	json_t *load_places;  /* object: option -> number of its word (from 1) */
	json_t *flags;        /* object: flag of `profllm bench` itself -> its text or true; of an
			       * offline benchmark alone, and with own_flags */
	json_t *load_env;     /* object: variables of the load that a file has no place for */
};

/*
 * *ret is given whatever the problems are; what they refuse is not among its values. -1: the text
 * is none (too long, a NUL byte).
 */
int vllm_command_parse(const char *text, size_t len, const struct vllm_command_options *options,
		       struct vllm_command **ret, struct option_problems *problems,
		       struct pl_err *err) PL_MUST_CHECK;
/* The same of words that a shell has split; the column counts in the words joined by blanks. A
 * single word with blanks in it is taken for a whole text. */
int vllm_command_from_argv(const char *const *argv, size_t count,
			   const struct vllm_command_options *options, struct vllm_command **ret,
			   struct option_problems *problems, struct pl_err *err) PL_MUST_CHECK;
/* A container of a manifest, whose words are those of its command and its arguments. */
struct vllm_inside {
	const char *image;   /* NULL: not known */
	const char *runtime; /* "kubernetes", "compose" */
	const json_t *env;   /* object: variable -> text, null where its value is not in the file */
	bool starts_server; /* the image's own program is the server, and the words its arguments */
};
/* Reads words that a manifest has split. Those that it leaves to others are warned of. */
int vllm_command_from_words(const struct vllm_words *words, const struct vllm_inside *inside,
			    const struct vllm_command_options *options, struct vllm_command **ret,
			    struct option_problems *problems, struct pl_err *err) PL_MUST_CHECK;
void vllm_command_free(struct vllm_command *command);
PL_AUTO_DEFINE(struct vllm_command, vllm_command_free);
#define auto_command PL_AUTO(vllm_command_free)

/* The number of the word that the problem is about; 0: it is not about one. */
size_t vllm_command_word(const struct vllm_command *command, const struct option_problem *problem);
/* As option_problem_to_json(), with "word" and "col" (null: none) and "line" of the text. */
json_t *vllm_command_problem_to_json(const struct vllm_command *command,
				     const struct option_problem *problem);
/*
 * "SOURCE:LINE:COL: KEY: found …" and, where it is about a word, the words around it with a caret
 * under it, each line ending in a newline. Secrets are shown as ***.
 */
void vllm_command_problem_text(const struct vllm_command *command,
			       const struct option_problem *problem, struct pl_buf *buf);

/*
 * Puts what the target (the reference where it is not known) no longer has into the target's own
 * form (vllm/renew.h), with a warning for each change; what the target lacks still is an error where
 * it is known, a warning elsewhere. For a command that was read with allow_gone.
 */
void vllm_command_renew(struct vllm_command *command, struct option_problems *problems);

struct vllm_command_style {
	const struct vllm_catalog *catalog; /* NULL: the reference's */
	const json_t *launch;               /* NULL: [vllm, serve]; of a load, below */
	const json_t *env; /* object name -> text; NULL: none. null values are left out */
	bool flag_a_line;  /* one flag a line, with backslashes */
	bool secrets;      /* show them; else *** */
};
/* Values as a command line for a shell, with a newline at the end. */
int vllm_command_write(const json_t *values, const struct vllm_command_style *style,
		       struct pl_buf *buf, struct pl_err *err) PL_MUST_CHECK;
/* A benchmark with the words of its options (vllm/bench/write.h); `launch` NULL: vllm bench serve. */
int vllm_command_write_load(const json_t *words, const struct vllm_command_style *style,
			    struct pl_buf *buf, struct pl_err *err) PL_MUST_CHECK;
