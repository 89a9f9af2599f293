/*
 * JSON documents (jansson) with what it lacks: shortest floats, order kept, null for what is no
 * number. Values never run out of memory: the process ends with one line (pl_must). For bytes in the hot path see
 * io/jwalk.h.
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
 * Before text of others is parsed: would its values take at most so much memory? "[]," are 3 bytes, and
 * about 150 as a value. Told from brackets, commas and quotes alone, for jansson on 64 bits; what is no
 * JSON is for the parser to say. -1: INVALID, with the place from which on it is too much.
 */
#define PL_JSON_MEMORY_BYTES_MAX (768u << 20)
int pl_json_check_memory(const char *text, size_t len, size_t max_bytes, const char *source,
			 struct pl_err *err) PL_MUST_CHECK;

/* As pl_json_parse, for texts that go on to a model: strings may hold U+0000 (see
 * pl_json_to_ctext). */
int pl_json_parse_texts(const char *text, size_t len, const char *source, json_t **ret,
			struct pl_err *err) PL_MUST_CHECK;
/* As pl_json_parse, for those who only look: where a whole number has more than 64 bits all numbers
 * become reals. */
int pl_json_parse_wide(const char *text, size_t len, const char *source, json_t **ret,
		       struct pl_err *err) PL_MUST_CHECK;
/*
 * The text of a JSON string as a C string, and back: U+0000, which byte-level tokenizers have as a
 * token, stands as the two bytes C0 80, which no valid UTF-8 holds. to: the caller's (free()), NULL
 * for what is no string. from: a new reference, NULL for what is no UTF-8.
 */
char *pl_json_to_ctext(const json_t *string);
json_t *pl_json_from_ctext(const char *text);

/*
 * The loops over an array's items and an object's members, in their order; over NULL, or what is
 * neither, nothing is done. They declare the names that they are given, and of an item its index,
 * NAME_at; break and continue mean what they do in any loop (NAME_left tells the outer of two loops
 * that the inner was left early).
 *
 *     PL_JSON_EACH(item, list) {                  PL_JSON_EACH_MEMBER(key, value, object) {
 *             use(item);                                  use(key, value);
 *     }                                           }
 *
 * Members may be set to other values on the way; none may be added or taken away.
 */
#define PL_JSON_EACH(item, list)                                                        \
	for (size_t item##_at = 0, item##_left = 0;                                     \
	     !item##_left && item##_at < json_array_size(list); item##_at++)            \
		for (json_t *item = (item##_left = 1, json_array_get(list, item##_at)); \
		     item##_left; item##_left = 0)
#define PL_JSON_EACH_MEMBER(key, value, object)                                                   \
	for (const char *key = pl_json_key_behind(object, NULL), *key##_left = NULL; key != NULL; \
	     key = key##_left == NULL ? pl_json_key_behind(object, key) : NULL)                   \
		for (__attribute__((unused))                                                      \
		     json_t *value = (key##_left = key, pl_json_value_of(key));                   \
		     key##_left != NULL; key##_left = NULL)
/* For PL_JSON_EACH_MEMBER alone; key NULL: the first. */
static inline const char *pl_json_key_behind(const json_t *object, const char *key)
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

/* A real number, or null where there is none: NaN and the infinities. */
json_t *pl_json_number(double value);
/* A string, or null for NULL. Bytes that are no UTF-8, which no JSON can hold, become U+FFFD. */
json_t *pl_json_text(const char *text);

/* What the JSON text of a row says, of any kind; NULL for NULL and what is no JSON. New reference. */
json_t *pl_json_of_text(const char *text);
/* As people write a value: a text without its quotes, all else compact. The caller's (free()). */
char *pl_json_to_plain(const json_t *value);
/* Is an item of the array equal to it? */
bool pl_json_has(const json_t *list, const json_t *wanted);
/* Is an item of the array this text? */
bool pl_json_has_text(const json_t *list, const char *text);

/* Itself, or null for NULL. Steals the reference. */
json_t *pl_json_or_null(json_t *json);
/* A whole number, or null where it is not known; of a double, where that is none. */
json_t *pl_json_count(double value);
json_t *pl_json_i64(int64_t number, bool is_known);

/* The words of a text, parted by blanks, as an array; empty for NULL. New reference. */
json_t *pl_json_words(const char *words);

enum pl_json_style {
	PL_JSON_COMPACT, /* {"a":1,"b":[2]} */
	PL_JSON_PYTHON,  /* {"a": 1, "b": [2]}, non-ASCII as \uXXXX: bytes as json.dumps() writes */
	PL_JSON_PYTHON_2, /* the same of json.dumps(indent=2) */
	PL_JSON_PYTHON_4, /* and of indent=4 */
	PL_JSON_INDENT,   /* two blanks a level */
	PL_JSON_SORTED, /* as compact, the keys of each object in order: equal values, equal texts */
};
/* Floats in shortest round-trip form, keys in the order of insertion. False: ceiling of buf. */
bool pl_json_write(const json_t *json, enum pl_json_style style, struct pl_buf *buf);
char *pl_json_to_text(const json_t *json, enum pl_json_style style);
/* Atomically, with a final newline, indented. */
int pl_json_write_file(const json_t *json, const char *path, struct pl_err *err) PL_MUST_CHECK;

/* Appends `before`, ",\"key\":" or the like, and the number: null where it is `none`. */
bool pl_json_add_i64(struct pl_buf *buf, const char *before, int64_t number, int64_t none);

/* object.a.b by dotted path, NULL when a part is missing. Borrowed. */
json_t *pl_json_get_path(const json_t *json, const char *dotted);

/* What stands at a key, or at a dotted path, as C has it; NULL, 0 or false where nothing does, or
 * something of another kind. Texts are borrowed. */
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
