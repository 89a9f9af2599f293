/*
 * A strict JSON pull parser over a complete text, without allocation, for data read from every
 * event of a stream. All input that io_jwalk_next() passes is validated (RFC 8259: escapes, UTF-8
 * of strings, numbers, nesting to depth 64). Two deviations: half of a surrogate pair decodes as
 * U+FFFD, because some servers split a character between two events, and an object may repeat a
 * name.
 *
 *  io_jwalk_init(&w, data, len);
 *  while (io_jwalk_next(&w) == IO_JWALK_KEY …)
 *
 * Tokens come in document order: '{' -> OBJECT, then KEY, value, …, END; '[' -> ARRAY, values, END;
 * DONE after the whole text; after an error always ERROR.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define IO_JWALK_DEPTH_MAX 64

enum io_jwalk_token {
	IO_JWALK_ERROR,
	IO_JWALK_DONE,
	IO_JWALK_OBJECT,
	IO_JWALK_ARRAY,
	IO_JWALK_END,    /* of the innermost object or array */
	IO_JWALK_KEY,    /* text: the name, without quotes and with escapes not decoded */
	IO_JWALK_STRING, /* text: as KEY */
	IO_JWALK_NUMBER, /* text: its digits */
	IO_JWALK_TRUE,
	IO_JWALK_FALSE,
	IO_JWALK_NULL,
};

struct io_jwalk {
	const char *text; /* of the last token */
	size_t len;
	bool escaped; /* the string holds backslash escapes */
	/* private: */
	const char *at;
	const char *end;
	uint64_t in_object; /* one bit per level */
	unsigned depth;
	uint8_t expect;
};

void io_jwalk_init(struct io_jwalk *walk, const char *data, size_t len);
enum io_jwalk_token io_jwalk_next(struct io_jwalk *walk);
/*
 * Call it after OBJECT or ARRAY. Validates and skips everything up to the matching END, whose text
 * is the closing bracket.
 */
enum io_jwalk_token io_jwalk_skip(struct io_jwalk *walk);
/*
 * The same without reading: `bracket` is the closing bracket of this array, which the caller found by reading the items
 * itself.
 */
void io_jwalk_close(struct io_jwalk *walk, const char *bracket);
/* Reads and skips one value of any type; returns its first token. */
enum io_jwalk_token io_jwalk_skip_value(struct io_jwalk *walk);
/*
 * Returns whether the last KEY or STRING is this text (compares raw bytes; false if it contains
 * escapes).
 */
static inline bool io_jwalk_is(const struct io_jwalk *walk, const char *text)
{
	/* Inline, so that the length of a literal is a constant: called several times per event. */
	return !walk->escaped && strlen(text) == walk->len &&
	       memcmp(text, walk->text, walk->len) == 0;
}
/*
 * Converts the last NUMBER to an integer; returns false for fractions, exponents and values out of
 * range.
 */
bool io_jwalk_to_i64(const struct io_jwalk *walk, int64_t *ret);
/*
 * Decodes the last KEY or STRING into out[room]. Returns its length, or (size_t)-1 if it does not
 * fit. Appends a NUL if it fits.
 */
size_t io_jwalk_decode(const struct io_jwalk *walk, char *out, size_t room);
