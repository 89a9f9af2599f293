/*
 * Checks JSON against a JSON Schema (draft 2020-12) and tells every fault: results, side files and
 * experiments against api/, requests against what openapi.yaml says of them, by the same code.
 *
 * - A schema is compiled once; the handle is const from then on and any number of threads may check
 *   with it at once. It keeps the document alive.
 * - The keywords are those of schema_priv.h. One that is not there is an error of the schema, never
 *   ignored: what seemed to be checked would not be. `format`, titles and the like say nothing about
 *   validity and are taken as they are.
 * - $ref: "#/…" within the document, "NAME.schema.json#/…" one of those put into the program.
 * - Numbers are compared exactly, whole or not; 2.0 is an integer and equals 2. Lengths of texts are
 *   in code points. Patterns are searched for anywhere in the text; they may hold only what Python,
 *   JavaScript and PCRE2 read alike, but for \s, to which U+001C to U+001F are no blanks here.
 * - x-nodes-max and x-levels-max bound a schema that contains itself, which JSON Schema cannot: how many
 *   values it is applied to within one outermost value, and how deep these are nested (that one is level 1).
 * - Bounded: depth, work and count of faults. A document that passes a bound does not fit, and the
 *   fault says so (keyword "limit").
 *
 * Where a fault stands (its pointer, RFC 6901) is where python3-jsonschema's iter_errors() has the
 * absolute_path of its own:
 * - a missing or an unknown key, one with a forbidden name, too many items: at the object or array,
 *   the key in `key`, one fault each;
 * - anyOf and oneOf: at their own instance, once. Where one form alone can be meant (by its type),
 *   that form's faults follow it with `level` one higher: details, not part of that set.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

struct schema;

/*
 * The schema that stands at `pointer` of `document` ("": all of it). `name` is the document's file
 * for messages. Errors name the file, the place in it, what is there and what was expected.
 */
int schema_compile(const json_t *document, const char *name, const char *pointer,
		   const struct schema **ret, struct pl_err *err) PL_MUST_CHECK;
/* One of those of api/, which are in the program: "result", "requests", "series", "experiment". */
int schema_open(const char *name, const struct schema **ret, struct pl_err *err) PL_MUST_CHECK;
void schema_free(const struct schema *schema);
PL_AUTO_DEFINE(const struct schema, schema_free);
#define auto_schema PL_AUTO(schema_free)

/* Their names, NULL-ended, and the bytes of api/NAME.schema.json; NULL: there is none. */
extern const char *const schema_names[];
const char *schema_text(const char *name);

struct schema_fault {
	char *pointer;       /* of the instance; "": the document itself */
	const char *keyword; /* that it breaks: "type", "required"; static */
	char *key;   /* the key that is missing, unknown or misnamed; NULL: it is the value */
	char *found; /* in words, a long value cut */
	char *expected;
	char *nearest;  /* the likely key or value, or NULL */
	unsigned level; /* 0: of the document; n: a detail of the last one before it with n - 1 */
};

struct schema_faults {
	struct schema_fault *items;
	size_t count;
	size_t room;
	size_t bytes; /* of all pointers and keys */
	bool cut;     /* there are more */
};

/*
 * Does the document fit? Its faults, at most `max` (1 at least), are added to `ret`, which begins as
 * { 0 }; ret NULL: nobody asks, and the first fault ends the check.
 */
bool schema_check(const struct schema *schema, const json_t *document, size_t max,
		  struct schema_faults *ret) PL_MUST_CHECK;
void schema_faults_done(struct schema_faults *faults);
#define auto_schema_faults __attribute__((cleanup(schema_faults_done), unused)) struct schema_faults

/* For those who find faults of their own in JSON: "/" and the key, escaped as RFC 6901 has it; and what
 * was found: "null", "12", "\"text\"", "an object", "a list of 3" (free()). */
bool schema_pointer_add(struct pl_buf *pointer, const char *key);
char *schema_describe(const json_t *value);

/* "/config/server: unknown key 'tensor_paralel_size' (did you mean 'tensor_parallel_size'?)": one
 * line whatever the document holds. */
void schema_fault_text(const struct schema_fault *fault, struct pl_buf *buf);
/* Do its details follow the fault at `at`? They then say more than itself. */
bool schema_fault_has_details(const struct schema_faults *faults, size_t at);
/* Array of {pointer, keyword, key, found, expected, nearest, within: details}. New reference. */
json_t *schema_faults_to_json(const struct schema_faults *faults);
