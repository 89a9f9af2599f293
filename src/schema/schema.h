/*
 * Validates JSON against a JSON Schema (draft 2020-12) and reports every error. The same code
 * validates results, artifacts and experiments against api/, and requests against openapi.yaml.
 *
 * - A schema is compiled once; the handle is then immutable and thread-safe. It keeps the document
 *   alive.
 * - schema_priv.h lists the keywords. An unknown keyword is an error of the schema and never
 *   ignored, because values would seem to be validated. `format`, titles and similar keywords do
 *   not affect validity.
 * - $ref: "#/…" within the document, "NAME.schema.json#/…" for one embedded in the program.
 * - Numbers are compared exactly, integers or not; 2.0 is an integer and equals 2. Lengths of texts
 *   are in code points. Patterns match anywhere in the text; they may use only syntax with the same
 *   meaning in Python, JavaScript and PCRE2, except for \s, which does not match U+001C to U+001F
 *   here.
 * - x-nodes-max and x-levels-max limit a recursive schema, which JSON Schema cannot: the number of
 *   values that it is applied to within one outermost value, and their nesting depth (the outermost
 *   is level 1).
 * - Limits: depth, work and number of errors. A document that exceeds a limit is invalid, with an
 *   error of keyword "limit".
 *
 * The pointer of an error (RFC 6901) equals the absolute_path of python3-jsonschema's
 * iter_errors():
 * - a missing or an unknown key, one with a forbidden name, too many items: at the object or array,
 *   with the key in `key`, one error each;
 * - anyOf and oneOf: at their instance, once. If the type of the value matches a single
 *   alternative, its errors follow with `level` one higher: details, which are not in that set.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

struct schema;

/*
 * Compiles the schema at `pointer` of `document` ("": all of it). `name` is the document's file for
 * errors, which name the file, the position in it, what was found and what was expected.
 */
int schema_compile(const json_t *document, const char *name, const char *pointer,
		   const struct schema **ret, struct pl_err *err) PL_MUST_CHECK;
/*
 * Opens a schema of api/ that is embedded in the program: "result", "requests", "series",
 * "experiment".
 */
int schema_open(const char *name, const struct schema **ret, struct pl_err *err) PL_MUST_CHECK;
void schema_free(const struct schema *schema);
PL_AUTO_DEFINE(const struct schema, schema_free);
#define auto_schema PL_AUTO(schema_free)

/* Their names, NULL-terminated, and the bytes of api/NAME.schema.json; NULL: no such schema. */
extern const char *const schema_names[];
const char *schema_text(const char *name);
/* The same as compact JSON without titles and descriptions, which schema_open() reads. */
const char *schema_copy(const char *name);

struct schema_fault {
	char *pointer;       /* of the instance; "": the document itself */
	const char *keyword; /* the violated one: "type", "required"; static */
	char *key;           /* the missing, unknown or misnamed key; NULL: the value is wrong */
	char *found;         /* in words, a long value truncated */
	char *expected;
	char *nearest;  /* the likely key or value, or NULL */
	unsigned level; /* 0: of the document; n: a detail of the preceding one with n - 1 */
};

struct schema_faults {
	struct schema_fault *items;
	size_t count;
	size_t room;
	size_t bytes; /* total of pointers and keys */
	bool cut;     /* there are more errors */
};

/*
 * Returns whether the document is valid. Adds its errors, at most `max` (at least 1), to `ret`,
 * which starts as { 0 }. ret NULL: stops at the first error.
 */
bool schema_check(const struct schema *schema, const json_t *document, size_t max,
		  struct schema_faults *ret) PL_MUST_CHECK;
void schema_faults_done(struct schema_faults *faults);
#define auto_schema_faults __attribute__((cleanup(schema_faults_done), unused)) struct schema_faults

/*
 * For callers that find additional errors: appends "/" and the key, escaped by RFC 6901; describes
 * what was found: "null", "12", "\"text\"", "an object", "a list with 3 items", or "nothing" for
 * NULL (free()).
 */
bool schema_pointer_add(struct pl_buf *pointer, const char *key);
char *schema_describe(const json_t *value);

/*
 * Appends "/config/server: unknown key 'tensor_paralel_size' (did you mean
 * 'tensor_parallel_size'?)" as one line, whatever the document contains.
 */
void schema_fault_text(const struct schema_fault *fault, struct pl_buf *buf);
/*
 * Returns whether details follow the error at `at`. They are then more specific than the error
 * itself.
 */
bool schema_fault_has_details(const struct schema_faults *faults, size_t at);
/*
 * Returns an array of {pointer, keyword, key, found, expected, nearest, within: details}. New
 * reference.
 */
json_t *schema_faults_to_json(const struct schema_faults *faults);
