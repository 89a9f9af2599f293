/*
 * JSON documents: jansson plus shortest floats, stable key order, and null for values that are not
 * numbers. Out of memory ends the process with one line (pl_must). For the hot path use io/jwalk.h.
 */
#pragma once

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"

#define PL_JSON_BYTES_MAX (256u << 20)

static inline void pl_json_auto(json_t **owner)
{
	json_decref(*owner);
}
/* auto_json json_t *x = NULL; */
#define auto_json __attribute__((cleanup(pl_json_auto), unused))

/* Errors name `source`, line and column. Duplicate keys and trailing bytes are errors. */
int pl_json_parse(const char *text, size_t len, const char *source, json_t **ret,
		  struct pl_err *err) PL_MUST_CHECK;
int pl_json_read_file(const char *path, json_t **ret, struct pl_err *err) PL_MUST_CHECK;

/*
 * Checks before parsing untrusted text whether its values fit into max_bytes of memory: "[]," is 3
 * bytes of text and about 150 bytes as a value. Estimates from brackets, commas and quotes alone,
 * for jansson on 64 bits; the parser reports invalid JSON. Returns -1 (INVALID) with the location
 * at which the limit is exceeded.
 */
#define PL_JSON_MEMORY_BYTES_MAX (768u << 20)
int pl_json_check_memory(const char *text, size_t len, size_t max_bytes, const char *source,
			 struct pl_err *err) PL_MUST_CHECK;
/* Returns the same estimate. */
size_t pl_json_memory(const char *text, size_t len);

/*
 * Like pl_json_parse, for texts sent to a model: strings may contain U+0000 (see pl_json_to_ctext).
 */
int pl_json_parse_texts(const char *text, size_t len, const char *source, json_t **ret,
			struct pl_err *err) PL_MUST_CHECK;
/*
 * Like pl_json_parse, for documents that are only read: if an integer has more than 64 bits, all
 * numbers become reals.
 */
int pl_json_parse_wide(const char *text, size_t len, const char *source, json_t **ret,
		       struct pl_err *err) PL_MUST_CHECK;
/*
 * Convert a JSON string to a C string and back. U+0000, which is a token of byte-level tokenizers,
 * becomes the two bytes C0 80, which valid UTF-8 never contains. to: the caller frees the text with
 * free(); NULL if `string` is not a string. from: a new reference; NULL if the text is not UTF-8.
 */
char *pl_json_to_ctext(const json_t *string);
json_t *pl_json_from_ctext(const char *text);

/*
 * Loops over the items of an array and the members of an object, in order. They do nothing for NULL
 * or another type. They declare the given names and, for an item, its index NAME_at. break and
 * continue work as in any loop (NAME_left tells the outer of the two nested loops that the inner
 * one was left early).
 *
 *     PL_JSON_EACH(item, list) {                  PL_JSON_EACH_MEMBER(key, value, object) {
 *             use(item);                                  use(key, value);
 *     }                                           }
 *
 * The body may replace values of members, but may not add or remove members.
 */
#define PL_JSON_EACH(item, list)                                                        \
	for (size_t item##_at = 0, item##_left = 0;                                     \
	     !item##_left && item##_at < json_array_size(list); item##_at++)            \
		for (json_t *item = (item##_left = 1, json_array_get(list, item##_at)); \
		     item##_left; item##_left = 0)
#define PL_JSON_EACH_MEMBER(key, value, object)                                                  \
	for (const char *key = pl_json_key_after(object, NULL), *key##_left = NULL; key != NULL; \
	     key = key##_left == NULL ? pl_json_key_after(object, key) : NULL)                   \
		for (__attribute__((unused))                                                     \
		     json_t *value = (key##_left = key, pl_json_value_of(key));                  \
		     key##_left != NULL; key##_left = NULL)
/* For PL_JSON_EACH_MEMBER only; key NULL: returns the first key. */
static inline const char *pl_json_key_after(const json_t *object, const char *key)
{
	return json_object_iter_key(
		key == NULL
			? json_object_iter((json_t *)object)
			: json_object_iter_next((json_t *)object, json_object_key_to_iter(key)));
}
static inline json_t *pl_json_value_of(const char *key)
{
	return json_object_iter_value(json_object_key_to_iter(key));
}

/* Returns a real number, or null for NaN and infinities. */
json_t *pl_json_number(double value);
/*
 * Returns a string, or null for NULL. Replaces bytes that are not UTF-8, which JSON cannot contain,
 * with U+FFFD.
 */
json_t *pl_json_text(const char *text);

/* Parses JSON text of any type. Returns a new reference; NULL if the text is NULL or not JSON. */
json_t *pl_json_of_text(const char *text);
/*
 * Formats a value for display: a string without quotes, anything else as compact JSON. The caller
 * frees it with free().
 */
char *pl_json_to_plain(const json_t *value);
/* Returns whether an item of the array equals `wanted`. */
bool pl_json_has(const json_t *list, const json_t *wanted);
/* Returns whether an item of the array is this text. */
bool pl_json_has_text(const json_t *list, const char *text);

/* Returns the value itself, or null for NULL. Steals the reference. */
json_t *pl_json_or_null(json_t *json);
/* Return an integer, or null if it is unknown (the double is not an integer). */
json_t *pl_json_count(double value);
json_t *pl_json_i64(int64_t number, bool is_known);

/* Splits a text at blanks into an array; empty for NULL. New reference. */
json_t *pl_json_words(const char *words);

enum pl_json_style {
	PL_JSON_COMPACT, /* {"a":1,"b":[2]} */
	PL_JSON_PYTHON,  /* {"a": 1, "b": [2]}, non-ASCII as \uXXXX: bytes as json.dumps() writes */
	PL_JSON_PYTHON_2, /* as json.dumps(indent=2) */
	PL_JSON_PYTHON_4, /* as json.dumps(indent=4) */
	PL_JSON_INDENT,   /* two blanks per level */
	PL_JSON_SORTED,   /* compact, with sorted keys: equal values give equal texts */
};
/*
 * Writes floats in the shortest round-trip form and keys in insertion order. Returns false if the
 * limit of buf is reached.
 */
bool pl_json_write(const json_t *json, enum pl_json_style style, struct pl_buf *buf);
char *pl_json_to_text(const json_t *json, enum pl_json_style style);
/* Writes the file atomically, indented and with a final newline. */
int pl_json_write_file(const json_t *json, const char *path, struct pl_err *err) PL_MUST_CHECK;

/* Appends `before` (such as ",\"key\":") and the number, or null if it equals `none`. */
bool pl_json_add_i64(struct pl_buf *buf, const char *before, int64_t number, int64_t none);

/* Returns the value at a dotted path (object.a.b), NULL if a part is missing. Borrowed. */
json_t *pl_json_get_path(const json_t *json, const char *dotted);

/*
 * Return the value of a key or dotted path as a C type. They return NULL, 0 or false if it is
 * missing or has another type. Texts are borrowed.
 */
static inline const char *pl_json_path_text(const json_t *json, const char *dotted)
{
	return json_string_value(pl_json_get_path(json, dotted));
}
static inline const char *pl_json_get_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}
static inline int64_t pl_json_get_i64(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}
static inline double pl_json_get_f64(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}
static inline bool pl_json_get_true(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}
