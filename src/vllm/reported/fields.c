#include "vllm/reported/fields.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/python_literal.h"

#define KEY_BYTES_MAX 100
#define DEPTH_MAX     64

/* Returns the closing bracket for `c`; 0: none. */
static char closing(char c)
{
	switch (c) {
	case '(':
		return ')';
	case '[':
		return ']';
	case '{':
		return '}';
	case '<':
		return '>';
	default:
		return '\0';
	}
}

/* After a quoted text that begins at `at`; NULL: it does not end. */
static const char *skip_quoted(const char *at)
{
	char quote = *at++;

	for (; *at != quote; at++) {
		if (*at == '\\' && at[1] != '\0')
			at++;
		if (*at == '\0')
			return NULL;
	}
	return at + 1;
}

/* The comma or the last byte (`last`) after an entry, outside of brackets and quotes; NULL: it was
 * cut off. */
static const char *entry_end(const char *at, char last)
{
	char open[DEPTH_MAX];
	size_t depth = 0;

	for (;;) {
		if (depth == 0 && (*at == ',' || *at == last))
			return at;
		if (*at == '\0')
			return NULL;
		if (*at == '\'' || *at == '"') {
			at = skip_quoted(at);
			if (at == NULL)
				return NULL;
			continue;
		}
		if (depth > 0 && *at == open[depth - 1]) {
			depth--;
		} else if (closing(*at) != '\0') {
			if (depth == DEPTH_MAX)
				return NULL;
			open[depth++] = closing(*at);
		}
		at++;
	}
}

/* Reads "'key': " or "key="; returns the length of the key, 0: not a key. */
static size_t read_key(const char *entry, const char **ret_key, const char **ret_value)
{
	bool quoted = *entry == '\'' || *entry == '"';
	const char *key = entry + quoted;
	size_t len = strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
	const char *rest = key + len + quoted;

	if (len == 0 || len > KEY_BYTES_MAX || (quoted && key[len] != *entry) ||
	    *rest != (quoted ? ':' : '='))
		return 0;
	*ret_key = key;
	*ret_value = rest + 1;
	return len;
}

/* A value that is not a literal, such as "<Mode.NONE: 0>", stays a text. */
static json_t *read_value(const char *text, size_t len)
{
	auto_free char *copy = pl_strndup(text, len);
	const char *value = pl_text_trim(copy);
	json_t *literal = vllm_python_literal(value);

	return literal != NULL ? literal : json_string(value);
}

json_t *vllm_reported_fields(const char *text)
{
	json_t *fields = json_object();
	const char *key, *value;
	char last;

	text += strspn(text, " ");
	last = *text == '{' ? '}' : '\0';
	text += *text == '{';
	for (const char *end; (end = entry_end(text, last)) != NULL; text = end + 1) {
		text += strspn(text, " ");
		size_t len = text < end ? read_key(text, &key, &value) : 0;
		if (len > 0 && value <= end) {
			auto_free char *name = pl_strndup(key, len);
			json_object_set_new(fields, name, read_value(value, (size_t)(end - value)));
		}
		if (*end == last)
			break;
	}
	return fields;
}
