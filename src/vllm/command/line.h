/*
 * A pasted command line that starts vLLM's server, sends load to one, or one of each, parsed like
 * vLLM's parser (docs/reference/command-lines.md).
 *
 * - Forms of a server: "vllm serve MODEL …", "python -m vllm.entrypoints.openai.api_server …",
 *   "docker run … IMAGE …" (podman, nerdctl), "bash -c '…'", or flags alone; preceded by
 *   assignments and programs such as nohup or numactl, and among other commands of the same text.
 * - An offline benchmark, such as "vllm bench latency …", is a server's arguments and a load in
 *   one: the engine's are `values`, its own are `load`, with the benchmark's name as `kind`.
 * - Forms of a load: "vllm bench serve …", "python benchmark_serving.py …", "profllm bench serve
 *   …". A load in the same text as a server must be for that server: address.c.
 * - Every error is a problem. For the command's words, its `source` is the command's, `line` is the
 *   number of the word (from 1) and `column` its column in its line of the text; for those of a
 *   --config file they are that file's name, line and column.
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
	VLLM_COMMAND_FLAGS, /* flags alone: "vllm serve" is assumed */
	VLLM_COMMAND_SERVE,
	VLLM_COMMAND_MODULE,
	VLLM_COMMAND_CONTAINER,
	VLLM_COMMAND_NONE, /* no server: only a load, or nothing known */
};

struct vllm_command_options {
	const struct vllm_catalog *catalog; /* of the reference; NULL: the one without overlays */
	const char *source;                 /* name for errors; NULL: "command line" */
	/* the target release; NULL: that of the image's tag, otherwise the reference */
	const char *release;
	bool allow_removed; /* accept arguments that the release has removed */
	const char *folder; /* base of --config FILE; NULL: the current directory */
	/* store flags of our command in an offline benchmark instead of reporting them */
	bool program_flags;
};

struct vllm_command {
	const struct vllm_catalog *catalog; /* the target's */
	char *source;
	struct vllm_words words;
	enum vllm_command_form form; /* of the server */
	json_t *values; /* object: argument -> typed value, as `server` in an experiment */
	json_t *given;  /* object: JSON arguments as written, for those in values */
	/*
	 * object: argument -> number of its word (from 1), or [line, column] in the --config file
	 */
	json_t *locations;
	/*
	 * object: variable -> text; null: inherited from the caller. For a load next to a server
	 * only its API key
	 */
	json_t *env;
	json_t *launch;       /* array: words that start the server, [vllm, serve] */
	json_t *unknown;      /* array: words of arguments that the table lacks */
	char *runtime;        /* "docker", or NULL */
	char *image;          /* NULL: none */
	json_t *runtime_args; /* array: options of the runtime, without the environment */
	char *version;        /* release in the image's tag, or NULL */
	char *target;         /* release for which the arguments were read; NULL: unknown */
	char *config;         /* the --config file as named, or NULL */
	/*
	 * object: option of `bench serve` -> typed value, as `benchmark` in an experiment; NULL: no
	 * load
	 */
	json_t *load;
	json_t *load_locations; /* object: option -> number of its word (from 1) */
	/*
	 * object: flag of `profllm bench` itself -> its text or true; only for an offline benchmark
	 * with program_flags
	 */
	json_t *flags;
	/* object: variables of the load that an experiment file cannot express */
	json_t *load_env;
};

/*
 * Sets *ret in spite of problems; its values exclude rejected ones. Returns -1 if the text is
 * invalid (too long, a NUL byte).
 */
int vllm_command_parse(const char *text, size_t len, const struct vllm_command_options *options,
		       struct vllm_command **ret, struct option_problems *problems,
		       struct pl_err *err) PL_MUST_CHECK;
/*
 * The same for words that a shell has split; the column counts in the words joined by blanks. A
 * single word with blanks is parsed as a text.
 */
int vllm_command_from_argv(const char *const *argv, size_t count,
			   const struct vllm_command_options *options, struct vllm_command **ret,
			   struct option_problems *problems, struct pl_err *err) PL_MUST_CHECK;
/* A container of a manifest, whose words are its command and arguments. */
struct vllm_inside {
	const char *image;   /* NULL: unknown */
	const char *runtime; /* "kubernetes", "compose" */
	const json_t *env;   /* object: variable -> text, null if its value is not in the file */
	bool starts_server;  /* the image starts the server, and the words are its arguments */
};
/* Reads words that a manifest has split. Warns about words that it does not handle. */
int vllm_command_from_words(const struct vllm_words *words, const struct vllm_inside *inside,
			    const struct vllm_command_options *options, struct vllm_command **ret,
			    struct option_problems *problems, struct pl_err *err) PL_MUST_CHECK;
void vllm_command_free(struct vllm_command *command);
PL_AUTO_DEFINE(struct vllm_command, vllm_command_free);
#define auto_command PL_AUTO(vllm_command_free)

/* Returns the number of the word that the problem is about; 0: none. */
size_t vllm_command_word(const struct vllm_command *command, const struct option_problem *problem);
/* Like option_problem_to_json(), with "word" and "col" (null: none) and "line" of the text. */
json_t *vllm_command_problem_to_json(const struct vllm_command *command,
				     const struct option_problem *problem);
/*
 * Appends "SOURCE:LINE:COL: KEY: found …" and, if it is about a word, the surrounding words with a
 * caret below it, each line ending in a newline. Secrets are shown as ***.
 */
void vllm_command_problem_text(const struct vllm_command *command,
			       const struct option_problem *problem, struct pl_buf *buf);

/*
 * Converts arguments that the target (the reference if it is unknown) has removed to its own form
 * (vllm/renew.h), with a warning per change. Arguments that the target does not have yet are an
 * error if it is known, otherwise a warning. For a command that was read with allow_removed.
 */
void vllm_command_renew(struct vllm_command *command, struct option_problems *problems);

struct vllm_command_style {
	const struct vllm_catalog *catalog; /* NULL: the reference's */
	const json_t *launch;               /* NULL: [vllm, serve]; for a load see below */
	const json_t *env; /* object name -> text; NULL: none. null values are omitted */
	bool flag_a_line;  /* one flag per line, with backslashes */
	bool secrets;      /* show secrets; otherwise *** */
};
/* Writes values as a shell command line that ends with a newline. */
int vllm_command_write(const json_t *values, const struct vllm_command_style *style,
		       struct pl_buf *buf, struct pl_err *err) PL_MUST_CHECK;
/*
 * Writes a benchmark with the words of its options (vllm/bench/write.h); `launch` NULL: vllm bench
 * serve.
 */
int vllm_command_write_load(const json_t *words, const struct vllm_command_style *style,
			    struct pl_buf *buf, struct pl_err *err) PL_MUST_CHECK;
