/*
 * Values in Python's syntax, as in its help texts and defaults ("{'a': [1, None]}"), and its JSON,
 * which has NaN and Infinity. Expressions are not evaluated: anything but a literal is NULL.
 */
#include "vllm/python_literal.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define DEPTH_MAX        32
#define STRING_BYTES_MAX 65536
#define NUMBER_BYTES     64

static json_t *read_value(const char **at, int depth);

static void skip_blanks(const char **at)
{
	while (isspace((unsigned char)**at))
		++*at;
}

/* 'a' or "a"; of the escapes only those for quotes, the backslash and line ends. */
static json_t *read_string(const char **at)
{
	auto_buf text = PL_BUF(STRING_BYTES_MAX);
	char quote = *(*at)++;

	for (; **at != quote; ++*at) {
		char c = **at;
		if (c == '\\') {
			++*at;
			c = **at == 'n' ? '\n' : **at;
		}
		if (c == '\0' || !pl_buf_add_char(&text, c))
			return NULL;
	}
	++*at;
	return json_stringn(pl_buf_text(&text), text.len);
}

static json_t *read_word(const char **at)
{
	size_t len = strcspn(*at, " \n,:]})");
	char word[NUMBER_BYTES];
	int64_t integer;
	double number;

	if (len == 0 || len >= sizeof(word))
		return NULL;
	memcpy(word, *at, len);
	word[len] = '\0';
	*at += len;
	if (strcmp(word, "None") == 0)
		return json_null();
	if (strcmp(word, "True") == 0 || strcmp(word, "False") == 0)
		return json_boolean(word[0] == 'T');
	if (pl_text_to_i64(word, &integer))
		return json_integer(integer);
	if (pl_text_to_f64(word, &number))
		return json_real(number); /* NULL for numbers that JSON cannot represent */
	return NULL;
}

static json_t *read_list(const char **at, char end, int depth)
{
	auto_json json_t *list = json_array();

	++*at;
	for (skip_blanks(at); **at != end; skip_blanks(at)) {
		json_t *item = read_value(at, depth);
		if (item == NULL)
			return NULL;
		json_array_append_new(list, item);
		skip_blanks(at);
		if (**at == ',')
			++*at;
		else if (**at != end)
			return NULL;
	}
	++*at;
	return pl_take(list);
}

static json_t *read_dict(const char **at, int depth)
{
	auto_json json_t *dict = json_object();

	++*at;
	for (skip_blanks(at); **at != '}'; skip_blanks(at)) {
		auto_json json_t *key = read_value(at, depth);
		skip_blanks(at);
		if (!json_is_string(key) || **at != ':')
			return NULL;
		++*at;
		json_t *value = read_value(at, depth);
		if (value == NULL || json_object_set_new(dict, json_string_value(key), value) < 0)
			return NULL;
		skip_blanks(at);
		if (**at == ',')
			++*at;
		else if (**at != '}')
			return NULL;
	}
	++*at;
	return pl_take(dict);
}

static json_t *read_value(const char **at, int depth)
{
	skip_blanks(at);
	if (depth >= DEPTH_MAX)
		return NULL;
	switch (**at) {
	case '\'':
	case '"':
		return read_string(at);
	case '[':
		return read_list(at, ']', depth + 1);
	case '(':
		return read_list(at, ')', depth + 1);
	case '{':
		return read_dict(at, depth + 1);
	default:
		return read_word(at);
	}
}

json_t *vllm_python_literal(const char *text)
{
	json_t *value = read_value(&text, 0);

	skip_blanks(&text);
	if (*text == '\0')
		return value;
	json_decref(value);
	return NULL;
}

/* Bytes of the word at `at` that stands for a number JSON does not have; 0: none. */
static size_t no_number_len(const char *at, size_t len)
{
	static const char *const words[] = { "NaN", "-Infinity", "Infinity" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(words); i++) {
		size_t word = strlen(words[i]);
		if (len >= word && memcmp(at, words[i], word) == 0)
			return word;
	}
	return 0;
}

/* Outside of texts; the length stays, and with it the places in messages. NaN becomes 0.0 and
 * Infinity null, with blanks for the rest of the word. */
static void blank_no_numbers(char *text, size_t len)
{
	bool in_text = false;

	for (size_t i = 0; i < len; i++) {
		size_t word = in_text ? 0 : no_number_len(text + i, len - i);
		if (in_text && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			in_text = !in_text;
		if (word == 0)
			continue;
		memset(text + i, ' ', word);
		memcpy(text + i, word == 3 ? "0.0" : "null", word == 3 ? 3 : 4);
		i += word - 1;
	}
}

int vllm_python_json(const char *text, size_t len, const char *source, json_t **ret,
		     struct pl_err *err)
{
	auto_free char *copy = pl_strndup(text, len);
	json_error_t fault;

	/* a NUL byte is not JSON: rejects the rest, too */
	if (strlen(copy) == len)
		blank_no_numbers(copy, len);
	json_t *json = json_loadb(strlen(copy) == len ? copy : text, len, JSON_DECODE_ANY, &fault);
	if (json == NULL)
		return pl_err_invalid(err, "%s:%d:%d: not valid JSON: %s", source, fault.line,
				      fault.column, fault.text);
	*ret = json;
	return 0;
}
