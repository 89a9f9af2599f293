/*
 * Command-line options from rows: the parser, --help and shell completion are made from them.
 *
 * - Both --a-b and --a_b, --name=value and --name value; `--no-name` for PL_OPT_FLAG rows with
 *   negatable set; unambiguous prefixes; `--` ends options.
 * - An unknown option is an error that names the nearest one.
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
	PL_OPT_LIST,     /* struct pl_opt_list: may be given many times */
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
	bool optional; /* PL_OPT_DURATION: alone, or before what is no duration, it is INT64_MAX */
	const char *def;   /* shown in the help as the default; NULL: none */
	const char *group; /* title above this row and those that follow; NULL: goes on */
	bool later;        /* hidden; only named at the end of the help as not in this version */
};

/* A row in one line or two, where AT(field) is the place of a field in the options' struct: kind as
 * FLAG or TEXT, letter or 0, arg or NULL; further members behind the help, by name. */
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
	/* what a shell completes besides options */
	const char *const *words; /* the first operand, NULL-ended; NULL: any */
	const char *operand; /* what the (other) operands are, as `arg` of an option; NULL: none */
	bool takes_command;  /* a server's command line may stand behind "--" */
	/* words that are commands with options and a page of their own, ended by one with name NULL;
	 * NULL: none */
	const struct pl_opt_command *parts;
};

/*
 * Parses argv[1..] into `into`. *ret_rest gets the positional words (a slice moved to the front of
 * argv, borrowed), *ret_help is set when --help or -h was met (parsing stops there).
 */
int pl_opt_parse(const struct pl_opt_command *command, int argc, char **argv, void *into,
		 char ***ret_rest, int *ret_rest_count, bool *ret_help,
		 struct pl_err *err) PL_MUST_CHECK;
/* The help text, 80 columns. */
void pl_opt_help(const struct pl_opt_command *command, struct pl_buf *buf);
/* What stands behind a row's help text: " (one, two; default one)", or nothing. */
void pl_opt_help_behind(const struct pl_opt *option, struct pl_buf *buf);
void pl_opt_list_done(struct pl_opt_list *list);
