/*
 * From YAML nodes to typed JSON values: what a setting may be (struct md_spec) and the reader that
 * checks a node against it. Every fault becomes a problem; nothing stops at the first.
 */
#ifndef MODEL_VALIDATE_H
#define MODEL_VALIDATE_H

#include <math.h>

#include "base/json.h"
#include "base/yaml.h"
#include "option/places.h"
#include "option/problem.h"
#include "model/server_args.h"

enum md_kind {
	MD_KIND_BOOL,
	MD_KIND_INT,
	MD_KIND_HUMAN_INT, /* also 32k, 1.5m, 4K */
	MD_KIND_FLOAT,
	MD_KIND_TEXT,
	MD_KIND_ENUM,
	MD_KIND_OBJECT, /* a mapping, or a text that is a JSON object */
	MD_KIND_LIST,   /* one item without brackets is a list of one */
	MD_KIND_DURATION,
	MD_KIND_ANY,
};

struct md_spec {
	enum md_kind kind;
	enum md_kind items; /* of a LIST */
	bool nullable;
	bool choices_open; /* another value is a warning */
	bool any_case;
	bool lenient;     /* texts and numbers stand for each other where the meaning is clear */
	bool number_text; /* TEXT: numbers and booleans are taken as they are written */
	bool infinite;    /* FLOAT: inf is a value, given back as "inf" */
	bool hidden;      /* a secret: what was found is not shown */
	bool not_empty;   /* LIST: at least one item */
	double min;       /* of numbers; durations in ns */
	double max;
	const char *exclusive;      /* "min", "max", "both" or NULL */
	const char *choices;        /* JSON array text, or NULL */
	const char *older_choices;  /* JSON array: taken with a warning */
	const char *special_values; /* JSON array: valid besides everything else */
	const char *also_accepts; /* "bool", "int", "json", "string" separated by blanks, or NULL */
	const char *item_accepts; /* the same for the items of a LIST */
	const char *arg;          /* OBJECT: the argument whose fields it has, or NULL */
	const char *path;         /* ... and the place in it: "" or "pass_config" */
};

struct md_reader {
	const char *source;
	struct option_problems *problems;
	struct option_places *places; /* NULL: nobody asks where a value stands */
	json_t *given;    /* object: server objects as they were written; NULL: nobody asks */
	bool no_lines;    /* the source has none: a --set */
	bool fields_open; /* keys of objects are another release's: faults in them are warnings */
	bool as_words;    /* scalars will be words of a command line: "8" is a number, 8 a text */
};

struct md_spec md_spec_of_arg(const struct md_arg *arg);
struct md_spec md_spec_of_field(const struct md_field *field);

/* New reference to the typed value (durations: ns), or NULL when it was refused. */
json_t *md_value_read(struct md_reader *reader, const struct pl_yaml *node, const char *key,
		      const struct md_spec *spec) PL_MUST_CHECK;

/* "an integer of at least 1, or null" */
void md_spec_describe(const struct md_spec *spec, struct pl_buf *buf);

/* An item of lora_modules: "name=path", or an object (or its text) with both. */
#define MD_ADAPTER_EXPECTED "name=path, or a JSON object with name and path"
bool md_is_adapter(const json_t *module);

/* Notes a problem at `node` (NULL: no place). found NULL: the node is described. */
void md_reader_add(struct md_reader *reader, enum option_severity severity,
		   const struct pl_yaml *node, const char *key, const char *found,
		   const char *expected, const char *nearest);

/* Keeps the place of a key that was set. */
void md_reader_place(struct md_reader *reader, const char *key, const struct pl_yaml *node);

/* Is the scalar one of the values of a JSON array text? */
bool md_choices_have(const char *choices, const struct pl_yaml *node, bool any_case);
/* The text of a JSON array nearest to `text`, or NULL. The caller's (free()). */
char *md_choices_nearest(const char *choices, const char *text);

/* The first of `keys` (NULL-ended) that is near; NULL. */
const char *md_key_nearest(const char *key, const char *const *keys);

#endif
