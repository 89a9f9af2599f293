/* Quoted text: '…', "…", $'…' and text between typographic quotes. */
#include <string.h>

#include "base/text.h"
#include "vllm/shell/shell_priv.h"

static unsigned take_digits(struct shell_lexer *lexer, int base, int count)
{
	unsigned value = 0;

	for (; count > 0 && lexer->at < lexer->end; count--, lexer->at++) {
		int digit = pl_hex_value(*lexer->at);
		if (digit < 0 || digit >= base)
			break;
		value = value * (unsigned)base + (unsigned)digit;
	}
	return value;
}

/* One escape of $'…', from its backslash. */
static void take_ansi_escape(struct shell_lexer *lexer)
{
	static const char names[] = "abeEfnrtv\\'\"?";
	static const char bytes[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	const char *at = lexer->at++;
	char kind = *lexer->at;
	const char *known = kind != '\0' ? strchr(names, kind) : NULL;

	if (known != NULL) {
		vllm_shell_put(lexer, bytes[known - names], at);
		lexer->at++;
	} else if (kind == 'u' || kind == 'U') {
		lexer->at++;
		/* A code point that UTF-8 cannot hold is reported when the word ends. */
		unsigned code = take_digits(lexer, 16, kind == 'u' ? 4 : 8);
		int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
		static const unsigned char heads[] = { 0, 0xC0, 0xE0, 0xF0 };
		static const unsigned char masks[] = { 0x7F, 0x1F, 0x0F, 0x07 };
		vllm_shell_put(lexer, (char)(heads[more] | (code >> (6 * more) & masks[more])), at);
		while (more-- > 0)
			vllm_shell_put(lexer, (char)(0x80 | (code >> (6 * more) & 0x3F)), at);
	} else if (kind == 'x') {
		lexer->at++;
		vllm_shell_put(lexer, (char)take_digits(lexer, 16, 2), at);
	} else if (kind >= '0' && kind <= '7') {
		vllm_shell_put(lexer, (char)take_digits(lexer, 8, 3), at);
	} else {
		vllm_shell_put(lexer, '\\', at);
		vllm_shell_take_byte(lexer);
	}
}

static void add_unclosed(struct shell_lexer *lexer, const char *quote)
{
	auto_free char *expected = pl_asprintf("a closing %s", quote);

	vllm_shell_add_problem(lexer, OPTION_ERROR, "a quote that is not closed", expected);
}

void vllm_shell_take_single(struct shell_lexer *lexer, bool ansi)
{
	while (lexer->at < lexer->end && *lexer->at != '\'') {
		if (ansi && *lexer->at == '\\' && lexer->at + 1 < lexer->end)
			take_ansi_escape(lexer);
		else
			vllm_shell_take_byte(lexer);
	}
	if (lexer->at == lexer->end)
		add_unclosed(lexer, "a '");
	else
		lexer->at++;
}

size_t vllm_shell_continuation_len(const struct shell_lexer *lexer)
{
	size_t left = (size_t)(lexer->end - lexer->at);

	if (left >= 2 && lexer->at[0] == '\\' && lexer->at[1] == '\n')
		return 2;
	return left >= 3 && lexer->at[0] == '\\' && lexer->at[1] == '\r' && lexer->at[2] == '\n'
		       ? 3
		       : 0;
}

void vllm_shell_take_double_byte(struct shell_lexer *lexer, const char *escapable)
{
	size_t joined = vllm_shell_continuation_len(lexer);

	if (joined > 0) {
		vllm_shell_skip_to(lexer, lexer->at + joined);
	} else if (*lexer->at == '\\' && lexer->at + 1 < lexer->end && lexer->at[1] != '\0' &&
		   strchr(escapable, lexer->at[1]) != NULL) {
		lexer->at++;
		vllm_shell_take_byte(lexer);
	} else if (*lexer->at == '$') {
		vllm_shell_take_dollar(lexer, true);
	} else if (*lexer->at == '`') {
		vllm_shell_take_backquotes(lexer);
	} else {
		vllm_shell_take_byte(lexer);
	}
}

void vllm_shell_take_double(struct shell_lexer *lexer)
{
	while (lexer->at < lexer->end && *lexer->at != '"')
		vllm_shell_take_double_byte(lexer, "$`\"\\");
	if (lexer->at == lexer->end)
		add_unclosed(lexer, "a \"");
	else
		lexer->at++;
}

/* A typographic quote opens text up to the next one. Inside of single ones the double ones are typographic
 * too, and mean ASCII ones: '{"a": 1}' in an article. */
void vllm_shell_take_fancy(struct shell_lexer *lexer, char quote)
{
	char inner = '\0';
	size_t len;

	vllm_shell_add_problem(lexer, OPTION_WARNING, "a typographic quote",
			       quote == '"' ? "'\"'; a shell reads this as text"
					    : "\"'\"; a shell reads this as text");
	while (lexer->at < lexer->end) {
		len = vllm_shell_fancy_quote_len(lexer->at, lexer->end, &inner);
		if (*lexer->at == quote || (len > 0 && inner == quote))
			break;
		if (len > 0) {
			vllm_shell_put(lexer, inner, lexer->at);
			lexer->at += len;
		} else if (quote == '"') {
			vllm_shell_take_double_byte(lexer, "$`\"\\");
		} else {
			vllm_shell_take_byte(lexer);
		}
	}
	if (lexer->at == lexer->end) {
		add_unclosed(lexer, "a typographic quote");
		return;
	}
	len = vllm_shell_fancy_quote_len(lexer->at, lexer->end, &inner);
	lexer->at += len > 0 ? len : 1;
}
