#include "io/jwalk.h"

#include <endian.h>
#include <string.h>

#include "base/text.h"

/*
 * The next expected token. The token after a comma is read together with it, so that needs no
 * state.
 */
enum expect {
	EXPECT_NOTHING, /* after an error */
	EXPECT_VALUE,
	EXPECT_VALUE_OR_END, /* after '[' */
	EXPECT_KEY_OR_END,   /* after '{' */
	EXPECT_COMMA_OR_END, /* after a value in an object or array */
	EXPECT_EOF,          /* after the outermost value */
};

#define ONES  UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

/* Keeps text and length valid, so that a caller that does not check the token reads nothing. */
static enum io_jwalk_token fail(struct io_jwalk *walk)
{
	walk->expect = EXPECT_NOTHING;
	walk->text = "";
	walk->len = 0;
	return IO_JWALK_ERROR;
}

/* Only these four (RFC 8259, 2): isspace() would also take form feeds, and ask the locale. */
static inline void skip_space(struct io_jwalk *walk)
{
	const char *at = walk->at;

	while (at < walk->end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
		at++;
	walk->at = at;
}

/* Sets what follows a complete value, which is the same for all types. */
static inline void expect_next(struct io_jwalk *walk)
{
	walk->expect = walk->depth > 0 ? EXPECT_COMMA_OR_END : EXPECT_EOF;
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Four hexadecimal digits, or -1. */
static int32_t hex4(const char *at, const char *end)
{
	int32_t value = 0;

	if (end - at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = pl_hex_value(at[i]);
		if (digit < 0)
			return -1;
		value = value << 4 | digit;
	}
	return value;
}

/* The length of the UTF-8 character at `at` (first byte >= 0x80), or 0: Unicode 15, table 3-7. */
static size_t utf8_len(const char *at, const char *end)
{
	const unsigned char *b = (const unsigned char *)at;
	size_t room = (size_t)(end - at);
	size_t len = b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
	unsigned char low = 0x80, high = 0xbf;

	if (b[0] < 0xc2 || b[0] > 0xf4 || room < len)
		return 0;
	if (b[0] == 0xe0)
		low = 0xa0;
	else if (b[0] == 0xed)
		high = 0x9f;
	else if (b[0] == 0xf0)
		low = 0x90;
	else if (b[0] == 0xf4)
		high = 0x8f;
	if (b[1] < low || b[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return 0;
	}
	return len;
}

/*
 * Returns the first byte from `at` on that needs handling: '"', '\\', below 0x20, above 0x7f; or
 * `end`. Tests eight bytes at once: a borrow can only corrupt bytes above a true hit, and only the
 * lowest hit counts.
 */
static inline const char *skip_plain(const char *at, const char *end)
{
	while (end - at >= 8) {
		uint64_t x;
		memcpy(&x, at, sizeof(x));
		x = le64toh(x);
		uint64_t quote = x ^ ONES * '"';
		uint64_t slash = x ^ ONES * '\\';
		uint64_t hit = ((x - ONES * 0x20) & ~x) | ((quote - ONES) & ~quote) |
			       ((slash - ONES) & ~slash) | x;
		hit &= HIGHS;
		if (hit != 0)
			return at + (__builtin_ctzll(hit) >> 3);
		at += 8;
	}
	while (at < end && *at != '"' && *at != '\\' && (unsigned char)*at >= 0x20 &&
	       (unsigned char)*at < 0x80)
		at++;
	return at;
}

/* The second half of a pair of surrogates at `at`, or 0. */
static uint32_t low_half(const char *at, const char *end)
{
	if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
		return 0;
	int32_t unit = hex4(at + 2, end);
	return unit >= 0xdc00 && unit <= 0xdfff ? (uint32_t)unit : 0;
}

/*
 * Returns the position after the escape whose backslash is at `at`, or NULL. Each half of a
 * surrogate pair is a separate escape.
 */
static const char *skip_escape(const char *at, const char *end)
{
	if (end - at < 2)
		return NULL;
	switch (at[1]) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't':
		return at + 2;
	case 'u':
		break;
	default:
		return NULL;
	}
	return hex4(at + 2, end) >= 0 ? at + 6 : NULL;
}

/* The string whose opening quote is at walk->at. */
static bool read_string(struct io_jwalk *walk)
{
	const char *start = walk->at + 1;
	const char *at = start;
	const char *end = walk->end;

	walk->escaped = false;
	for (;;) {
		at = skip_plain(at, end);
		if (at == end || (unsigned char)*at < 0x20)
			return false;
		if (*at == '"')
			break;
		if (*at == '\\') {
			walk->escaped = true;
			at = skip_escape(at, end);
			if (at == NULL)
				return false;
			continue;
		}
		/*
		 * Characters beyond ASCII usually come in runs: otherwise Chinese text would return
		 * to skip_plain() for each.
		 */
		do {
			size_t len = utf8_len(at, end);
			if (len == 0)
				return false;
			at += len;
		} while (at < end && (unsigned char)*at >= 0x80);
	}
	walk->text = start;
	walk->len = (size_t)(at - start);
	walk->at = at + 1;
	return true;
}

static const char *skip_digits(const char *at, const char *end)
{
	while (at < end && is_digit(*at))
		at++;
	return at;
}

/*
 * The grammar of RFC 8259, 6. strtod() does not check it: it accepts "+1", "0x1", "inf" and the
 * locale's comma.
 */
static bool read_number(struct io_jwalk *walk)
{
	const char *at = walk->at;
	const char *end = walk->end;

	if (*at == '-')
		at++;
	if (at == end || !is_digit(*at))
		return false;
	at = *at == '0' ? at + 1 : skip_digits(at, end);
	if (at < end && *at == '.') {
		const char *digits = at + 1;
		at = skip_digits(digits, end);
		if (at == digits)
			return false;
	}
	if (at < end && (*at == 'e' || *at == 'E')) {
		at++;
		if (at < end && (*at == '+' || *at == '-'))
			at++;
		const char *digits = at;
		at = skip_digits(digits, end);
		if (at == digits)
			return false;
	}
	walk->text = walk->at;
	walk->len = (size_t)(at - walk->at);
	walk->at = at;
	return true;
}

static enum io_jwalk_token read_word(struct io_jwalk *walk, const char *word, size_t len,
				     enum io_jwalk_token token)
{
	if ((size_t)(walk->end - walk->at) < len || memcmp(walk->at, word, len) != 0)
		return fail(walk);
	walk->text = walk->at;
	walk->len = len;
	walk->at += len;
	expect_next(walk);
	return token;
}

/*
 * The bit of a level says which bracket closes it; the word is shifted, so the lowest bit is the
 * innermost level's.
 */
static enum io_jwalk_token open_level(struct io_jwalk *walk, bool object)
{
	if (walk->depth == IO_JWALK_DEPTH_MAX)
		return fail(walk);
	/* 64 levels in one word: that, and not a stack that grows, is the limit on depth. */
	walk->in_object = walk->in_object << 1 | object;
	walk->depth++;
	walk->expect = object ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
	walk->text = walk->at++;
	walk->len = 1;
	return object ? IO_JWALK_OBJECT : IO_JWALK_ARRAY;
}

/* The bracket at walk->at, which the caller has found to be the right one. */
static enum io_jwalk_token close_level(struct io_jwalk *walk)
{
	walk->in_object >>= 1;
	walk->depth--;
	walk->text = walk->at++;
	walk->len = 1;
	expect_next(walk);
	return IO_JWALK_END;
}

static enum io_jwalk_token read_value(struct io_jwalk *walk)
{
	switch (*walk->at) {
	case '"':
		if (!read_string(walk))
			return fail(walk);
		expect_next(walk);
		return IO_JWALK_STRING;
	case '{':
		return open_level(walk, true);
	case '[':
		return open_level(walk, false);
	case 't':
		return read_word(walk, "true", 4, IO_JWALK_TRUE);
	case 'f':
		return read_word(walk, "false", 5, IO_JWALK_FALSE);
	case 'n':
		return read_word(walk, "null", 4, IO_JWALK_NULL);
	default:
		if (!read_number(walk))
			return fail(walk);
		expect_next(walk);
		return IO_JWALK_NUMBER;
	}
}

static enum io_jwalk_token read_key(struct io_jwalk *walk)
{
	if (*walk->at != '"' || !read_string(walk))
		return fail(walk);
	skip_space(walk);
	if (walk->at == walk->end || *walk->at != ':')
		return fail(walk);
	walk->at++;
	walk->expect = EXPECT_VALUE;
	return IO_JWALK_KEY;
}

/* Reads what follows a value: a comma and the next token, or the end of the object or array. */
static enum io_jwalk_token read_more(struct io_jwalk *walk)
{
	bool object = walk->in_object & 1;

	if (*walk->at == (object ? '}' : ']'))
		return close_level(walk);
	if (*walk->at != ',')
		return fail(walk);
	walk->at++;
	skip_space(walk);
	if (walk->at == walk->end)
		return fail(walk);
	return object ? read_key(walk) : read_value(walk);
}

void io_jwalk_init(struct io_jwalk *walk, const char *data, size_t len)
{
	*walk = (struct io_jwalk){ .at = data, .end = data + len, .expect = EXPECT_VALUE };
}

enum io_jwalk_token io_jwalk_next(struct io_jwalk *walk)
{
	if (walk->expect == EXPECT_NOTHING)
		return IO_JWALK_ERROR;
	skip_space(walk);
	if (walk->at == walk->end) {
		if (walk->expect != EXPECT_EOF)
			return fail(walk);
		walk->text = walk->at;
		walk->len = 0;
		return IO_JWALK_DONE;
	}
	switch ((enum expect)walk->expect) {
	case EXPECT_COMMA_OR_END:
		return read_more(walk);
	case EXPECT_VALUE_OR_END:
		return *walk->at == ']' ? close_level(walk) : read_value(walk);
	case EXPECT_KEY_OR_END:
		return *walk->at == '}' ? close_level(walk) : read_key(walk);
	case EXPECT_VALUE:
		return read_value(walk);
	default:
		return fail(walk);
	}
}

/* The target level; leaving an outermost object reaches depth 0. */
enum io_jwalk_token io_jwalk_skip(struct io_jwalk *walk)
{
	unsigned outside = walk->depth - 1;
	enum io_jwalk_token token;

	do
		token = io_jwalk_next(walk);
	while (walk->depth != outside && token != IO_JWALK_ERROR && token != IO_JWALK_DONE);
	return token;
}

void io_jwalk_close(struct io_jwalk *walk, const char *bracket)
{
	walk->at = bracket;
	close_level(walk);
}

enum io_jwalk_token io_jwalk_skip_value(struct io_jwalk *walk)
{
	enum io_jwalk_token token = io_jwalk_next(walk);

	if ((token == IO_JWALK_OBJECT || token == IO_JWALK_ARRAY) &&
	    io_jwalk_skip(walk) == IO_JWALK_ERROR)
		return IO_JWALK_ERROR;
	return token;
}

bool io_jwalk_to_i64(const struct io_jwalk *walk, int64_t *ret)
{
	int64_t value = 0;
	size_t i = 0;

	if (walk->len == 0)
		return false;
	bool negative = walk->text[0] == '-';
	if (negative)
		i++;
	if (i == walk->len)
		return false;
	/* counted downwards: INT64_MIN has no positive counterpart */
	for (; i < walk->len; i++) {
		if (!is_digit(walk->text[i]) || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_sub_overflow(value, walk->text[i] - '0', &value))
			return false;
	}
	if (!negative && value == INT64_MIN)
		return false;
	*ret = negative ? value : -value;
	return true;
}

/* UTF-8 of a code point into out[4]; returns its length. */
static size_t utf8_put(uint32_t code, char *out)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* Decodes the (validated) escape at *at and moves *at past it. */
static size_t decode_escape(const char **at, const char *end, char out[4])
{
	static const char letters[] = "\"\\/bfnrt";
	static const char bytes[] = "\"\\/\b\f\n\r\t";
	char letter = (*at)[1];

	if (letter != 'u') {
		out[0] = bytes[strchr(letters, letter) - letters];
		*at += 2;
		return 1;
	}
	uint32_t code = (uint32_t)hex4(*at + 2, end);
	*at += 6;
	if (code < 0xd800 || code > 0xdfff)
		return utf8_put(code, out);
	uint32_t low = code <= 0xdbff ? low_half(*at, end) : 0;
	if (low == 0)
		return utf8_put(0xfffd, out);
	*at += 6;
	return utf8_put(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), out);
}

size_t io_jwalk_decode(const struct io_jwalk *walk, char *out, size_t room)
{
	const char *at = walk->text;
	const char *end = at + walk->len;
	size_t used = 0;

	while (at < end) {
		char bytes[4];
		const char *from = at;
		const char *stop = walk->escaped ? memchr(at, '\\', (size_t)(end - at)) : NULL;
		size_t len = (size_t)((stop != NULL ? stop : end) - at);
		if (len > 0) {
			at += len;
		} else {
			len = decode_escape(&at, end, bytes);
			from = bytes;
		}
		if (len > room - used)
			return (size_t)-1;
		memcpy(out + used, from, len);
		used += len;
	}
	if (used < room)
		out[used] = '\0';
	return used;
}
