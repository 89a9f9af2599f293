#include "base/redact_forms.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"

/* Forms several times as long as the secret are made of secrets up to this length. */
#define WIDE_BYTES_MAX 512
/* A shorter piece of base64 occurs by chance. */
#define BASE64_CHARS_MIN 6

struct form {
	struct pl_buf text;
	pl_redact_form_fn *take;
	void *context;
};

/* Hands out the form that was built, and clears it for the next one. */
static void take_form(struct form *form)
{
	form->take(form->context, pl_buf_text(&form->text), form->text.len);
	pl_buf_clear(&form->text);
}

/* safe: characters that are not encoded, in addition to letters, digits and "-._~". */
static void add_percent(struct form *form, const char *secret, size_t len, const char *safe,
			bool plus, const char *format)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)secret[i];
		if (c == ' ' && plus)
			pl_buf_add_char(&form->text, '+');
		else if (c != '\0' && c < 0x80 &&
			 (isalnum(c) || strchr("-._~", c) != NULL || strchr(safe, c) != NULL))
			pl_buf_add_char(&form->text, (char)c);
		else
			pl_buf_addf(&form->text, format[0] == 'x' ? "%%%02x" : "%%%02X", c);
	}
	take_form(form);
}

static void add_percent_forms(struct form *form, const char *secret, size_t len)
{
	static const char *const safe[] = { "", "/", "!*'()", "/:@!$&'()*+,;=" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(safe); i++) {
		add_percent(form, secret, len, safe[i], false, "X");
		add_percent(form, secret, len, safe[i], false, "x");
		add_percent(form, secret, len, safe[i], true, "X");
	}
}

/* The character at `at` as a code point; a byte that is not UTF-8 stands for itself. */
static uint32_t code_point(const char *at, size_t left, size_t *ret_len)
{
	const unsigned char *byte = (const unsigned char *)at;
	size_t len = byte[0] < 0xc2 ? 1 : byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
	uint32_t code = len == 1 ? byte[0] : byte[0] & (0xffU >> (len + 1));

	*ret_len = 1;
	if (len > left)
		return byte[0];
	for (size_t i = 1; i < len; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return byte[0];
		code = code << 6 | (byte[i] & 0x3f);
	}
	*ret_len = len;
	return code;
}

/* "\u00e4", and of a character beyond the first 65,536 two such halves. */
static void add_escape(struct pl_buf *text, uint32_t code, bool upper)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";

	if (code > 0xffff) {
		add_escape(text, 0xd800U + ((code - 0x10000U) >> 10), upper);
		code = 0xdc00U + (code & 0x3ff);
	}
	pl_buf_add_text(text, "\\u");
	for (int shift = 12; shift >= 0; shift -= 4)
		pl_buf_add_char(text, digits[code >> shift & 15]);
}

struct json_style {
	bool every; /* character is escaped */
	bool ascii; /* no other characters than ASCII */
	bool slash; /* "\/" */
	bool upper; /* \u00E4 */
};

static void add_json(struct form *form, const char *secret, size_t len, struct json_style style)
{
	static const char special[] = "\"\\\b\f\n\r\t";
	static const char letters[] = "\"\\bfnrt";
	size_t step;

	for (size_t at = 0; at < len; at += step) {
		uint32_t code = code_point(secret + at, len - at, &step);
		const char *found = code != 0 && code < 0x80 ? strchr(special, (int)code) : NULL;
		if (style.every)
			add_escape(&form->text, code, style.upper);
		else if (found != NULL)
			pl_buf_addf(&form->text, "\\%c", letters[found - special]);
		else if (code == '/' && style.slash)
			pl_buf_add_text(&form->text, "\\/");
		else if (code < 0x20 || (code >= 0x80 && style.ascii))
			add_escape(&form->text, code, style.upper);
		else
			pl_buf_add(&form->text, secret + at, step);
	}
	take_form(form);
}

static void add_json_forms(struct form *form, const char *secret, size_t len)
{
	for (unsigned i = 0; i < 8; i++)
		add_json(form, secret, len,
			 (struct json_style){ .ascii = (i & 1) != 0,
					      .slash = (i & 2) != 0,
					      .upper = (i & 4) != 0 });
	for (unsigned i = 0; i < 2 && len <= WIDE_BYTES_MAX; i++)
		add_json(form, secret, len, (struct json_style){ .every = true, .upper = i != 0 });
}

/* A JSON text within a JSON text. */
static void add_json_twice(struct form *form, const char *secret, size_t len)
{
	auto_buf once = PL_BUF(SIZE_MAX / 2);

	for (size_t i = 0; i < len; i++) {
		if (secret[i] == '"' || secret[i] == '\\')
			pl_buf_add_char(&once, '\\');
		pl_buf_add_char(&once, secret[i]);
	}
	add_json_forms(form, once.data, once.len);
}

static void add_html(struct form *form, const char *secret, size_t len, const char *apostrophe)
{
	for (size_t i = 0; i < len; i++) {
		char c = secret[i];
		const char *escaped = c == '&'    ? "&amp;"
				      : c == '<'  ? "&lt;"
				      : c == '>'  ? "&gt;"
				      : c == '"'  ? "&quot;"
				      : c == '\'' ? apostrophe
						  : NULL;
		if (escaped != NULL)
			pl_buf_add_text(&form->text, escaped);
		else
			pl_buf_add_char(&form->text, c);
	}
	take_form(form);
}

static void add_hex(struct form *form, const char *secret, size_t len, const char *digits)
{
	for (size_t i = 0; i < len; i++) {
		pl_buf_add_char(&form->text, digits[(unsigned char)secret[i] >> 4]);
		pl_buf_add_char(&form->text, digits[(unsigned char)secret[i] & 15]);
	}
	take_form(form);
}

/*
 * The characters of a base64 text that depend on the secret alone, where `before` other bytes
 * precede it: 6 bits each, counted from the start of the group of 3 bytes.
 */
static void add_base64(struct form *form, const char *secret, size_t len, size_t before,
		       const char *alphabet)
{
	size_t begin = (before * 8 + 5) / 6;
	size_t end = (before + len) * 8 / 6;

	if (end - begin < BASE64_CHARS_MIN)
		return;
	for (size_t i = begin; i < end; i++) {
		size_t bit = i * 6 - before * 8;
		unsigned pair = (unsigned)(unsigned char)secret[bit / 8] << 8;
		if (bit / 8 + 1 < len)
			pair |= (unsigned char)secret[bit / 8 + 1];
		pl_buf_add_char(&form->text, alphabet[pair >> (10 - bit % 8) & 63]);
	}
	take_form(form);
}

void pl_redact_forms(const char *secret, size_t len, pl_redact_form_fn *take, void *context)
{
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	struct form form = { .text = PL_BUF(SIZE_MAX / 2), .take = take, .context = context };

	take(context, secret, len);
	add_percent_forms(&form, secret, len);
	add_json_forms(&form, secret, len);
	add_json_twice(&form, secret, len);
	add_html(&form, secret, len, "&#39;");
	add_html(&form, secret, len, "&#x27;");
	for (size_t before = 0; before < 3; before++) {
		add_base64(&form, secret, len, before, LETTERS "+/");
		add_base64(&form, secret, len, before, LETTERS "-_");
	}
	if (len <= WIDE_BYTES_MAX) {
		add_hex(&form, secret, len, "0123456789abcdef");
		add_hex(&form, secret, len, "0123456789ABCDEF");
	}
	pl_buf_done(&form.text);
#undef LETTERS
}
