/*
 * From YAML nodes to typed JSON values: what a setting may be (struct vllm_spec) and the reader that
 * checks a node against it. Every fault becomes a problem; nothing stops at the first.
 */
#ifndef VLLM_VALIDATE_H
#define VLLM_VALIDATE_H

#include <math.h>

#include "base/json.h"
#include "base/yaml.h"
#include "option/places.h"
#include "option/problem.h"
#include "vllm/server_args.h"

enum vllm_kind {
	VLLM_KIND_BOOL,
	VLLM_KIND_INT,
	VLLM_KIND_HUMAN_INT, /* also 32k, 1.5m, 4K */
	VLLM_KIND_FLOAT,
	VLLM_KIND_TEXT,
	VLLM_KIND_ENUM,
	VLLM_KIND_OBJECT, /* a mapping, or a text that is a JSON object */
	VLLM_KIND_LIST,   /* one item without brackets is a list of one */
	VLLM_KIND_DURATION,
	VLLM_KIND_ANY,
};

struct vllm_spec {
	enum vllm_kind kind;
	enum vllm_kind items; /* of a LIST */
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

struct vllm_reader {
	const char *source;
	struct option_problems *problems;
	struct option_places *places; /* NULL: nobody asks where a value stands */
	json_t *given;    /* object: server objects as they were written; NULL: nobody asks */
	bool no_lines;    /* the source has none: a --set */
	bool fields_open; /* keys of objects are another release's: faults in them are warnings */
	bool as_words;    /* scalars will be words of a command line: "8" is a number, 8 a text */
};

struct vllm_spec vllm_spec_of_arg(const struct vllm_arg *arg);
struct vllm_spec vllm_spec_of_field(const struct vllm_field *field);

/* New reference to the typed value (durations: ns), or NULL when it was refused. */
json_t *vllm_value_read(struct vllm_reader *reader, const struct pl_yaml *node, const char *key,
			const struct vllm_spec *spec) PL_MUST_CHECK;

/* "an integer of at least 1, or null" */
void vllm_spec_describe(const struct vllm_spec *spec, struct pl_buf *buf);

/* An item of lora_modules: "name=path", or an object (or its text) with both. */
#define VLLM_ADAPTER_EXPECTED "name=path, or a JSON object with name and path"
bool vllm_is_adapter(const json_t *module);

/* Notes a problem at `node` (NULL: no place). found NULL: the node is described. */
void vllm_reader_add(struct vllm_reader *reader, enum option_severity severity,
		     const struct pl_yaml *node, const char *key, const char *found,
		     const char *expected, const char *nearest);

/* Keeps the place of a key that was set. */
void vllm_reader_place(struct vllm_reader *reader, const char *key, const struct pl_yaml *node);

/* Is the scalar one of the values of a JSON array text? */
bool vllm_choices_have(const char *choices, const struct pl_yaml *node, bool any_case);
/* The text of a JSON array nearest to `text`, or NULL. The caller's (free()). */
char *vllm_choices_nearest(const char *choices, const char *text);

/* The first of `keys` (NULL-ended) that is near; NULL. */
const char *vllm_key_nearest(const char *key, const char *const *keys);

#endif
