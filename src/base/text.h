/* Text: numbers, durations and sizes with units, most similar names, formatting for display. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Parse the whole text: leading or trailing bytes make them return false. On false, results are
 * untouched.
 */
bool pl_text_to_i64(const char *text, int64_t *ret);
/* Accepts decimal floats, and inf, -inf and nan in any case, but no hexadecimal floats. */
bool pl_text_to_f64(const char *text, double *ret);
/* Accepts "90" (seconds), "100ms", "5s", "10m", "2h", "1d", "250us", "40ns", with fractions. */
bool pl_text_to_duration_ns(const char *text, int64_t *ret_ns);
/*
 * vLLM's human integer: k m g t decimal (fractions allowed: "25.6k"), K M G T binary (whole
 * numbers only), or a plain integer.
 */
bool pl_text_to_human_int(const char *text, int64_t *ret);

/* Shortest decimal that reads back as the same double, as Python's repr: "0.1", "1e-07", "2.0". */
#define PL_F64_TEXT_BYTES 32
void pl_text_from_f64(double value, char text[PL_F64_TEXT_BYTES]);
/* The same; returns the position of the NUL. */
char *pl_text_put_f64(char text[PL_F64_TEXT_BYTES], double value);
/* The same, rounded to at most digits_max significant digits, 1 to PL_F64_DIGITS_MAX. */
#define PL_F64_DIGITS_MAX 17
char *pl_text_put_f64_rounded(char text[PL_F64_TEXT_BYTES], double value, int digits_max);
/* Writes decimal digits without a NUL; needs room for this many bytes; returns the end. */
#define PL_I64_TEXT_BYTES 20
char *pl_text_put_i64(char *at, int64_t number);
/* Formats a size for display: "18 bytes", "64 KiB", "1.5 MiB". Returns `text`. */
#define PL_BYTES_TEXT_BYTES 32
const char *pl_text_from_bytes(uint64_t bytes, char text[PL_BYTES_TEXT_BYTES]);
/* "1.5 s", "20 ms", "250 us"; from one hour "3 h 25 min 40 s", "1 h". At most 31 bytes. */
void pl_text_from_duration(int64_t ns, char *text, size_t room);

/* Appends a clock time, "0:15", "1:02:03"; "--" if not finite or at least 100 hours. */
void pl_text_add_clock(struct pl_buf *buf, double seconds);

bool pl_text_equal(const char *a, const char *b);
bool pl_text_starts(const char *text, const char *prefix);
bool pl_text_ends(const char *text, const char *suffix);
/* For qsort() of an array of texts. */
int pl_text_compare(const void *a, const void *b);
/* Trims ASCII white space in place and returns the first byte kept. */
char *pl_text_trim(char *text);

/*
 * Optimal string alignment distance (insert, delete, replace, swap of neighbors), ignoring case and
 * with '-' equal to '_'. Texts longer than 128 bytes are compared by their first 128.
 */
unsigned pl_text_distance(const char *a, const char *b);
/* Returns the most similar candidate, or NULL if none is similar enough. */
const char *pl_text_nearest(const char *name, const char *const *candidates, size_t count);
/*
 * The same for candidates that arrive one at a time: struct pl_nearest nearest = { .name = name }.
 */
struct pl_nearest {
	const char *name;
	const char *found; /* the most similar one so far, borrowed; NULL: none */
	unsigned distance; /* the distance of `found` */
};
void pl_nearest_try(struct pl_nearest *nearest, const char *candidate);

bool pl_text_is_utf8(const char *text);
/* Counts the UTF-8 characters in `len` bytes: the display width of a text. */
size_t pl_text_columns(const char *text, size_t len);
/* Returns the text with each `what` replaced by `with`. The caller frees it with free(). */
char *pl_text_replace(const char *text, const char *what, const char *with);
/* Returns the index of a text among `count` others, or `count` if it is not among them or NULL. */
size_t pl_text_index(const char *text, const char *const *texts, size_t count);
/* Returns whether the text is one of an array of texts. */
#define PL_TEXT_IS_ONE_OF(text, texts) \
	(pl_text_index(text, texts, PL_ARRAY_SIZE(texts)) < PL_ARRAY_SIZE(texts))
/*
 * Returns the first row of an array of structs whose text field `member` equals `text`; NULL: none.
 */
#define PL_ROW_FIND(rows, member, text)                                                           \
	((const __typeof__((rows)[0]) *)pl_row_find(rows, PL_ARRAY_SIZE(rows), sizeof((rows)[0]), \
						    offsetof(__typeof__((rows)[0]), member),      \
						    text))
const void *pl_row_find(const void *rows, size_t count, size_t row_bytes, size_t member_at,
			const char *text);

/*
 * Returns whether `words`, a list separated by `separator`, contains the word. False if words is
 * NULL.
 */
bool pl_text_has_word(const char *words, char separator, const char *word);

/* Returns how many bytes at the start are printable ASCII that needs no escape in a JSON string. */
size_t pl_text_plain_bytes(const char *data, size_t len);
/*
 * Appends `data` as a JSON string with quotes. If ascii is set, non-ASCII becomes \uXXXX (invalid
 * UTF-8: U+FFFD).
 */
bool pl_text_add_json(struct pl_buf *buf, const char *data, size_t len, bool ascii);

/* Returns the value of a hexadecimal digit, or -1. Inline for stream parsers. */
static inline int pl_hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/*
 * Makes untrusted text one line that cannot control a terminal: control characters, including C1,
 * become blanks.
 */
void pl_text_to_line(char *text);
