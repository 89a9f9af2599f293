/*
 * vLLM's server arguments: the rows of tbl/engine_args.h and a set of values for them.
 */
#ifndef MODEL_SERVER_ARGS_H
#define MODEL_SERVER_ARGS_H

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

/* The vLLM release that defaults, choices and `in_reference` are read from. */
#define MD_REFERENCE_RELEASE "0.32.0"

enum md_arg_type {
	MD_ARG_BOOL,
	MD_ARG_INT,
	MD_ARG_FLOAT,
	MD_ARG_STRING,
	MD_ARG_ENUM,
	MD_ARG_JSON,
	MD_ARG_HUMAN_INT,
	MD_ARG_LIST_INT,
	MD_ARG_LIST_STRING,
	MD_ARG_LIST_ENUM,
};

enum md_arg_style {
	MD_STYLE_VALUE,
	MD_STYLE_TOGGLE,
	MD_STYLE_FLAG,
	MD_STYLE_LIST,
	MD_STYLE_OPTIONAL_VALUE,
	MD_STYLE_REPEAT,
};

struct md_arg {
	const char *name;          /* "tensor_parallel_size" */
	const char *flag;          /* "--tensor-parallel-size" */
	const char *aliases;       /* separated by blanks; NULL: none */
	const char *negative_flag; /* NULL: none */
	const char *group;
	enum md_arg_type type;
	enum md_arg_style style;
	const char *choices; /* JSON array text, or NULL */
	bool choices_open;   /* other values can be valid */
	bool nullable;
	const char
		*default_json; /* JSON text of the reference release's default; NULL: not known */
	double min;            /* -INFINITY: none */
	double max;
	const char *exclusive; /* "min", "max", "both" or NULL */
	bool deprecated;
	bool in_reference;      /* the reference release has it */
	const char *removed_in; /* or NULL */
	const char *help;

	/* what only some rows say; NULL or false elsewhere */
	bool any_case;              /* choices are compared without case, '-' as '_' */
	bool no_null_on_cli;        /* unset is null, but the word None is refused */
	const char *choices_origin; /* "flag" (the parser's list), "help", "source" */
	const char *help_choices;   /* JSON array: what the help names, where it is not `choices` */
	const char *choices_note;   /* "not checked …": the list is open */
	const char *older_choices;  /* JSON array: only older releases take these */
	const char *older_aliases;  /* flags that meant this in older releases */
	const char *older_default;  /* JSON */
	const char *special_values; /* JSON array: valid besides choices and bounds */
	const char *also_accepts;   /* further types: "bool", "int", "json" */
	const char *item_accepts;   /* the same for a list's items */
	const char *const_json;     /* what a bare optional_value flag means */
	const char *replaced_by;    /* argument or "argument.key" */
	const char *since;          /* first release known to have it, in words */
	const char *reference_group;
	const char *note;
};

/*
 * Rows that take the place of the reference release's: see model/overlay.h, which owns them. Once,
 * at start-up, before anything keeps a row; NULL brings the reference release's back.
 */
void md_args_install(const struct md_arg *rows, size_t count);

size_t md_arg_count(void);
const struct md_arg *md_arg_at(size_t i);
/* By name in snake_case or kebab-case, or by a long alias; NULL. */
const struct md_arg *md_arg_find(const char *name);
/* Also knows short aliases ("tp"). NULL: none is near. */
const char *md_arg_nearest(const char *name);
/* The argument whose negative flag is "--no-x", given "no_x" or "no-x"; NULL. */
const struct md_arg *md_arg_find_negative(const char *name);
/* Values of it are never shown, logged or put on a command line. */
bool md_arg_is_secret(const struct md_arg *arg);
/* True where a value outside of `choices` can be right. */
bool md_arg_choices_open(const struct md_arg *arg);
const char *md_arg_type_name(enum md_arg_type type);    /* "list<int>" */
const char *md_arg_style_name(enum md_arg_style style); /* "optional_value" */
/* The names' way back; -1: no such name. */
int md_arg_type_find(const char *name, enum md_arg_type *ret);
int md_arg_style_find(const char *name, enum md_arg_style *ret);

/* The keys inside JSON arguments, rows of tbl/engine_fields.h. */
enum md_field_type {
	MD_FIELD_ANY, /* also of a list whose items are not typed */
	MD_FIELD_BOOL,
	MD_FIELD_INT,
	MD_FIELD_FLOAT,
	MD_FIELD_STRING,
	MD_FIELD_ENUM,
	MD_FIELD_LIST,
	MD_FIELD_JSON,
};

struct md_field {
	const char *arg;  /* "compilation_config" */
	const char *path; /* "mode", "pass_config.fuse_norm_quant" */
	enum md_field_type type;
	enum md_field_type items; /* of a LIST */
	double min;
	double max;
	const char *exclusive;
	bool nullable;
	bool required;
	bool choices_open;
	bool any_case;
	const char *choices;      /* JSON array text, or NULL */
	const char *default_json; /* NULL: not known, or computed */
	const char *also_accepts; /* further types, separated by blanks, or NULL */
};

const char *md_field_type_name(enum md_field_type type);

size_t md_field_count(void);
const struct md_field *md_field_at(size_t i);
/* NULL: the argument has no such key, or its keys are not known. */
const struct md_field *md_field_find(const char *arg, const char *path);

/*
 * `values`: object name -> typed JSON value of what the user set (snake_case names).
 * Appends to argv (array of strings, new copies) as vLLM's parser wants it; `model` becomes the
 * positional word in front; secret arguments (api_key, hf_token) are left out: see *ret_env,
 * an object of environment variables that carry them (new reference).
 */
int md_args_to_argv(const json_t *values, json_t *argv, json_t **ret_env,
		    struct pl_err *err) PL_MUST_CHECK;

/* config.server: every argument with its value (secrets as "***"), default or null; *ret_source:
 * explicit|default|unknown. */
void md_args_effective(const json_t *values, json_t **ret_config, json_t **ret_source);

#endif
