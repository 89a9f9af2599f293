#include "result/flat/python_literal.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"

#define DEPTH_MAX      16
#define TEXT_BYTES_MAX (1u << 16)
#define KEY_BYTES_MAX  200
#define WORD_BYTES_MAX 64

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	return at;
}

/* Reads '…' or "…" and moves *at past it. NULL: the text has no end, or is not UTF-8. New reference. */
static json_t *read_text(const char **at, const char *end)
{
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	char quote = *(*at)++;

	for (; *at < end && **at != quote; (*at)++) {
		if (**at == '\\' && *at + 1 < end)
			(*at)++;
		pl_buf_add_char(&text, **at != '\0' ? **at : ' ');
	}
	if (*at == end || text.full)
		return NULL;
	(*at)++;
	return pl_json_text(pl_buf_text(&text));
}

/* Reads a number or a name up to a separator. New reference; NULL: None, or not a literal. */
static json_t *read_word(const char **at, const char *end)
{
	char word[WORD_BYTES_MAX];
	size_t len = 0;
	int64_t whole;
	double number;

	while (*at < end && strchr(",)]}: \t", **at) == NULL && len + 1 < sizeof(word))
		word[len++] = *(*at)++;
	word[len] = '\0';
	if (strcmp(word, "True") == 0 || strcmp(word, "False") == 0)
		return json_boolean(word[0] == 'T');
	if (strcmp(word, "inf") == 0)
		return json_string("inf");
	if (pl_text_to_i64(word, &whole))
		return json_integer(whole);
	return pl_text_to_f64(word, &number) && isfinite(number) ? json_real(number) : NULL;
}

static json_t *read_literal(const char **at, const char *end, int depth);

/*
 * Reads the content after an opening bracket: items, or, with a colon, keys and values; *at is then
 * after the closing one. NULL: invalid.
 */
static json_t *read_group(const char **at, const char *end, char close, int depth)
{
	auto_json json_t *list = json_array();
	auto_json json_t *object = json_object();

	while ((*at = skip_blanks(*at, end)) < end && **at != close) {
		const char *begin = *at;
		auto_json json_t *item = read_literal(at, end, depth);
		*at = skip_blanks(*at, end);
		if (close == '}' && *at < end && **at == ':') {
			*at = skip_blanks(*at + 1, end);
			auto_json json_t *value = read_literal(at, end, depth);
			auto_free char *key = item != NULL ? pl_json_to_plain(item) : NULL;
			if (key != NULL && value != NULL)
				json_object_set(object, key, value);
			*at = skip_blanks(*at, end);
		} else if (item != NULL) {
			json_array_append(list, item);
		}
		if (*at < end && **at == ',')
			(*at)++;
		else if (*at == begin || (*at < end && **at != close))
			return NULL;
	}
	if (*at == end)
		return NULL;
	(*at)++;
	return json_incref(close == '}' ? object : list);
}

/* NULL: None, or none that is known; *at may be anywhere in it then. New reference. */
static json_t *read_literal(const char **at, const char *end, int depth)
{
	static const char opens[] = "[({", closes[] = "])}";

	if (depth == 0 || *at == end)
		return NULL;
	const char *open = **at != '\0' ? strchr(opens, **at) : NULL;
	if (open != NULL) {
		(*at)++;
		return read_group(at, end, closes[open - opens], depth - 1);
	}
	return **at == '\'' || **at == '"' ? read_text(at, end) : read_word(at, end);
}

/* Returns the comma or bracket that ends the value, considering only brackets and quotes. */
static const char *value_end(const char *at, const char *end)
{
	int depth = 0;

	for (; at < end; at++) {
		if (depth == 0 && (*at == ',' || *at == ')'))
			return at;
		if (*at == '\'' || *at == '"') {
			char quote = *at++;
			for (; at < end && *at != quote; at++)
				at += *at == '\\' && at + 1 < end;
			if (at == end)
				return end;
		} else if (*at != '\0' && strchr("([{<", *at) != NULL) {
			depth++;
		} else if (*at != '\0' && strchr(")]}>", *at) != NULL) {
			depth--;
		}
	}
	return end;
}

bool res_python_next_argument(const char **at, const char *end, char **ret_key, json_t **ret_value)
{
	const char *begin = skip_blanks(*at, end), *name = begin;

	while (name < end && (isalnum((unsigned char)*name) || *name == '_'))
		name++;
	if (name == begin || name == end || *name != '=' || name - begin > KEY_BYTES_MAX)
		return false;
	const char *value = name + 1, *stop = value_end(value, end);
	const char *read = value;
	json_t *json = read_literal(&read, stop, DEPTH_MAX);
	/* "<function f>" and "Config(a=1)" begin as words do, and continue */
	if (json != NULL && skip_blanks(read, stop) != stop) {
		json_decref(json);
		json = NULL;
	}
	*ret_key = pl_strndup(begin, (size_t)(name - begin));
	*ret_value = json;
	*at = stop < end && *stop == ',' ? stop + 1 : end;
	return true;
}
