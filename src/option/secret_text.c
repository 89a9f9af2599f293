/*
 * A single pass from sign to sign: '=' and ':' follow a name, '-' may begin a flag. A text has few
 * of these, most have none. The surrounding text decides where a value ends; if that is unclear,
 * too much is hidden.
 */
#include "option/secret_text.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "option/secret.h"

/* Longer ones are not flags, numbers or known words. */
enum { WORD_BYTES_MAX = 100 };

/* '\xE2' begins the dashes that a text editor makes of two hyphens */
#define SIGNS  "=:-\xE2"
#define BLANKS " \t"
#define ENDS   " \t\r\n\"'"

struct span {
	const char *begin, *end;
};

/* Before a '=' or ':'. */
struct name {
	struct span text;
	bool is_quoted; /* a quote follows it */
	char quote;     /* opening quote before it without a closing quote after it; 0: none */
	bool is_first;  /* first in its line */
	bool is_member; /* of the query of an address */
};

static bool is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static const char *line_end(const char *at)
{
	return at + strcspn(at, "\r\n");
}

/* Returns whether it ends in one of the words, in any spelling. */
static bool ends_in(struct span span, const char *const *words, size_t count)
{
	size_t len = (size_t)(span.end - span.begin);

	for (size_t i = 0; i < count; i++) {
		size_t word_len = strlen(words[i]);
		if (len >= word_len && strncasecmp(span.end - word_len, words[i], word_len) == 0)
			return true;
	}
	return false;
}
#define ENDS_IN(span, ...)                                  \
	ends_in(span, (const char *const[]){ __VA_ARGS__ }, \
		PL_ARRAY_SIZE(((const char *const[]){ __VA_ARGS__ })))

/* Returns whether it equals one of them. */
static bool is_word(struct span span, const char *const *words, size_t count)
{
	size_t len = (size_t)(span.end - span.begin);

	for (size_t i = 0; i < count; i++) {
		if (len == strlen(words[i]) && strncasecmp(span.begin, words[i], len) == 0)
			return true;
	}
	return false;
}
#define IS_WORD(span, ...)                                  \
	is_word(span, (const char *const[]){ __VA_ARGS__ }, \
		PL_ARRAY_SIZE(((const char *const[]){ __VA_ARGS__ })))

/* ---- names --------------------------------------------------------------------------------- */

static bool is_first_in_line(const char *text, const char *at)
{
	while (at > text && is_one_of(at[-1], " \t-"))
		at--;
	return at == text || is_one_of(at[-1], "\r\n");
}

/* The name that ends at `sign`; false: none of a secret. */
static bool find_name(const char *text, const char *sign, struct name *ret)
{
	const char *end = sign;

	while (end > text && is_one_of(end[-1], BLANKS))
		end--;
	const char *after = end;
	while (end > text && is_one_of(end[-1], "\"'\\"))
		end--;
	const char *begin = end;
	while (begin > text && is_name_char(begin[-1]))
		begin--;
	auto_free char *name = pl_strndup(begin, (size_t)(end - begin));
	if (!option_secret_is_name(name))
		return false;
	char before = begin > text ? begin[-1] : '\0';
	*ret = (struct name){ .text = { begin, end },
			      .is_quoted = end < after,
			      .is_first = is_first_in_line(text, begin),
			      .is_member = *sign == '=' && is_one_of(before, "?&") };
	if (!ret->is_quoted && is_one_of(before, "\"'"))
		ret->quote = before;
	return true;
}

/* Their values have blanks in them. */
static bool is_of_headers(const struct name *name)
{
	return ENDS_IN(name->text, "authorization", "cookie");
}

/* "NAME: value" is a header or a setting, and not a sentence: that has the same sign and some of the words. */
static bool is_setting(const struct name *name, const char *value)
{
	if (name->is_quoted || is_of_headers(name))
		return true;
	if ((!name->is_first && name->quote == '\0') ||
	    IS_WORD(name->text, "tokens", "keys", "pass"))
		return false;
	if (!IS_WORD(name->text, "token", "key"))
		return true;
	const char *closed = name->quote != '\0' ? strchr(value, name->quote) : NULL;
	const char *end = closed != NULL ? closed : line_end(value);
	size_t len = (size_t)(end - value);
	/* a hidden part may have contained blanks */
	return memchr(value, ' ', len) == NULL && memchr(value, '*', len) == NULL;
}

/* ---- values -------------------------------------------------------------------------------- */

/* Within the quotes that it begins with, which may have been escaped together with it. */
static bool find_quoted(const char *begin, struct span *ret)
{
	size_t slashes = strspn(begin, "\\");
	char quote = begin[slashes];

	if (!is_one_of(quote, "\"'"))
		return false;
	ret->begin = begin + slashes + 1;
	for (const char *at = ret->begin; *at != '\0'; at++) {
		size_t escapes = strspn(at, "\\");
		ret->end = at;
		at += escapes;
		if (*at == quote && escapes <= slashes)
			return true;
		if (*at == '\0')
			break;
	}
	ret->end = line_end(ret->begin);
	return true;
}

/* Skips the scheme of "Bearer KEY", which would otherwise be hidden instead of the key. */
static const char *after_scheme(const char *begin, const char *end)
{
	struct span word = { begin, end };

	if (!IS_WORD(word, "bearer", "basic", "token", "digest", "apikey"))
		return end;
	const char *next = end + strspn(end, BLANKS);
	return next + strcspn(next, ENDS);
}

static struct span find_value(const struct name *name, const char *begin)
{
	struct span value = { begin, begin };

	if (name->is_member)
		value.end = begin + strcspn(begin, "&#<>" ENDS);
	else if (find_quoted(begin, &value))
		return value;
	else if (name->quote != '\0' && strchr(begin, name->quote) != NULL)
		value.end = strchr(begin, name->quote);
	else if (name->is_first || is_of_headers(name) || is_one_of(*begin, "[{("))
		value.end = line_end(begin);
	else
		value.end = after_scheme(begin, begin + strcspn(begin, ENDS));
	return value;
}

/*
 * Returns whether the value is a boolean, null, or a number of a count: not a secret, whatever its
 * name. Checked before the end of the value is searched, so that no text is scanned twice.
 */
static bool is_plain(struct span name, const char *value)
{
	size_t len = 0;
	double number;

	value += strspn(value, "\\\"'");
	while (value[len] != '\0' && !is_one_of(value[len], ",;)]}" ENDS)) {
		if (++len == WORD_BYTES_MAX)
			return false;
	}
	struct span first = { value, value + len };
	if (IS_WORD(first, "true", "false", "null", "none"))
		return true;
	if (ENDS_IN(name, "tokens"))
		return isdigit((unsigned char)value[strspn(value, "~<>+-.")]);
	auto_free char *text = pl_strndup(value, len);
	return ENDS_IN(name, "token", "key", "keys", "pass") && pl_text_to_f64(text, &number);
}

static bool find_named(const char *text, const char *sign, struct span *ret)
{
	const char *begin = sign + 1 + strspn(sign + 1, *sign == '=' ? "=" BLANKS : BLANKS);
	struct name name;

	if (*begin == '\0' || (*sign == ':' && is_one_of(sign[1], ":/=")) ||
	    !find_name(text, sign, &name) || (*sign == ':' && !is_setting(&name, begin)) ||
	    is_plain(name.text, begin))
		return false;
	*ret = find_value(&name, begin);
	return ret->end > ret->begin;
}

/* ---- flags --------------------------------------------------------------------------------- */

static bool is_dash(const char *at)
{
	return *at == '-' || pl_text_starts(at, "\xE2\x80\x93") ||
	       pl_text_starts(at, "\xE2\x80\x94");
}

/* Skips blanks, and the end of a continued line. */
static const char *skip_blanks(const char *at)
{
	for (;;) {
		at += strspn(at, BLANKS);
		if (!pl_text_starts(at, "\\\n"))
			return at;
		at += strlen("\\\n");
	}
}

/* Returns all words up to the next flag, or the end of the command. */
static struct span find_words(const char *begin)
{
	struct span all = { begin, begin }, quoted;

	for (const char *at = begin;;) {
		bool is_quoted = find_quoted(at, &quoted);
		const char *end = at;
		if (is_quoted) {
			end = quoted.end + strspn(quoted.end, "\\");
			end += is_one_of(*end, "\"'");
		}
		/* a single value keeps its quotes: '--api-key', 'S' */
		if (is_quoted && at == begin && is_one_of(*end, ",)]}"))
			return quoted;
		all.end = end + strcspn(end, ENDS);
		at = skip_blanks(all.end);
		if (at == all.end || *at == '\0' || is_dash(at) || is_one_of(*at, "&|;#><\\\r\n"))
			return all;
	}
}

static bool find_flagged(const char *text, const char *at, option_secret_flag_fn *is_flag,
			 struct span *ret)
{
	const char *end = at;

	if (!is_dash(at) || (at > text && !is_one_of(at[-1], "([{," ENDS)))
		return false;
	while (is_dash(end))
		end += *end == '-' ? 1 : 3;
	while (is_name_char(*end) || *end == '.')
		end++;
	struct span name = { at, end };
	if (end - at >= WORD_BYTES_MAX || !is_one_of(*end, "=," ENDS))
		return false;
	auto_free char *flag = pl_strndup(at, (size_t)(end - at));
	if (!is_flag(flag))
		return false;
	const char *value = end + 1;
	if (*end == '=') {
		if (is_plain(name, value))
			return false;
		if (!find_quoted(value, ret))
			*ret = (struct span){ value, value + strcspn(value, ENDS) };
		return ret->end > ret->begin;
	}
	/* also within a list: '--api-key', 'S' */
	value = end + is_one_of(*end, "\"'");
	value = skip_blanks(value + (*value == ','));
	if (is_dash(value) || is_one_of(*value, "\r\n") || is_plain(name, value))
		return false;
	*ret = find_words(value);
	return ret->end > ret->begin;
}

/* ---- all ----------------------------------------------------------------------------------- */

static bool is_shown_so(struct span value)
{
	size_t len = (size_t)(value.end - value.begin);

	return len == strlen(OPTION_SECRET_SHOWN) &&
	       memcmp(value.begin, OPTION_SECRET_SHOWN, len) == 0;
}

/* The next one that is not hidden yet. */
static bool find_secret(const char *text, const char *from, option_secret_flag_fn *is_flag,
			struct span *ret)
{
	const char *at = from;

	while (*(at += strcspn(at, SIGNS)) != '\0') {
		if (*at == '=' || *at == ':' ? !find_named(text, at, ret)
					     : !find_flagged(text, at, is_flag, ret))
			at++;
		else if (is_shown_so(*ret))
			at = ret->end;
		else
			return true;
	}
	return false;
}

static char *words_shown(const char *text, option_secret_flag_fn *is_flag)
{
	auto_buf shown = PL_BUF(SIZE_MAX / 2);
	const char *from = text;
	struct span secret;

	while (find_secret(text, from, is_flag, &secret)) {
		pl_buf_add(&shown, from, (size_t)(secret.begin - from));
		pl_buf_add_text(&shown, OPTION_SECRET_SHOWN);
		from = secret.end;
	}
	if (from == text)
		return NULL;
	pl_buf_add_text(&shown, from);
	return pl_buf_take(&shown);
}

char *option_secret_text_shown(const char *text, option_secret_flag_fn *is_flag)
{
	bool has_password = option_secret_in_url(text);
	auto_free char *without = has_password ? option_secret_urls_shown(text) : NULL;
	char *shown = words_shown(has_password ? without : text, is_flag);

	return shown != NULL ? shown : pl_take(without);
}
