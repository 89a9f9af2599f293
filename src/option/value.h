/*
 * Conversion of YAML nodes to typed JSON values: the reader checks a node against its row. Every
 * error becomes a problem; the first one does not stop it.
 */
#pragma once

#include "base/json.h"
#include "base/yaml.h"
#include "option/locations.h"
#include "option/problem.h"
#include "option/row.h"

struct option_reader {
	const char *source;
	struct option_problems *problems;
	struct option_locations *locations; /* NULL: locations are not recorded */
	json_t *given;    /* object: server objects as written; NULL: not recorded */
	json_t *raw;      /* object: texts with their ${VAR}, by key; NULL: not recorded */
	bool no_lines;    /* the source is a --set, without lines */
	bool fields_open; /* types of an object's keys are uncertain: errors in them are warnings */
	bool as_words;    /* scalars become words of a command line: "8" is a number, 8 a text */
};

/* Returns a new reference to the typed value (durations: ns), or NULL if it was rejected. */
json_t *option_value_read(struct option_reader *reader, const struct pl_yaml *node, const char *key,
			  const struct option_row *row) PL_MUST_CHECK;

/* Adds a problem at `node` (NULL: no location). found NULL: describes the node. */
void option_reader_add(struct option_reader *reader, enum option_severity severity,
		       const struct pl_yaml *node, const char *key, const char *found,
		       const char *expected, const char *nearest);
/* The same for an error without a similar name. */
void option_reader_refuse(struct option_reader *reader, const struct pl_yaml *node, const char *key,
			  const char *found, const char *expected);

/* Records the location of a key that was set. */
void option_reader_locate(struct option_reader *reader, const char *key,
			  const struct pl_yaml *node);

/* Returns the choice that is most similar to `text`, or NULL. The caller frees it with free(). */
char *option_choice_nearest(const struct option_row *row, const char *text);

/* Returns the first of `keys` (NULL-terminated) that is similar, or NULL. */
const char *option_key_nearest(const char *key, const char *const *keys);
