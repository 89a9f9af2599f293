/*
 * Command-line options from rows, which also produce --help and shell completion.
 *
 * - Accepts --a-b and --a_b, --name=value and --name value, `--no-name` for PL_OPT_FLAG rows with
 *   negatable set, and unambiguous prefixes; `--` ends the options.
 * - An unknown option is an error that names the most similar one.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

enum pl_opt_type {
	PL_OPT_FLAG,     /* bool */
	PL_OPT_TEXT,     /* const char *, borrowed from argv */
	PL_OPT_INT,      /* int64_t */
	PL_OPT_F64,      /* double */
	PL_OPT_DURATION, /* int64_t ns */
	PL_OPT_LIST,     /* struct pl_opt_list: may be repeated */
};

struct pl_opt_list {
	const char **items; /* borrowed texts; the array is freed by pl_opt_list_done() */
	size_t count;
	size_t room;
};

struct pl_opt {
	const char *name; /* "output", without dashes */
	char letter;      /* 'o' or 0 */
	enum pl_opt_type type;
	size_t offset;              /* into the command's options struct */
	const char *arg;            /* "FILE"; NULL for flags */
	const char *help;           /* one line */
	const char *const *choices; /* NULL-ended, or NULL */
	bool negatable;
	bool hidden;
	bool optional;   /* PL_OPT_DURATION: without a duration, the value is INT64_MAX */
	const char *def; /* shown in the help as the default; NULL: none */
	/* heading above this row and the following ones; NULL: the same group continues */
	const char *group;
	/* hidden; listed only at the end of the help as not available in this version */
	bool later;
};

/*
 * A row in one or two lines. AT(field) must be the offset of a field in the options struct, kind is
 * FLAG or TEXT and so on, letter may be 0 and arg NULL. Further members follow the help as
 * designated initializers.
 */
#define PL_OPT(kind, letter_, name_, field, arg_, help_, ...)                                 \
	{                                                                                     \
		.name = name_, .letter = letter_, .type = PL_OPT_##kind, .offset = AT(field), \
		.arg = arg_, .help = help_, __VA_ARGS__                                       \
	}

struct pl_opt_command {
	const char *name;             /* "profllm run" */
	const char *usage;            /* "--config FILE --output FILE [options]" */
	const char *summary;          /* one line */
	const char *details;          /* paragraphs and examples, or NULL */
	const struct pl_opt *options; /* ended by a row with name NULL */
	/* operands, for shell completion */
	const char *const *words; /* the first operand, NULL-ended; NULL: any */
	/* placeholder of the (other) operands, as `arg` of an option; NULL: none */
	const char *operand;
	bool takes_command; /* accepts a server's command line after "--" */
	/*
	 * words that are commands with their own options and page, ended by a row with name NULL;
	 * NULL: none
	 */
	const struct pl_opt_command *parts;
};

/*
 * Parses argv[1..] into `into`. *ret_rest gets the operands (borrowed; argv is reordered so that
 * they come first). Sets *ret_help and stops at --help or -h.
 */
int pl_opt_parse(const struct pl_opt_command *command, int argc, char **argv, void *into,
		 char ***ret_rest, int *ret_rest_count, bool *ret_help,
		 struct pl_err *err) PL_MUST_CHECK;
/* Appends the help text, 80 columns wide. */
void pl_opt_help(const struct pl_opt_command *command, struct pl_buf *buf);
/* Appends the suffix of a row's help text: " (one, two; default one)", or nothing. */
void pl_opt_help_after(const struct pl_opt *option, struct pl_buf *buf);
void pl_opt_list_done(struct pl_opt_list *list);
