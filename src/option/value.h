/*
 * From YAML nodes to typed JSON values: the reader that checks a node against what its row says it
 * may be. Every fault becomes a problem; nothing stops at the first.
 */
#pragma once

#include "base/json.h"
#include "base/yaml.h"
#include "option/places.h"
#include "option/problem.h"
#include "option/row.h"

struct option_reader {
	const char *source;
	struct option_problems *problems;
	struct option_places *places; /* NULL: nobody asks where a value stands */
	json_t *given;    /* object: server objects as they were written; NULL: nobody asks */
	json_t *raw;      /* object: texts with their ${VAR}, by key; NULL: nobody asks */
	bool no_lines;    /* the source has none: a --set */
	bool fields_open; /* types of an object's keys are not known for sure: faults in them warn */
	bool as_words;    /* scalars will be words of a command line: "8" is a number, 8 a text */
};

/* New reference to the typed value (durations: ns), or NULL when it was refused. */
json_t *option_value_read(struct option_reader *reader, const struct pl_yaml *node, const char *key,
			  const struct option_row *row) PL_MUST_CHECK;

/* Notes a problem at `node` (NULL: no place). found NULL: the node is described. */
void option_reader_add(struct option_reader *reader, enum option_severity severity,
		       const struct pl_yaml *node, const char *key, const char *found,
		       const char *expected, const char *nearest);
/* The same of an error that no name is near to. */
void option_reader_refuse(struct option_reader *reader, const struct pl_yaml *node, const char *key,
			  const char *found, const char *expected);

/* Keeps the place of a key that was set. */
void option_reader_place(struct option_reader *reader, const char *key, const struct pl_yaml *node);

/* The choice nearest to `text`, or NULL. The caller's (free()). */
char *option_choice_nearest(const struct option_row *row, const char *text);

/* The first of `keys` (NULL-ended) that is near; NULL. */
const char *option_key_nearest(const char *key, const char *const *keys);
