#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

bool pl_text_to_i64(const char *text, int64_t *ret)
{
	char *end;

	/* strtoll() would skip leading white space. */
	if (text == NULL || (!isdigit((unsigned char)text[0]) && text[0] != '-' && text[0] != '+'))
		return false;
	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0')
		return false;
	*ret = value;
	return true;
}

bool pl_text_to_f64(const char *text, double *ret)
{
	char *end;

	/* strtod() would also take hexadecimal floats, nan(chars) and leading white space */
	if (text == NULL || text[0] == '\0' || isspace((unsigned char)text[0]) ||
	    strpbrk(text, "xX(") != NULL)
		return false;
	errno = 0;
	double value = strtod(text, &end);
	if (end == text || *end != '\0' || (errno == ERANGE && isinf(value)))
		return false;
	*ret = value;
	return true;
}

/* Splits "12.5ms" into its number and the unit that follows. */
static bool split_unit(const char *text, double *ret_number, const char **ret_unit)
{
	char number[64];
	size_t len = text == NULL ? 0 : strspn(text, "0123456789.+-");

	/* an exponent belongs to the number only when a digit or a sign follows it */
	if (len > 0 && (text[len] == 'e' || text[len] == 'E') &&
	    strspn(text + len + 1, "+-0123456789") > 0)
		len += 1 + strspn(text + len + 1, "+-0123456789");
	if (len == 0 || len >= sizeof(number))
		return false;
	memcpy(number, text, len);
	number[len] = '\0';
	*ret_unit = text + len;
	return pl_text_to_f64(number, ret_number);
}

bool pl_text_to_duration_ns(const char *text, int64_t *ret_ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "", 1e9 },     { "ns", 1 },     { "us", 1e3 },
		      { "ms", 1e6 },   { "s", 1e9 },    { "m", 6e10 },
		      { "min", 6e10 }, { "h", 3.6e12 }, { "d", 8.64e13 } };
	double number;
	const char *unit;

	if (!split_unit(text, &number, &unit) || !isfinite(number))
		return false;
	for (size_t i = 0; i < PL_ARRAY_SIZE(units); i++) {
		double ns = number * units[i].ns;
		/* 9e18 ns are 285 years: the range of int64, with a margin for rounding. */
		if (strcmp(unit, units[i].unit) != 0 || fabs(ns) > 9e18)
			continue;
		*ret_ns = llround(ns);
		return true;
	}
	return false;
}

/* vLLM's human_readable_int(): "25.6k" is 25,600; "25.6K" is refused, being no whole number. */
bool pl_text_to_human_int(const char *text, int64_t *ret)
{
	static const char decimal[] = "kmgt";
	static const char binary[] = "KMGT";
	double number;
	const char *unit;

	if (pl_text_to_i64(text, ret))
		return true;
	if (!split_unit(text, &number, &unit) || strlen(unit) != 1)
		return false;
	const char *at = strchr(decimal, unit[0]);
	double scale;
	if (at != NULL) {
		scale = pow(1000, (double)(at - decimal + 1));
	} else if ((at = strchr(binary, unit[0])) != NULL && number == floor(number) &&
		   strpbrk(text, ".eE") == NULL) {
		scale = pow(1024, (double)(at - binary + 1));
	} else {
		return false;
	}
	double value = number * scale;
	if (fabs(value) > 9e18)
		return false;
	*ret = (int64_t)value;
	return true;
}

#define EIGHT_DIGITS 100000000u

static void put_pair(char *at, uint32_t number)
{
	static const char pairs[] = "0001020304050607080910111213141516171819"
				    "2021222324252627282930313233343536373839"
				    "4041424344454647484950515253545556575859"
				    "6061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";

	memcpy(at, &pairs[number * 2], 2);
}

static char *put_eight(char *at, uint32_t number)
{
	put_pair(at, number / 1000000);
	put_pair(at + 2, number / 10000 % 100);
	put_pair(at + 4, number / 100 % 100);
	put_pair(at + 6, number % 100);
	return at + 8;
}

static char *put_u64(char *at, uint64_t number)
{
	uint32_t left = (uint32_t)number;

	if (number >= EIGHT_DIGITS)
		return put_eight(put_u64(at, number / EIGHT_DIGITS),
				 (uint32_t)(number % EIGHT_DIGITS));
	char *end = at + 1 + (left > 9) + (left > 99) + (left > 999) + (left > 9999) +
		    (left > 99999) + (left > 999999) + (left > 9999999);
	char *from = end;
	for (; left > 99; left /= 100)
		put_pair(from -= 2, left % 100);
	if (left > 9)
		put_pair(at, left);
	else
		*at = (char)('0' + left);
	return end;
}

/* d.ddde-07, as Python has it. */
static char *put_scientific(char *at, const char *digits, size_t count, int exponent)
{
	*at++ = digits[0];
	if (count > 1) {
		*at++ = '.';
		memcpy(at, digits + 1, count - 1);
		at += count - 1;
	}
	*at++ = 'e';
	*at++ = exponent < 0 ? '-' : '+';
	if (abs(exponent) < 10)
		*at++ = '0';
	return put_u64(at, (uint64_t)abs(exponent));
}

static char *put_zeros(char *at, int count)
{
	for (; count > 0; count--)
		*at++ = '0';
	return at;
}

/*
 * Writes the number without an exponent; the point follows `whole` digits, which may be 0 or less.
 */
static char *put_plain(char *at, const char *digits, int count, int whole)
{
	int shown = whole < 0 ? 0 : whole < count ? whole : count;

	memcpy(at, digits, (size_t)shown);
	at = put_zeros(at + shown, whole <= 0 ? 1 : whole - count);
	*at++ = '.';
	at = put_zeros(at, shown == count ? 1 : -whole);
	memcpy(at, digits + shown, (size_t)(count - shown));
	return at + (count - shown);
}

char *pl_text_put_f64(char text[PL_F64_TEXT_BYTES], double value)
{
	return pl_text_put_f64_rounded(text, value, PL_F64_DIGITS_MAX);
}

char *pl_text_put_f64_rounded(char text[PL_F64_TEXT_BYTES], double value, int digits_max)
{
	char digits[PL_I64_TEXT_BYTES];
	char *at = text;

	if (isnan(value) || isinf(value) || !(fabs(value) > 0)) {
		return stpcpy(text, isnan(value)     ? "nan"
				    : isinf(value)   ? value > 0 ? "inf" : "-inf"
				    : signbit(value) ? "-0.0"
						     : "0.0");
	}
	if (value < 0)
		*at++ = '-';
	struct pl_decimal decimal = pl_decimal_of(fabs(value));
	if (digits_max < PL_F64_DIGITS_MAX) {
		/* Half up; the last digit stays other than 0. */
		uint64_t unit = 1, most = 1;
		for (int i = 0; i < digits_max; i++)
			most *= 10;
		while (decimal.digits / unit >= most) {
			unit *= 10;
			decimal.exponent++;
		}
		decimal.digits = (decimal.digits + unit / 2) / unit;
		while (decimal.digits % 10 == 0) {
			decimal.digits /= 10;
			decimal.exponent++;
		}
	}
	int count = (int)(put_u64(digits, decimal.digits) - digits);
	int whole = count + decimal.exponent;
	/* Python's repr() uses an exponent outside of this range. */
	if (whole < -3 || whole > 16)
		at = put_scientific(at, digits, (size_t)count, whole - 1);
	else
		at = put_plain(at, digits, count, whole);
	*at = '\0';
	return at;
}

void pl_text_from_f64(double value, char text[PL_F64_TEXT_BYTES])
{
	(void)pl_text_put_f64(text, value);
}

char *pl_text_put_i64(char *at, int64_t number)
{
	if (number >= 0)
		return put_u64(at, (uint64_t)number);
	*at = '-';
	return put_u64(at + 1, 0 - (uint64_t)number);
}

/* Formats a duration of at least one hour, in whole seconds. */
static void from_hours(int64_t ns, char *text, size_t room)
{
	uint64_t size_ns = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	uint64_t seconds = (size_ns + 500000000) / 1000000000;
	const struct {
		uint64_t count;
		const char *unit;
	} parts[] = {
		{ seconds / 3600, "h" },
		{ seconds / 60 % 60, "min" },
		{ seconds % 60, "s" },
	};
	size_t len = (size_t)snprintf(text, room, "%s", ns < 0 ? "-" : "");

	for (size_t i = 0; i < PL_ARRAY_SIZE(parts) && len < room; i++) {
		if (parts[i].count > 0)
			len += (size_t)snprintf(text + len, room - len, "%s%llu %s",
						i > 0 ? " " : "",
						(unsigned long long)parts[i].count, parts[i].unit);
	}
}

void pl_text_from_duration(int64_t ns, char *text, size_t room)
{
	double value = (double)ns;

	/* values that would be shown as 3600 s are an hour */
	if (ns >= 3599500000000LL || ns <= -3599500000000LL)
		from_hours(ns, text, room);
	else if (llabs(ns) >= 1000000000LL)
		snprintf(text, room, "%.4g s", value / 1e9);
	else if (llabs(ns) >= 1000000LL)
		snprintf(text, room, "%.4g ms", value / 1e6);
	else if (llabs(ns) >= 1000LL)
		snprintf(text, room, "%.4g us", value / 1e3);
	else
		snprintf(text, room, "%lld ns", (long long)ns);
}

void pl_text_add_clock(struct pl_buf *buf, double seconds)
{
	if (!isfinite(seconds) || seconds >= 360000)
		pl_buf_add_text(buf, "--");
	else if (seconds >= 3600)
		pl_buf_addf(buf, "%.0f:%02.0f:%02.0f", floor(seconds / 3600),
			    floor(fmod(seconds, 3600) / 60), floor(fmod(seconds, 60)));
	else
		pl_buf_addf(buf, "%.0f:%02.0f", floor(seconds / 60), floor(fmod(seconds, 60)));
}

bool pl_text_equal(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool pl_text_starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool pl_text_ends(const char *text, const char *suffix)
{
	size_t len = strlen(text);
	size_t suffix_len = strlen(suffix);

	return len >= suffix_len && memcmp(text + len - suffix_len, suffix, suffix_len) == 0;
}

int pl_text_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *pl_text_trim(char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	size_t len = strlen(text);
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	return text;
}

static int fold(char c)
{
	return c == '-' ? '_' : tolower((unsigned char)c);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Longer texts are compared by this many first bytes. */
enum { DISTANCE_BYTES = 128, SHORT_BYTES = 4 };

static size_t fold_all(const char *text, char folded[DISTANCE_BYTES])
{
	size_t len = strnlen(text, DISTANCE_BYTES);

	for (size_t i = 0; i < len; i++)
		folded[i] = (char)fold(text[i]);
	return len;
}

unsigned pl_text_distance(const char *text_a, const char *text_b)
{
	/* Swaps of neighbors need the last two rows, so three rows are stored. */
	unsigned rows[3][DISTANCE_BYTES + 1];
	char a[DISTANCE_BYTES], b[DISTANCE_BYTES];
	size_t la = fold_all(text_a, a);
	size_t lb = fold_all(text_b, b);

	for (size_t j = 0; j <= lb; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned *cur = rows[i % 3];
		const unsigned *up = rows[(i - 1) % 3];
		const unsigned *up2 = rows[(i + 1) % 3];
		cur[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			bool same = a[i - 1] == b[j - 1];
			cur[j] = least(up[j - 1] + !same, least(up[j], cur[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				cur[j] = least(cur[j], up2[j - 2] + 1);
		}
	}
	return rows[la % 3][lb];
}

void pl_nearest_try(struct pl_nearest *nearest, const char *candidate)
{
	size_t len = strnlen(nearest->name, DISTANCE_BYTES);
	size_t other = strnlen(candidate, DISTANCE_BYTES);
	/* About a third of the input may be wrong, and one letter of a short one: beyond that it is another word. */
	unsigned wrong = len < SHORT_BYTES ? 1 : (unsigned)strlen(nearest->name) / 3 + 1;
	unsigned best = nearest->found != NULL ? nearest->distance : wrong + 1;

	/* each byte more or less is one change */
	if ((len > other ? len - other : other - len) >= best)
		return;
	unsigned distance = pl_text_distance(nearest->name, candidate);
	if (distance < best) {
		nearest->distance = distance;
		nearest->found = candidate;
	}
}

const char *pl_text_nearest(const char *name, const char *const *candidates, size_t count)
{
	struct pl_nearest nearest = { .name = name };

	for (size_t i = 0; i < count; i++)
		pl_nearest_try(&nearest, candidates[i]);
	return nearest.found;
}

/* Decodes one UTF-8 character at data[0..len); returns its length, 1 and U+FFFD when invalid. */
static size_t utf8_decode(const unsigned char *data, size_t len, uint32_t *ret_code)
{
	static const uint32_t least_code[] = { 0, 0, 0x80, 0x800, 0x10000 };
	/*
	 * C0 and C1 start only overlong forms, F5 and above only code points beyond Unicode: RFC
	 * 3629.
	 */
	size_t need = data[0] < 0x80   ? 1
		      : data[0] < 0xC2 ? 0
		      : data[0] < 0xE0 ? 2
		      : data[0] < 0xF0 ? 3
		      : data[0] < 0xF5 ? 4
				       : 0;
	uint32_t code = need < 2 ? data[0] : data[0] & (0x7Fu >> need);

	if (len >= 2 && data[0] == 0xC0 && data[1] == 0x80) {
		*ret_code = 0; /* the form of U+0000 in our C strings, see pl_json_to_ctext() */
		return 2;
	}
	/*
	 * Skips one byte and not the whole character: the next byte may start a valid one (Unicode
	 * 15, 3.9, U+FFFD substitution of maximal subparts in its simplest form).
	 */
	if (need == 0 || need > len) {
		*ret_code = 0xFFFD;
		return 1;
	}
	for (size_t i = 1; i < need; i++) {
		if ((data[i] & 0xC0) != 0x80) {
			*ret_code = 0xFFFD;
			return 1;
		}
		code = code << 6 | (data[i] & 0x3F);
	}
	bool bad = code < least_code[need] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000);
	*ret_code = bad ? 0xFFFD : code;
	return bad ? 1 : need;
}

size_t pl_text_columns(const char *text, size_t len)
{
	size_t columns = 0;

	for (size_t i = 0; i < len; i++)
		columns += ((unsigned char)text[i] & 0xC0) != 0x80;
	return columns;
}

char *pl_text_replace(const char *text, const char *what, const char *with)
{
	auto_buf buf = PL_BUF(SIZE_MAX / 2);

	for (const char *at; (at = strstr(text, what)) != NULL; text = at + strlen(what)) {
		pl_buf_add(&buf, text, (size_t)(at - text));
		pl_buf_add_text(&buf, with);
	}
	pl_buf_add_text(&buf, text);
	return pl_buf_take(&buf);
}

size_t pl_text_index(const char *text, const char *const *texts, size_t count)
{
	size_t i = 0;

	if (text == NULL)
		return count;
	/* most differ in their first character */
	while (i < count &&
	       (texts[i] == NULL || texts[i][0] != text[0] || strcmp(texts[i], text) != 0))
		i++;
	return i;
}

const void *pl_row_find(const void *rows, size_t count, size_t row_bytes, size_t member_at,
			const char *text)
{
	const char *row = rows;

	for (; count > 0; count--, row += row_bytes) {
		if (text != NULL && pl_text_equal(*(const char *const *)(row + member_at), text))
			return row;
	}
	return NULL;
}

bool pl_text_has_word(const char *words, char separator, const char *word)
{
	size_t len = strlen(word);

	while (words != NULL && words[0] != '\0') {
		const char *end = strchrnul(words, separator);
		if ((size_t)(end - words) == len && memcmp(words, word, len) == 0)
			return true;
		words = end + (*end != '\0');
	}
	return false;
}

bool pl_text_is_utf8(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t len = strlen(text);

	for (size_t i = 0; i < len;) {
		uint32_t code;
		size_t used = utf8_decode(at + i, len - i, &code);
		/*
		 * a single byte that decodes to U+FFFD is invalid, and the form of U+0000 is
		 * internal
		 */
		if ((code == 0xFFFD && used == 1) || code == 0)
			return false;
		i += used;
	}
	return true;
}

static bool add_escape(struct pl_buf *buf, uint32_t code)
{
	if (code < 0x10000)
		return pl_buf_addf(buf, "\\u%04x", code);
	/* JSON has escapes of 16 bits only: a pair of surrogates for the rest (RFC 8259, 7). */
	code -= 0x10000;
	return pl_buf_addf(buf, "\\u%04x\\u%04x", 0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF));
}

static bool add_json_char(struct pl_buf *buf, const char *bytes, size_t len, uint32_t code,
			  bool ascii)
{
	static const char plain[] = "\"\\\b\f\n\r\t";
	static const char escaped[] = "\"\\bfnrt";
	const char *at = code != 0 && code < 128 ? strchr(plain, (int)code) : NULL;

	if (at != NULL)
		return pl_buf_addf(buf, "\\%c", escaped[at - plain]);
	/*
	 * JSON requires escapes only below U+0020; json.dumps() leaves only ' ' to '~' unescaped,
	 * and so escapes DEL.
	 */
	if (code < 0x20 || (ascii && code >= 0x7F))
		return add_escape(buf, code);
	if (code == 0xFFFD && len == 1)
		return pl_buf_add_text(buf, "\xEF\xBF\xBD");
	return pl_buf_add(buf, bytes, len);
}

#define EACH_BYTE(byte) ((byte)*0x0101010101010101u)

/* Sets the high bit of each zero byte, and possibly of bytes after one. */
static uint64_t zero_bytes(uint64_t word)
{
	return (word - EACH_BYTE(1)) & ~word & EACH_BYTE(0x80);
}

/* Eight of them. */
static bool are_plain(const char *data)
{
	uint64_t word;

	memcpy(&word, data, sizeof(word));
	uint64_t odd = word | ((word - EACH_BYTE(' ')) & ~word);
	odd |= zero_bytes(word ^ EACH_BYTE('"')) | zero_bytes(word ^ EACH_BYTE('\\')) |
	       zero_bytes(word ^ EACH_BYTE(0x7F));
	return (odd & EACH_BYTE(0x80)) == 0;
}

size_t pl_text_plain_bytes(const char *data, size_t len)
{
	size_t used = 0;

	while (len - used >= sizeof(uint64_t) && are_plain(data + used))
		used += sizeof(uint64_t);
	while (used < len && data[used] >= ' ' && data[used] < 0x7F && data[used] != '"' &&
	       data[used] != '\\')
		used++;
	return used;
}

bool pl_text_add_json(struct pl_buf *buf, const char *data, size_t len, bool ascii)
{
	/* most have nothing in them that is written otherwise */
	if (len > 0 && pl_text_plain_bytes(data, len) == len) {
		char *room = pl_buf_reserve(buf, len + 2);
		if (room == NULL)
			return false;
		*room = '"';
		char *end = mempcpy(room + 1, data, len);
		memcpy(end, "\"", 2);
		buf->len += len + 2;
		return true;
	}
	bool ok = pl_buf_add_char(buf, '"');

	for (size_t at = 0; at < len && ok;) {
		uint32_t code;
		size_t used = pl_text_plain_bytes(data + at, len - at);
		if (used > 0) {
			ok = pl_buf_add(buf, data + at, used);
			at += used;
			continue;
		}
		used = utf8_decode((const unsigned char *)data + at, len - at, &code);
		ok = add_json_char(buf, data + at, used, code, ascii);
		at += used;
	}
	return ok && pl_buf_add_char(buf, '"');
}

const char *pl_text_from_bytes(uint64_t bytes, char text[PL_BYTES_TEXT_BYTES])
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	double size = (double)bytes;
	size_t unit = 0;

	for (; size >= 1024 && unit + 1 < PL_ARRAY_SIZE(units); unit++)
		size /= 1024;
	snprintf(text, PL_BYTES_TEXT_BYTES, "%.*f %s", size == floor(size) ? 0 : 1, size,
		 units[unit]);
	return text;
}

void pl_text_to_line(char *text)
{
	for (unsigned char *at = (unsigned char *)text; *at != '\0'; at++) {
		if (*at < ' ' || *at == 0x7f)
			*at = ' ';
		/* U+0080 to U+009F, which some terminals obey, become U+00A0 */
		if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0)
			at[1] = 0xa0;
	}
}
