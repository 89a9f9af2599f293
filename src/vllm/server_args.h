/*
 * vLLM's server arguments: the rows of tbl/engine_args.h and a set of values for them.
 */
#ifndef VLLM_SERVER_ARGS_H
#define VLLM_SERVER_ARGS_H

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

/* The vLLM release that defaults, choices and `in_reference` are read from. */
#define VLLM_REFERENCE_RELEASE "0.32.0"

enum vllm_arg_type {
	VLLM_ARG_BOOL,
	VLLM_ARG_INT,
	VLLM_ARG_FLOAT,
	VLLM_ARG_STRING,
	VLLM_ARG_ENUM,
	VLLM_ARG_JSON,
	VLLM_ARG_HUMAN_INT,
	VLLM_ARG_LIST_INT,
	VLLM_ARG_LIST_STRING,
	VLLM_ARG_LIST_ENUM,
};

enum vllm_arg_style {
	VLLM_STYLE_VALUE,
	VLLM_STYLE_TOGGLE,
	VLLM_STYLE_FLAG,
	VLLM_STYLE_LIST,
	VLLM_STYLE_OPTIONAL_VALUE,
	VLLM_STYLE_REPEAT,
};

struct vllm_arg {
	const char *name;          /* "tensor_parallel_size" */
	const char *flag;          /* "--tensor-parallel-size" */
	const char *aliases;       /* separated by blanks; NULL: none */
	const char *negative_flag; /* NULL: none */
	const char *group;
	enum vllm_arg_type type;
	enum vllm_arg_style style;
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
 * Rows that take the place of the reference release's: see vllm/overlay.h, which owns them. Once,
 * at start-up, before anything keeps a row; NULL brings the reference release's back.
 */
void vllm_args_install(const struct vllm_arg *rows, size_t count);

size_t vllm_arg_count(void);
const struct vllm_arg *vllm_arg_at(size_t i);
/* By name in snake_case or kebab-case, or by a long alias; NULL. */
const struct vllm_arg *vllm_arg_find(const char *name);
/* Also knows short aliases ("tp"). NULL: none is near. */
const char *vllm_arg_nearest(const char *name);
/* The argument whose negative flag is "--no-x", given "no_x" or "no-x"; NULL. */
const struct vllm_arg *vllm_arg_find_negative(const char *name);
/* Values of it are never shown, logged or put on a command line. */
bool vllm_arg_is_secret(const struct vllm_arg *arg);
/* True where a value outside of `choices` can be right. */
bool vllm_arg_choices_open(const struct vllm_arg *arg);
const char *vllm_arg_type_name(enum vllm_arg_type type);    /* "list<int>" */
const char *vllm_arg_style_name(enum vllm_arg_style style); /* "optional_value" */
/* The names' way back; -1: no such name. */
int vllm_arg_type_find(const char *name, enum vllm_arg_type *ret);
int vllm_arg_style_find(const char *name, enum vllm_arg_style *ret);

/* The keys inside JSON arguments, rows of tbl/engine_fields.h. */
enum vllm_field_type {
	VLLM_FIELD_ANY, /* also of a list whose items are not typed */
	VLLM_FIELD_BOOL,
	VLLM_FIELD_INT,
	VLLM_FIELD_FLOAT,
	VLLM_FIELD_STRING,
	VLLM_FIELD_ENUM,
	VLLM_FIELD_LIST,
	VLLM_FIELD_JSON,
};

struct vllm_field {
	const char *arg;  /* "compilation_config" */
	const char *path; /* "mode", "pass_config.fuse_norm_quant" */
	enum vllm_field_type type;
	enum vllm_field_type items; /* of a LIST */
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

const char *vllm_field_type_name(enum vllm_field_type type);

size_t vllm_field_count(void);
const struct vllm_field *vllm_field_at(size_t i);
/* NULL: the argument has no such key, or its keys are not known. */
const struct vllm_field *vllm_field_find(const char *arg, const char *path);

/*
 * `values`: object name -> typed JSON value of what the user set (snake_case names).
 * Appends to argv (array of strings, new copies) as vLLM's parser wants it; `model` becomes the
 * positional word in front; secret arguments (api_key, hf_token) are left out: see *ret_env,
 * an object of environment variables that carry them (new reference).
 */
int vllm_args_to_argv(const json_t *values, json_t *argv, json_t **ret_env,
		      struct pl_err *err) PL_MUST_CHECK;

/* config.server: every argument with its value (secrets as "***"), default or null; *ret_source:
 * explicit|default|unknown. */
void vllm_args_effective(const json_t *values, json_t **ret_config, json_t **ret_source);

#endif
