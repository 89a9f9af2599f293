#include "base/json_read_priv.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

#define DEPTH_MAX  256
#define DIGITS_MAX 18 /* of a whole number: fewer than INT64_MAX has */

struct reader {
	const char *at;
	const char *end;
	unsigned depth;
	struct pl_buf unescaped; /* the last string that had escapes in it */
};

static json_t *read_value(struct reader *r);

/* '\0' at the end, and for a byte 0, which stands nowhere in what is read here. */
static char peek(const struct reader *r)
{
	return r->at < r->end ? *r->at : '\0';
}

/* The next byte that is no blank. */
static char next(struct reader *r)
{
	while (r->at < r->end &&
	       (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
	return peek(r);
}

/* ---- strings ------------------------------------------------------------------------------- */

/* Its bytes, borrowed from the document or from the reader. */
struct string {
	const char *text;
	size_t len;
	bool is_ascii;
};

/* Up to a quote, a backslash, a control character or the end. */
static const char *skip_plain(const struct reader *r, unsigned char *seen)
{
	const char *at = r->at;

	for (; at < r->end && (unsigned char)*at >= ' ' && *at != '"' && *at != '\\'; at++)
		*seen |= (unsigned char)*at;
	return at;
}

/* The four digits of "\u0041"; -1: they are none. */
static int32_t read_unit(struct reader *r)
{
	int32_t unit = 0;

	if (r->end - r->at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = pl_hex_value(*r->at++);
		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

/* Behind "\u": one character, of two units where it needs a pair. */
static bool unescape_unit(struct reader *r)
{
	int32_t code = read_unit(r);

	if (code >= 0xD800 && code < 0xDC00) {
		if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u')
			return false;
		r->at += 2;
		int32_t low = read_unit(r);
		if (low < 0xDC00 || low > 0xDFFF)
			return false;
		code = 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00));
	} else if (code <= 0 || (code >= 0xDC00 && code < 0xE000)) {
		return false;
	}
	int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const int begins[] = { 0, 0xC0, 0xE0, 0xF0 };
	pl_buf_add_char(&r->unescaped, (char)(begins[more] | code >> (6 * more)));
	while (more-- > 0)
		pl_buf_add_char(&r->unescaped, (char)(0x80 | (code >> (6 * more) & 0x3F)));
	return true;
}

/* Behind a backslash. */
static bool unescape(struct reader *r)
{
	static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char escape = peek(r);

	r->at++;
	if (escape == 'u')
		return unescape_unit(r);
	const char *found = escape != '\0' ? strchr(escapes, escape) : NULL;
	return found != NULL && pl_buf_add_char(&r->unescaped, meant[found - escapes]);
}

/* From its quote to behind the other one. */
static bool read_string(struct reader *r, struct string *ret)
{
	unsigned char seen = 0;
	const char *begin = ++r->at;

	r->at = skip_plain(r, &seen);
	if (peek(r) == '"') {
		*ret = (struct string){ begin, (size_t)(r->at++ - begin), seen < 0x80 };
		return true;
	}
	pl_buf_clear(&r->unescaped);
	pl_buf_add(&r->unescaped, begin, (size_t)(r->at - begin));
	while (peek(r) == '\\') {
		r->at++;
		if (!unescape(r))
			return false;
		begin = r->at;
		r->at = skip_plain(r, &seen);
		pl_buf_add(&r->unescaped, begin, (size_t)(r->at - begin));
	}
	if (peek(r) != '"')
		return false;
	r->at++;
	/* what an escape has put in is sound; to look at it once more costs little */
	*ret = (struct string){ r->unescaped.data, r->unescaped.len, false };
	return true;
}

static json_t *string_value(struct reader *r)
{
	struct string string;

	if (!read_string(r, &string))
		return NULL;
	return string.is_ascii ? json_stringn_nocheck(string.text, string.len)
			       : json_stringn(string.text, string.len);
}

/* ---- numbers and words --------------------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* At least one. */
static bool skip_digits(struct reader *r)
{
	const char *begin = r->at;

	while (is_digit(peek(r)))
		r->at++;
	return r->at > begin;
}

/* Behind its whole part; false: it is not written as JSON has it. */
static bool skip_fraction(struct reader *r, bool *ret_is_real)
{
	*ret_is_real = false;
	if (peek(r) == '.') {
		*ret_is_real = true;
		r->at++;
		if (!skip_digits(r))
			return false;
	}
	if (peek(r) == 'e' || peek(r) == 'E') {
		*ret_is_real = true;
		r->at++;
		r->at += peek(r) == '+' || peek(r) == '-';
		return skip_digits(r);
	}
	return true;
}

static json_t *integer(const char *at, const char *end)
{
	bool is_negative = *at == '-';
	json_int_t number = 0;

	at += is_negative;
	if (end - at > DIGITS_MAX)
		return NULL;
	for (; at < end; at++)
		number = number * 10 + (*at - '0');
	return json_integer(is_negative ? -number : number);
}

static json_t *number_value(struct reader *r)
{
	const char *begin = r->at;
	bool is_real;

	r->at += *r->at == '-';
	const char *whole = r->at;
	if (!skip_digits(r) || (*whole == '0' && r->at - whole > 1) || !skip_fraction(r, &is_real))
		return NULL;
	if (!is_real)
		return integer(begin, r->at);
	/* behind the text there may be no byte that ends it for strtod() */
	if (r->at == r->end)
		return NULL;
	char *end;
	double number = strtod(begin, &end);
	/* another end: a locale with another point */
	return end == r->at && isfinite(number) ? json_real(number) : NULL;
}

static json_t *word_value(struct reader *r)
{
	static const struct {
		const char *word;
		json_t *(*make)(void);
	} words[] = { { "null", json_null }, { "true", json_true }, { "false", json_false } };

	for (size_t i = 0; i < PL_ARRAY_SIZE(words); i++) {
		size_t len = strlen(words[i].word);
		if ((size_t)(r->end - r->at) < len || memcmp(r->at, words[i].word, len) != 0)
			continue;
		r->at += len;
		return words[i].make();
	}
	return NULL;
}

/* ---- lists and objects --------------------------------------------------------------------- */

/* Behind an item: is there another one? False at the end of the list, or where neither is: *ok says. */
static bool goes_on(struct reader *r, char close, bool *ok)
{
	char c = next(r);

	*ok = c == ',' || c == close;
	r->at += *ok;
	return c == ',';
}

static json_t *list_value(struct reader *r)
{
	auto_json json_t *list = json_array();
	bool ok = true;

	r->at++;
	if (next(r) == ']') {
		r->at++;
		return pl_take(list);
	}
	do {
		if (json_array_append_new(list, read_value(r)) < 0)
			return NULL;
	} while (goes_on(r, ']', &ok));
	return ok ? pl_take(list) : NULL;
}

/* A key and its value; false also where the key was there before. */
static bool add_member(struct reader *r, json_t *object)
{
	size_t count = json_object_size(object);
	auto_free char *kept = NULL;
	struct string key;

	if (next(r) != '"' || !read_string(r, &key) || next(r) != ':')
		return false;
	r->at++;
	/* the value may have escapes, too */
	if (key.text == r->unescaped.data)
		key.text = kept = pl_memdup(key.text, key.len);
	json_t *value = read_value(r);
	int result = key.is_ascii ? json_object_setn_new_nocheck(object, key.text, key.len, value)
				  : json_object_setn_new(object, key.text, key.len, value);
	return result == 0 && json_object_size(object) > count;
}

static json_t *object_value(struct reader *r)
{
	auto_json json_t *object = json_object();
	bool ok = true;

	r->at++;
	if (next(r) == '}') {
		r->at++;
		return pl_take(object);
	}
	do {
		if (!add_member(r, object))
			return NULL;
	} while (goes_on(r, '}', &ok));
	return ok ? pl_take(object) : NULL;
}

static json_t *read_value(struct reader *r)
{
	char c = next(r);

	if (c == '"')
		return string_value(r);
	if (c == '-' || is_digit(c))
		return number_value(r);
	if (c != '[' && c != '{')
		return word_value(r);
	if (r->depth >= DEPTH_MAX)
		return NULL;
	r->depth++;
	json_t *value = c == '[' ? list_value(r) : object_value(r);
	r->depth--;
	return value;
}

json_t *pl_json_read(const char *text, size_t len)
{
	struct reader r = { .at = text, .end = text + len };

	pl_buf_init(&r.unescaped, SIZE_MAX / 2);
	auto_json json_t *value = read_value(&r);
	pl_buf_done(&r.unescaped);
	return value != NULL && next(&r) == '\0' && r.at == r.end ? pl_take(value) : NULL;
}
