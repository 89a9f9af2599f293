/* The commands of `profllm`: each has a row in tbl/commands.h and a file cmd_NAME.c. */
#pragma once

#include "base/command.h"
#include "base/err.h"
#include "base/json.h"
#include "base/opt.h"
#include "base/program.h"
#include "option/problem.h"
#include "vllm/catalog.h"

struct vllm_version;

extern const struct pl_commands cli_commands;
/* Reports an unknown command, with a similar name or its meaning in a later version; returns the exit status. */
int cli_unknown_command(const char *name);
/* The same for a word after `bench`. */
int cli_unknown_bench(const char *name);
/* Returns the names of future commands that are not among these, separated by commas; free(). */
char *cli_later_names(const struct pl_commands *commands);
/*
 * Reports the meaning of the name in a later version, or that it is unknown, with a similar name; returns the exit
 * status.
 */
int cli_unknown_in(const struct pl_commands *commands, const char *name);

#define COMMAND(name, options, summary)        \
	int cmd_##name(int argc, char **argv); \
	extern const struct pl_opt_command cli_##name##_command;
#define COMMAND_NAMED(name, text, options, summary) COMMAND(name, options, summary)
#include "tbl/commands.h"
/* Completes a command line for the scripts of cmd_completion(). Not listed in the help. */
int cmd_complete(int argc, char **argv);

/* The help of options that several commands have. */
#define CLI_HELP_ALLOW_REMOVED                                                                   \
	"warn, instead of failing, about arguments and values that the target vLLM release has " \
	"removed (the target is launch.vllm_version if set, otherwise the vLLM that is started)"
#define CLI_HELP_PARAMS_OVERLAY                                                                  \
	"also accept the server arguments listed in FILE, for a vLLM release that ProfLLM does " \
	"not know ('profllm params --help' shows how to create FILE)"

/* The functions of base/program.h under the names of this program. */
#define cli_fail       pl_program_fail
#define cli_refuse     pl_program_refuse
#define cli_print      pl_program_print
#define cli_print_json pl_program_print_json
#define cli_print_help pl_program_print_help
/*
 * A file named by the user; `option` is the option that names it. An existing file is only replaced with `overwrite`: a
 * result by a result, another file by another one, and if `head` is set, only a file that begins with it.
 * is_private: no other user may read it, from its first byte on. Returns 0, or the exit status.
 */
struct cli_file {
	const char *path;
	const char *option;
	bool overwrite;
	bool is_result;
	bool is_private;
	const char *head;
};
int cli_write_file(const struct cli_file *file, const struct pl_buf *text);
/* The same; path NULL: prints the text. */
int cli_write_or_print(const struct cli_file *file, const struct pl_buf *text);
/*
 * Writes the file, if it has a path, and prints one JSON object: `path`, `bytes` and, without a path, `text`, after the
 * members of `answer`, whose reference it takes. Returns 0, or the exit status.
 */
int cli_write_json(const struct cli_file *file, const struct pl_buf *text, json_t *answer);
/* --file-mode: sets the mode of the files that the command creates from now on. NULL: the default. */
int cli_file_mode(const char *text, struct pl_err *err) PL_MUST_CHECK;
/* Checks, before there is anything to write, whether that would be refused. Returns 0, or the exit status. */
int cli_check_file(const struct cli_file *file);
/* The same as a warning, for a dry run. */
void cli_warn_file(const struct cli_file *file, struct option_problems *problems);

/*
 * Opens the server arguments, including those of a --params-overlay file; NULL: the file in PROFLLM_PARAMS_OVERLAY, if
 * any. vllm_catalog_free().
 */
int cli_catalog_open(const char *path, const struct vllm_catalog **ret,
		     struct pl_err *err) PL_MUST_CHECK;

/*
 * Parses the vLLM release of an option; the error names the option and the most similar release. A release that is not
 * in the tables is treated as the preceding one, with a warning on standard error. is_checked: the command checks
 * experiments for the release, and that check warns about one newer than the reference.
 */
int cli_release_read(const char *option, const char *text, bool is_checked,
		     struct vllm_version *ret, struct pl_err *err) PL_MUST_CHECK;
