/*
 * Text that terminals, shells of Windows, browsers and text processors add to a command: prompts,
 * '^' and '`' at the end of a line, no-break spaces, invisible characters, typographic quotes and
 * dashes.
 */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "vllm/shell/shell_priv.h"

enum { PROMPT_BYTES_MAX = 160 };

/* The length of the one of `texts` that `at` begins with; *ret_index: which. 0: none. */
static size_t begins_with(const char *at, const char *end, const char *const *texts, size_t count,
			  size_t *ret_index)
{
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(texts[i]);
		if ((size_t)(end - at) >= len && memcmp(at, texts[i], len) == 0) {
			*ret_index = i;
			return len;
		}
	}
	return 0;
}

/* The text is UTF-8: most characters are ruled out by their lead byte. */
static bool may_begin(const char *at, const char *end)
{
	return at < end && ((unsigned char)*at == 0xC2 || (unsigned char)*at == 0xE2 ||
			    (unsigned char)*at == 0xE3 || (unsigned char)*at == 0xEF);
}

size_t vllm_shell_blank_len(const char *at, const char *end)
{
	/* no-break, en, em, thin, figure and ideographic spaces, line separators */
	static const char *const blanks[] = {
		"\xC2\xA0",     "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82", "\xE2\x80\x83",
		"\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87", "\xE2\x80\x88",
		"\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80",
		"\xE2\x80\xA8", "\xE2\x80\xA9",
	};
	size_t i;

	return may_begin(at, end) ? begins_with(at, end, blanks, PL_ARRAY_SIZE(blanks), &i) : 0;
}

size_t vllm_shell_invisible_len(const char *at, const char *end)
{
	/* zero-width spaces and joiners, direction marks, soft hyphen, byte order mark */
	static const char *const marks[] = {
		"\xE2\x80\x8B", "\xE2\x80\x8C", "\xE2\x80\x8D", "\xE2\x80\x8E",
		"\xE2\x80\x8F", "\xE2\x81\xA0", "\xC2\xAD",     "\xEF\xBB\xBF",
	};
	size_t i;

	return may_begin(at, end) ? begins_with(at, end, marks, PL_ARRAY_SIZE(marks), &i) : 0;
}

size_t vllm_shell_fancy_quote_len(const char *at, const char *end, char *ret_quote)
{
	static const char *const quotes[] = {
		"\xE2\x80\x98", "\xE2\x80\x99", "\xE2\x80\x9A", "\xE2\x80\x9B",
		"\xE2\x80\xB2", "\xE2\x80\x9C", "\xE2\x80\x9D", "\xE2\x80\x9E",
		"\xE2\x80\x9F", "\xE2\x80\xB3", "\xC2\xAB",     "\xC2\xBB",
	};
	size_t i = 0;
	size_t len = may_begin(at, end) ? begins_with(at, end, quotes, PL_ARRAY_SIZE(quotes), &i)
					: 0;

	if (len > 0)
		*ret_quote = i < 5 ? '\'' : '"';
	return len;
}

size_t vllm_shell_fancy_dash_len(const char *at, const char *end)
{
	/* hyphens, figure, en and em dashes, the minus sign */
	static const char *const dashes[] = { "\xE2\x80\x90", "\xE2\x80\x91", "\xE2\x80\x92",
					      "\xE2\x80\x93", "\xE2\x80\x94", "\xE2\x80\x95",
					      "\xE2\x88\x92" };
	size_t i;

	return may_begin(at, end) ? begins_with(at, end, dashes, PL_ARRAY_SIZE(dashes), &i) : 0;
}

static const char *skip_spaces(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* "$ ", "# ", "% ", "> ", ">>> ", "❯ ", "➜ ": the mark and its blank. */
static size_t mark_len(const char *at, const char *end, bool hash)
{
	static const char *const arrows[] = { "\xE2\x9D\xAF", "\xE2\x9E\x9C", "\xC2\xBB",
					      "\xCE\xBB" };
	size_t i;
	size_t count = 0;
	size_t len = begins_with(at, end, arrows, PL_ARRAY_SIZE(arrows), &i);

	while (len == 0 && count < 3 && at + count < end && at[count] == '>')
		count++;
	len = len > 0 ? len : count;
	if (len == 0 && at < end && (*at == '$' || *at == '%' || (hash && *at == '#')))
		len = 1;
	bool is_followed = at + len < end && (at[len] == ' ' || at[len] == '\t' ||
					      vllm_shell_blank_len(at + len, end) > 0);
	return len > 0 && is_followed ? len : 0;
}

/*
 * Skips the part of a prompt with its origin: "user@host:~/x", "[user@host dir]", "bash-5.1", "PS
 * C:\x", "C:\x"; NULL: none. A second word may follow, as in "user@mac dir %".
 */
static const char *skip_origin(const char *at, const char *end)
{
	const char *begin = at;
	bool is_bracketed = at < end && *at == '[';
	bool is_powershell = end - at > 3 && strncmp(at, "PS ", 3) == 0;
	bool is_shell = end - at > 5 &&
			(strncmp(at, "bash-", 5) == 0 || strncmp(at, "sh-", 3) == 0);
	bool is_drive = end - at > 3 && isalpha((unsigned char)*at) && at[1] == ':' &&
			at[2] == '\\';

	if (is_powershell || is_drive) {
		while (at < end && *at != '>' && *at != '\n')
			at++;
		return at < end && *at == '>' ? at : NULL;
	}
	if (is_bracketed) {
		while (at < end && *at != ']' && *at != '\n')
			at++;
		return at < end && *at == ']' ? at + 1 : NULL;
	}
	bool has_host = false;
	for (; at < end && *at != '\n' && at - begin < PROMPT_BYTES_MAX; at++) {
		if (*at == ' ' || *at == '\t') {
			size_t mark = mark_len(skip_spaces(at, end), end, true);
			const char *next = skip_spaces(at, end);
			const char *stop = next;
			while (stop < end &&
			       (isalnum((unsigned char)*stop) || strchr("._~/-", *stop) != NULL))
				stop++;
			if (mark > 0 || !has_host ||
			    mark_len(skip_spaces(stop, end), end, true) == 0)
				break;
			at = stop - 1;
			continue;
		}
		bool is_part = isalnum((unsigned char)*at) || (unsigned char)*at >= 0x80 ||
			       strchr("._@:~/+,-", *at) != NULL;
		if (mark_len(at, end, true) > 0 || !is_part)
			break;
		has_host |= *at == '@' && at > begin;
	}
	return has_host || is_shell ? at : NULL;
}

size_t vllm_shell_prompt_len(const char *at, const char *end, bool hash_is_prompt)
{
	const char *begin = at;

	at = skip_spaces(at, end);
	/* a cell of a notebook: "!vllm serve …" */
	if (at + 1 < end && *at == '!' && isalpha((unsigned char)at[1]))
		return (size_t)(at + 1 - begin);
	/* "(venv) " and "(base) " before a prompt. */
	while (at < end && *at == '(') {
		const char *close = at + 1;
		while (close < end &&
		       (isalnum((unsigned char)*close) || strchr("._-/", *close) != NULL) &&
		       *close != '\0')
			close++;
		if (close == at + 1 || close >= end || *close != ')')
			break;
		at = skip_spaces(close + 1, end);
	}
	const char *after = at;
	const char *origin = skip_origin(after, end);
	bool has_origin = origin != NULL;
	const char *mark = skip_spaces(has_origin ? origin : after, end);
	size_t len = mark_len(mark, end, has_origin || hash_is_prompt);
	/* "C:\\dir>vllm" */
	if (has_origin && len == 0 && mark < end && *mark == '>')
		len = 1;
	return len == 0 ? 0 : (size_t)(skip_spaces(mark + len, end) - begin);
}

size_t vllm_shell_windows_continuation_len(const char *at, const char *end)
{
	const char *next = at + 1;

	if (at >= end || (*at != '^' && *at != '`'))
		return 0;
	while (next < end && (*next == ' ' || *next == '\t' || *next == '\r'))
		next++;
	return next < end && *next == '\n' ? (size_t)(next + 1 - at) : 0;
}
