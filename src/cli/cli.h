/*
 * The commands of `profllm`: one row of tbl/commands.h and one file cmd_NAME.c each.
 */
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
/* Says so, with the likely name, or what it will be in a later version; returns the exit status. */
int cli_unknown_command(const char *name);
/* The same of a word behind `bench`. */
int cli_unknown_bench(const char *name);
/* The names of those to come that are not among these, with commas; free(). */
char *cli_later_names(const struct pl_commands *commands);
/* Says what the name will be in a later version, or that it is unknown, with the likely name; the exit status. */
int cli_unknown_in(const struct pl_commands *commands, const char *name);

#define COMMAND(name, options, summary)        \
	int cmd_##name(int argc, char **argv); \
	extern const struct pl_opt_command cli_##name##_command;
#include "tbl/commands.h"
/* What the scripts of cmd_completion() ask; listed nowhere. */
int cmd_complete(int argc, char **argv);

/* What base/program.h has for every program. */
#define cli_fail       pl_program_fail
#define cli_refuse     pl_program_refuse
#define cli_print      pl_program_print
#define cli_print_json pl_program_print_json
#define cli_print_help pl_program_print_help
/* A file that the user named; `option`: by which. What stands there is written over only with
 * `overwrite`. private: nobody else may read it, from its first byte on. 0, or the exit status. */
struct cli_file {
	const char *path;
	const char *option;
	bool overwrite;
	bool is_private;
};
int cli_write_file(const struct cli_file *file, const struct pl_buf *text);
/* --file-mode: the mode of the files that the command makes from now on. NULL: as without it. */
int cli_file_mode(const char *text, struct pl_err *err) PL_MUST_CHECK;
/* Before there is anything to write: would that be refused? 0, or the exit status. */
int cli_check_file(const struct cli_file *file);
/* The same as a warning, for a dry run. */
void cli_warn_file(const struct cli_file *file, struct option_problems *problems);

/* The server arguments that count: with those of a --params-overlay file; NULL: the one that the
 * environment names in PROFLLM_PARAMS_OVERLAY, if any. vllm_catalog_free(). */
int cli_catalog_open(const char *path, const struct vllm_catalog **ret,
		     struct pl_err *err) PL_MUST_CHECK;

/*
 * Reads the release of vLLM that was given to an option; the error names the option and, where one is
 * near, the release that was likely meant. A release that the tables do not have is taken for the one
 * before it, and a warning on standard error says so. is_checked: the command checks experiments for
 * the release, and that check warns of one newer than the reference.
 */
int cli_release_read(const char *option, const char *text, bool is_checked,
		     struct vllm_version *ret, struct pl_err *err) PL_MUST_CHECK;
