#include "vllm/python_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define TEXT_BYTES_MAX (64u << 20)

/*
 * Characters that repr() escapes in addition to control characters: blanks except U+0020, format
 * characters, surrogates and private use (Unicode 14, the categories Zs, Zl, Zp, Cc, Cf, Cs, Co).
 */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0x7f, 0xa0 },       { 0xad, 0xad },       { 0x600, 0x605 },       { 0x61c, 0x61c },
	{ 0x6dd, 0x6dd },     { 0x70f, 0x70f },     { 0x890, 0x891 },       { 0x8e2, 0x8e2 },
	{ 0x1680, 0x1680 },   { 0x180e, 0x180e },   { 0x2000, 0x200f },     { 0x2028, 0x202f },
	{ 0x205f, 0x2064 },   { 0x2066, 0x206f },   { 0x3000, 0x3000 },     { 0xd800, 0xf8ff },
	{ 0xfeff, 0xfeff },   { 0xfff9, 0xfffb },   { 0x110bd, 0x110bd },   { 0x110cd, 0x110cd },
	{ 0x13430, 0x13438 }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },   { 0xe0001, 0xe0001 },
	{ 0xe0020, 0xe007f }, { 0xf0000, 0xffffd }, { 0x100000, 0x10fffd },
};

static bool is_hidden(uint32_t letter)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(hidden); i++) {
		if (letter >= hidden[i].first && letter <= hidden[i].last)
			return true;
	}
	return false;
}

/* The letter that begins at `text`, and its bytes; one byte that begins none: 1, itself. */
static size_t read_letter(const char *text, uint32_t *ret)
{
	static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	unsigned char head = (unsigned char)*text;
	size_t len = head < 0x80 ? 1 : head >= 0xf0 ? 4 : head >= 0xe0 ? 3 : head >= 0xc2 ? 2 : 1;
	uint32_t letter = head & masks[len];

	for (size_t i = 1; i < len; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80) {
			*ret = 0;
			return 1;
		}
		letter = letter << 6 | ((unsigned char)text[i] & 0x3f);
	}
	*ret = len == 1 && head >= 0x80 ? 0 : letter;
	return len;
}

static void add_letter(struct pl_buf *buf, const char *text, size_t len, uint32_t letter)
{
	if (letter == '\n' || letter == '\t' || letter == '\r')
		pl_buf_add_text(buf, letter == '\n' ? "\\n" : letter == '\t' ? "\\t" : "\\r");
	else if (letter < ' ' && len == 1 && (unsigned char)*text < ' ')
		pl_buf_addf(buf, "\\x%02x", (unsigned)letter);
	else if (!is_hidden(letter))
		pl_buf_add(buf, text, len);
	else if (letter < 0x100)
		pl_buf_addf(buf, "\\x%02x", (unsigned)letter);
	else if (letter < 0x10000)
		pl_buf_addf(buf, "\\u%04x", (unsigned)letter);
	else
		pl_buf_addf(buf, "\\U%08x", (unsigned)letter);
}

static void add_repr(struct pl_buf *buf, const char *text)
{
	char quote = strchr(text, '\'') != NULL && strchr(text, '"') == NULL ? '"' : '\'';

	pl_buf_add_char(buf, quote);
	while (*text != '\0') {
		uint32_t letter;
		size_t len = read_letter(text, &letter);
		if (*text == quote || *text == '\\')
			pl_buf_addf(buf, "\\%c", *text);
		else
			add_letter(buf, text, len, letter);
		text += len;
	}
	pl_buf_add_char(buf, quote);
}

char *vllm_python_repr(const char *text)
{
	auto_buf buf = PL_BUF(TEXT_BYTES_MAX);

	add_repr(&buf, text);
	return pl_strdup(pl_buf_text(&buf));
}

static void add_inner(struct pl_buf *buf, const json_t *value)
{
	if (json_is_string(value))
		add_repr(buf, json_string_value(value));
	else
		vllm_python_add(buf, value);
}

static void add_list(struct pl_buf *buf, const json_t *list)
{
	pl_buf_add_char(buf, '[');
	PL_JSON_EACH(item, list) {
		pl_buf_add_text(buf, item_at > 0 ? ", " : "");
		add_inner(buf, item);
	}
	pl_buf_add_char(buf, ']');
}

static void add_object(struct pl_buf *buf, const json_t *object)
{
	const char *before = "";

	pl_buf_add_char(buf, '{');
	PL_JSON_EACH_MEMBER(key, value, object) {
		pl_buf_add_text(buf, before);
		add_repr(buf, key);
		pl_buf_add_text(buf, ": ");
		add_inner(buf, value);
		before = ", ";
	}
	pl_buf_add_char(buf, '}');
}

bool vllm_python_add(struct pl_buf *buf, const json_t *value)
{
	char number[PL_F64_TEXT_BYTES];

	if (json_is_string(value)) {
		pl_buf_add_text(buf, json_string_value(value));
	} else if (json_is_integer(value)) {
		pl_buf_addf(buf, "%lld", (long long)json_integer_value(value));
	} else if (json_is_real(value)) {
		pl_text_from_f64(json_real_value(value), number);
		pl_buf_add_text(buf, number);
	} else if (json_is_array(value)) {
		add_list(buf, value);
	} else if (json_is_object(value)) {
		add_object(buf, value);
	} else {
		pl_buf_add_text(buf, json_is_true(value)    ? "True"
				     : json_is_false(value) ? "False"
							    : "None");
	}
	return !buf->full;
}

char *vllm_python_text(const json_t *value)
{
	auto_buf buf = PL_BUF(TEXT_BYTES_MAX);

	vllm_python_add(&buf, value);
	return pl_strdup(pl_buf_text(&buf));
}

/* Returns whether it counts as a number: in Python, bool is an integer type. */
static bool is_number(const json_t *value)
{
	return json_is_number(value) || json_is_boolean(value);
}

static double number_of(const json_t *value)
{
	return json_is_boolean(value) ? (double)json_is_true(value) : json_number_value(value);
}

static bool equal_objects(const json_t *a, const json_t *b)
{
	if (json_object_size(a) != json_object_size(b))
		return false;
	PL_JSON_EACH_MEMBER(key, value, a) {
		const json_t *other = json_object_get(b, key);
		if (other == NULL || !vllm_python_equal(value, other))
			return false;
	}
	return true;
}

bool vllm_python_equal(const json_t *a, const json_t *b)
{
	if (json_is_integer(a) && json_is_integer(b))
		return json_integer_value(a) == json_integer_value(b);
	if (is_number(a) && is_number(b))
		return number_of(a) == number_of(b);
	if (json_is_object(a) && json_is_object(b))
		return equal_objects(a, b);
	if (!json_is_array(a) || !json_is_array(b))
		return json_equal(a, b);
	if (json_array_size(a) != json_array_size(b))
		return false;
	PL_JSON_EACH(item, a) {
		if (!vllm_python_equal(item, json_array_get(b, item_at)))
			return false;
	}
	return true;
}
