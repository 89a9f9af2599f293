/*
 * One row of an option of any kind: a server argument, a key inside of a JSON argument, a load
 * option, a key of the experiment file. It has the option's name, the allowed values (read by
 * option/value.h) and its form on a command line.
 *
 * - Rows are lists of src/tbl/, constant and shared by all threads; only an overlay creates others.
 * - Members that a row omits are 0: false, NULL, OPTION_ANY, OPTION_STYLE_VALUE.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
	OPTION_ANY, /* any JSON value */
	OPTION_BOOL,
	OPTION_TRI, /* a bool that may be unset, stored as int: -1, 0, 1 */
	OPTION_INT,
	OPTION_HUMAN_INT, /* also 32k, 1.5m, 4K */
	OPTION_FLOAT,
	OPTION_STRING,
	OPTION_ENUM,
	OPTION_JSON,     /* a mapping, or a text with a JSON object */
	OPTION_LIST,     /* one item without brackets is a list of one */
	OPTION_DURATION, /* "30s"; ns */
};

/* Types of rows that also define the items of a list. */
#define OPTION_LIST_INT    OPTION_LIST, .items = OPTION_INT
#define OPTION_LIST_FLOAT  OPTION_LIST, .items = OPTION_FLOAT
#define OPTION_LIST_STRING OPTION_LIST, .items = OPTION_STRING
#define OPTION_LIST_ENUM   OPTION_LIST, .items = OPTION_ENUM

/* Its form on a command line. */
enum option_style {
	OPTION_STYLE_VALUE,          /* --x v */
	OPTION_STYLE_TOGGLE,         /* --x, --no-x */
	OPTION_STYLE_FLAG,           /* --x */
	OPTION_STYLE_LIST,           /* --x a b, at least one */
	OPTION_STYLE_OPTIONAL_VALUE, /* --x [v] */
	OPTION_STYLE_REPEAT,         /* --x a --x b */
	OPTION_STYLE_WORDS,          /* --x a b, at least `words_least` */
};

/* Comparison with vLLM's option of the same name. */
enum option_verdict { OPTION_EQUAL, OPTION_MORE, OPTION_DIFFERENT, OPTION_NOT_YET };

/* A value and a remark on it; lists end with a NULL value. */
struct option_note {
	const char *value;
	enum option_verdict verdict;
	const char *remark;
};

struct option_hint {
	const char *value; /* of older releases */
	const char *hint;  /* its current name */
};

/* An int64_t member without a value (a duration too). A double is NaN; text, list, object NULL. */
#define OPTION_NO_I64 INT64_MIN

struct option_row {
	const char *name; /* "tensor_parallel_size"; for a key "mode", "pass_config.fuse_norm" */
	enum option_type type;
	enum option_type items; /* of a LIST; ANY: unknown */
	double min;             /* -INFINITY: none; durations in ns */
	double max;
	const char *exclusive;    /* bounds that are excluded: "min", "max", "both"; NULL: none */
	const char *choices;      /* JSON array text, or NULL */
	const char *default_json; /* JSON text; NULL: unknown, or computed */
	const char *help;

	bool nullable;
	bool choices_open; /* other values may be valid: option_row_is_open() */
	/* a check has the complete list: the reader does not report other values */
	bool choices_ruled;
	bool any_case;              /* choices are compared without case, '-' as '_' */
	bool lenient;               /* texts and numbers are converted if the meaning is clear */
	bool number_text;           /* STRING: numbers and booleans are accepted as written */
	bool infinite;              /* FLOAT: inf is valid, returned as "inf" */
	bool secret;                /* never shown, logged or put on a command line */
	const char *special_values; /* JSON array: valid in addition to choices and bounds */
	const char *also_accepts;   /* additional types: "bool", "int", "json", "string" */
	const char *item_accepts;   /* the same for the items of a LIST */

	/* on a command line */
	enum option_style style;
	const char *flag;             /* "--tensor-parallel-size" */
	const char *aliases;          /* separated by blanks */
	const char *own_aliases;      /* those that the reference lacks: accepted only whole */
	const char *negative_flag;    /* "--no-x" */
	const char *negative_aliases; /* additional spellings of false, separated by blanks */
	const char *const_json;       /* value of an OPTIONAL_VALUE flag without a value */
	bool no_null_on_cli;          /* unset is null, but the word None is invalid */
	int words_least;              /* for style WORDS */
	bool commas;                  /* LIST: its single word is a list with commas */
	bool literal;                 /* JSON: written in Python's syntax: {(256, 256, 1): 0.5} */
	const char *variable;         /* a secret reaches the server by this environment variable */
	/* JSON: the command's default if an experiment file has none */
	const char *serve_default;
	const char *default_env; /* the variable that overrides the default */

	/* in an experiment file */
	size_t offset; /* of the member with the value: option/member.h */
	bool expand;   /* ${VAR} is expanded */
	bool texts;    /* JSON: a mapping with text values */
	bool joined;   /* a list is converted to one text with commas */
	/* LIST: a mapping is converted to texts with this separator; '\0': none */
	char pairs;
	bool later;               /* it is valid, but `run` in this version rejects it */
	const char *instead;      /* the alternative until then; NULL: vLLM's client supports it */
	const char *file_choices; /* JSON array: accepted in addition to `choices` */

	/* availability */
	const char *group;
	const char *after; /* the option that precedes it in lists; NULL: the rows' order */
	bool ours;         /* not an option of vLLM */
	bool gone;         /* the reference release no longer has it */
	bool offline;      /* only in vLLM's offline benchmarks */
	bool absent;       /* the target release lacks it */
	bool deprecated;
	const char *since; /* first release with it; NULL: unknown */
	const char
		*removed_in; /* first release without it; NULL: the reference has it, or unknown */
	const char *replaced_by;   /* argument or "argument.key" */
	const char *older_choices; /* JSON array: only accepted by older releases */
	const char *const
		/* further values accepted by other releases, each such a list; ended by NULL */
		*release_choices;
	const char *choices_origin; /* "flag" (the parser's list), "help", "source" */
	const char *help_choices;   /* JSON array: the values in the help, if not `choices` */
	const char *choices_note;   /* "not checked …": the list is open */
	const char *reference_group;
	/* an address, a file name, a logging or display setting: not an input of a measurement */
	bool aside;
	/* its field has no column in a database: a table has room for 1,000; earlier results have no such option */
	bool columnless;
	const char *note;
	enum option_verdict verdict;
	const char *remark;
	const struct option_note *value_notes;
	const struct option_hint *older_values;

	/* the keys of a JSON object are also rows */
	const char *of;                  /* for a key: the argument whose object contains it */
	bool required;                   /* for a key: it is required */
	const struct option_row *fields; /* keys of this argument and of others: see below */
	size_t field_count;
};

const char *option_type_name(enum option_type type); /* "int_or_human", "list" */
/* Includes a list's items: "list<int>". */
const char *option_type_words(const struct option_row *row);
/* Parses it into type and items; -1: no such type. */
int option_type_read(const char *words, struct option_row *row);
const char *option_style_name(enum option_style style); /* "optional_value" */
int option_style_find(const char *name, enum option_style *ret);

/* Returns whether a value outside of `choices` may be valid. */
bool option_row_is_open(const struct option_row *row);
/* Returns whether its list must not be empty. */
bool option_row_needs_item(const struct option_row *row);
/* Appends "an integer of at least 1, or null". */
void option_row_describe(const struct option_row *row, struct pl_buf *buf);

/*
 * Returns a key's name within an object, which is a part of an argument or the whole: "mode",
 * "pass_config.fuse_norm"; NULL: not in it.
 */
const char *option_field_in(const struct option_row *object, const struct option_row *field);
/*
 * Returns the next key in an object and its nested objects, without absent ones; NULL: no more.
 * `previous` NULL: the first.
 */
const struct option_row *option_field_next(const struct option_row *object,
					   const struct option_row *previous);
/*
 * Finds a key by its name in the object, including absent ones; NULL: no such key, or the object's
 * keys are unknown.
 */
const struct option_row *option_field_find(const struct option_row *object, const char *name);

/* Returns `choices` and `file_choices` in one list. New reference; NULL: any value is valid. */
json_t *option_row_choices(const struct option_row *row);
/*
 * Returns the default as a text: "1000", "6h", "inf". The caller frees it with free(); NULL: none.
 */
char *option_row_default_text(const struct option_row *row);
/* Returns a bound as a text: "1ms", "1e-9". The caller frees it with free(). */
char *option_row_bound_text(const struct option_row *row, double bound);

/*
 * Returns "600s", "100ms", "1us": in the largest unit that is exact. New reference; null for
 * OPTION_NO_I64.
 */
json_t *option_duration_to_json(int64_t ns);
