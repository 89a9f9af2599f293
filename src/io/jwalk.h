/*
 * A strict JSON pull parser over one whole text, without allocation: for what must be read from
 * every event of a stream. Nothing is skipped unseen: whatever io_jwalk_next() passes has been
 * checked (RFC 8259: escapes, UTF-8 of strings, numbers, nesting to depth 64). Half of a surrogate
 * pair, which servers send that cut a character between two events, is taken and decoded as U+FFFD;
 * the same name twice in an object is taken too.
 *
 *	io_jwalk_init(&w, data, len);
 *	while (io_jwalk_next(&w) == IO_JWALK_KEY …)
 *
 * Tokens come in document order: '{' -> OBJECT, then KEY, value, …, END; '[' -> ARRAY, values, END;
 * DONE behind the whole text; ERROR for ever once something is wrong.
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
	IO_JWALK_KEY,    /* text: the name, without quotes, escapes as they stand */
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
	/* the walker's: */
	const char *at;
	const char *end;
	uint64_t in_object; /* one bit a level */
	unsigned depth;
	uint8_t expect;
};

void io_jwalk_init(struct io_jwalk *walk, const char *data, size_t len);
enum io_jwalk_token io_jwalk_next(struct io_jwalk *walk);
/*
 * Having been given OBJECT or ARRAY: passes over (and checks) everything to its END, whose text is
 * then the closing bracket.
 */
enum io_jwalk_token io_jwalk_skip(struct io_jwalk *walk);
/* Reads one value of any kind and passes over it; returns its first token. */
enum io_jwalk_token io_jwalk_skip_value(struct io_jwalk *walk);
/* Is the last KEY or STRING this text? (compares unescaped bytes; false when it holds escapes) */
static inline bool io_jwalk_is(const struct io_jwalk *walk, const char *text)
{
	/* here, so that the length of a literal is known where it is asked for: several times an event */
	return !walk->escaped && strlen(text) == walk->len &&
	       memcmp(text, walk->text, walk->len) == 0;
}
/* The last NUMBER as a whole number; false for fractions, exponents, out of range. */
bool io_jwalk_to_i64(const struct io_jwalk *walk, int64_t *ret);
/*
 * Decodes the last KEY or STRING into out[room]; returns its length or (size_t)-1: no room. A NUL
 * follows where there is room for it.
 */
size_t io_jwalk_decode(const struct io_jwalk *walk, char *out, size_t room);
