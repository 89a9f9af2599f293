/*
 * One row of an option, whoever it belongs to: a server argument, a key inside of a JSON argument,
 * an option of the load, a key of the experiment file. What it is called, what its value may be
 * (option/value.h reads by that) and how it is written on a command line.
 *
 * - Rows are lists of src/tbl/, constant and shared by all threads; only an overlay makes others.
 * - Members that a row does not say are 0: false, NULL, OPTION_ANY, OPTION_STYLE_VALUE.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
	OPTION_ANY, /* as long as JSON can say it */
	OPTION_BOOL,
	OPTION_TRI, /* a bool that may be unset, kept as int: -1, 0, 1 */
	OPTION_INT,
	OPTION_HUMAN_INT, /* also 32k, 1.5m, 4K */
	OPTION_FLOAT,
	OPTION_STRING,
	OPTION_ENUM,
	OPTION_JSON,     /* a mapping, or a text that is a JSON object */
	OPTION_LIST,     /* one item without brackets is a list of one */
	OPTION_DURATION, /* "30s"; ns */
};

/* As a row's type: these say of what a list is. */
#define OPTION_LIST_INT    OPTION_LIST, .items = OPTION_INT
#define OPTION_LIST_FLOAT  OPTION_LIST, .items = OPTION_FLOAT
#define OPTION_LIST_STRING OPTION_LIST, .items = OPTION_STRING
#define OPTION_LIST_ENUM   OPTION_LIST, .items = OPTION_ENUM

/* How it is written on a command line. */
enum option_style {
	OPTION_STYLE_VALUE,          /* --x v */
	OPTION_STYLE_TOGGLE,         /* --x, --no-x */
	OPTION_STYLE_FLAG,           /* --x */
	OPTION_STYLE_LIST,           /* --x a b, one at least */
	OPTION_STYLE_OPTIONAL_VALUE, /* --x [v] */
	OPTION_STYLE_REPEAT,         /* --x a --x b */
	OPTION_STYLE_WORDS,          /* --x a b, `words_least` at least */
};

/* Beside the same option of vLLM's. */
enum option_verdict { OPTION_EQUAL, OPTION_MORE, OPTION_DIFFERENT, OPTION_NOT_YET };

/* A value and what is to be said of it; lists end with one that is NULL. */
struct option_note {
	const char *value;
	enum option_verdict verdict;
	const char *remark;
};

struct option_hint {
	const char *value; /* of older releases */
	const char *hint;  /* what it is today */
};

/* An int64_t member without a value (a duration too). A double is NaN; text, list, object NULL. */
#define OPTION_NO_I64 INT64_MIN

struct option_row {
	const char *name; /* "tensor_parallel_size"; of a key "mode", "pass_config.fuse_norm" */
	enum option_type type;
	enum option_type items; /* of a LIST; ANY: not known */
	double min;             /* -INFINITY: none; durations in ns */
	double max;
	const char *exclusive;    /* "min", "max", "both" or NULL: the bounds are values too */
	const char *choices;      /* JSON array text, or NULL */
	const char *default_json; /* JSON text; NULL: not known, or computed */
	const char *help;

	bool nullable;
	bool choices_open;  /* other values can be valid: option_row_is_open() */
	bool choices_ruled; /* a check has the whole list: another value is not reported when read */
	bool any_case;      /* choices are compared without case, '-' as '_' */
	bool lenient;       /* texts and numbers stand for each other where the meaning is clear */
	bool number_text;   /* STRING: numbers and booleans are taken as they are written */
	bool infinite;      /* FLOAT: inf is a value, given back as "inf" */
	bool secret;        /* never shown, logged or put on a command line */
	const char *special_values; /* JSON array: valid besides choices and bounds */
	const char *also_accepts;   /* further types: "bool", "int", "json", "string" */
	const char *item_accepts;   /* the same for a LIST's items */

	/* on a command line */
	enum option_style style;
	const char *flag;             /* "--tensor-parallel-size" */
	const char *aliases;          /* separated by blanks */
	const char *negative_flag;    /* "--no-x" */
	const char *negative_aliases; /* further spellings of false, separated by blanks */
	const char *const_json;       /* what a bare OPTIONAL_VALUE flag means */
	bool no_null_on_cli;          /* unset is null, but the word None is refused */
	int words_least;              /* of style WORDS */
	bool commas;                  /* LIST: its one word is a list with commas */
	bool literal;                 /* JSON: written as Python does: {(256, 256, 1): 0.5} */
	const char *variable;         /* a secret reaches the server by this environment variable */
	const char *serve_default;    /* JSON: the command's default where a file has none */
	const char *default_env; /* the variable that the default is read from, where it is set */

	/* in an experiment file */
	size_t offset;       /* of the member that keeps it: option/member.h */
	bool expand;         /* ${VAR} is expanded */
	bool texts;          /* JSON: a mapping to texts */
	bool joined;         /* a list is taken as one text with commas */
	char pairs;          /* LIST: a mapping is taken as texts with this between; '\0': none */
	bool later;          /* it validates, and `run` of this version refuses it */
	const char *instead; /* what to do meanwhile; NULL: what vLLM has, its own client does */
	const char *file_choices; /* JSON array: taken beside `choices` */

	/* where and when there is such an option */
	const char *group;
	const char *after; /* the option that it is shown behind; NULL: the rows' order */
	bool ours;         /* no option of vLLM's */
	bool gone;         /* the reference release no longer has it */
	bool offline;      /* of vLLM's offline benchmarks alone */
	bool absent;       /* the release that is meant does not have it; else: of its release */
	bool deprecated;
	const char *since; /* first release with it; NULL: not known */
	const char *
		removed_in; /* first release without it; NULL: the reference has it, or not known */
	const char *replaced_by;   /* argument or "argument.key" */
	const char *older_choices; /* JSON array: only older releases take these */
	const char *const
		*release_choices;   /* ... what other releases take, each such a list; NULL ends */
	const char *choices_origin; /* "flag" (the parser's list), "help", "source" */
	const char *help_choices;   /* JSON array: what the help names, where it is not `choices` */
	const char *choices_note;   /* "not checked …": the list is open */
	const char *reference_group;
	bool aside; /* an address, a file's name, what is logged or shown: no input of a measurement */
	const char *note;
	enum option_verdict verdict;
	const char *remark;
	const struct option_note *value_notes;
	const struct option_hint *older_values;

	/* the keys of a JSON object are rows too */
	const char *of;                  /* a key: the argument whose object it stands in */
	bool required;                   /* a key: it must be there */
	const struct option_row *fields; /* keys of this argument and of others: see below */
	size_t field_count;
};

const char *option_type_name(enum option_type type); /* "int_or_human", "list" */
/* With a list's items: "list<int>". */
const char *option_type_words(const struct option_row *row);
/* The way back, into type and items; -1: no such type. */
int option_type_read(const char *words, struct option_row *row);
const char *option_style_name(enum option_style style); /* "optional_value" */
int option_style_find(const char *name, enum option_style *ret);

/* Can a value outside of `choices` be right? */
bool option_row_is_open(const struct option_row *row);
/* Must its list have an item? */
bool option_row_needs_item(const struct option_row *row);
/* "an integer of at least 1, or null" */
void option_row_describe(const struct option_row *row, struct pl_buf *buf);

/* A key's name within an object, a part of an argument or the whole: "mode", "pass_config.fuse_norm";
 * NULL: it stands elsewhere. */
const char *option_field_in(const struct option_row *object, const struct option_row *field);
/* The keys in an object and in its objects, one behind another, without absent ones; NULL: no more.
 * `previous` NULL: the first. */
const struct option_row *option_field_next(const struct option_row *object,
					   const struct option_row *previous);
/* By its name in the object, also an absent one; NULL: there is no such key, or the object's keys are
 * not known. */
const struct option_row *option_field_find(const struct option_row *object, const char *name);

/* `choices` and `file_choices` in one. New reference; NULL: any value is right. */
json_t *option_row_choices(const struct option_row *row);
/* The default as a text: "1000", "6h", "inf". The caller's (free()); NULL: none. */
char *option_row_default_text(const struct option_row *row);
/* A bound as it is told: "1ms", "1e-9". The caller's (free()). */
char *option_row_bound_text(const struct option_row *row, double bound);

/* "600s", "100ms", "1us": the largest unit that says it exactly. New reference; null for
 * OPTION_NO_I64. */
json_t *option_duration_to_json(int64_t ns);
