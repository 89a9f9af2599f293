/*
 * Replaces each word that is not JSON with a string that occurs nowhere else in the text, so that
 * the parser accepts it. A walk through the document then finds these strings and their keys.
 */
#include "result/flat/python_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"

#define MARK_BYTES        32
#define POINTER_BYTES_MAX 4096
/* Each entry of a list of times may be one. */
#define REPLACED_MAX 1000

static const struct word {
	const char *python;
	const char *infinite; /* spelling in a result; NULL: not a number */
} words[] = { { "-Infinity", "-inf" }, { "Infinity", "inf" }, { "NaN", NULL } };

/* Keys of which infinity is a value: all requests at once; gaps that are all alike. */
static const char *const infinite_keys[] = { "request_rate", "burstiness" };

/* ---- the text ---- */

/* A \uXXXX of the high (0xd8) or low (0xdc) half of a pair. */
static bool is_half(const char *at, const char *end, unsigned base)
{
	if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
		return false;
	for (size_t i = 2; i < 6; i++) {
		if (pl_hex_value(at[i]) < 0)
			return false;
	}
	char digits[3] = { at[2], at[3], '\0' };
	unsigned long top = strtoul(digits, NULL, 16);
	return top >= base && top < base + 4;
}

/* Copies the string that begins at `at`; half a surrogate pair becomes U+FFFD. */
static const char *copy_string(const char *at, const char *end, char **out)
{
	*(*out)++ = *at++;
	while (at < end && *at != '"') {
		size_t len = *at == '\\' && end - at >= 2 ? 2 : 1;
		if (is_half(at, end, 0xd8) && is_half(at + 6, end, 0xdc)) {
			len = 12;
		} else if (is_half(at, end, 0xd8) || is_half(at, end, 0xdc)) {
			memcpy(*out, "\\ufffd", 6);
			*out += 6;
			at += 6;
			continue;
		}
		memcpy(*out, at, len);
		*out += len;
		at += len;
	}
	if (at < end)
		*(*out)++ = *at++;
	return at;
}

/* Begins a string that no string of the text begins with. */
static void make_mark(const char *text, size_t len, char mark[MARK_BYTES])
{
	unsigned number = 0;

	do
		snprintf(mark, MARK_BYTES, "not a number %u ", number++);
	while (memmem(text, len, mark, strlen(mark)) != NULL);
}

static const struct word *word_at(const char *at, const char *end)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(words); i++) {
		size_t len = strlen(words[i].python);
		if ((size_t)(end - at) >= len && memcmp(at, words[i].python, len) == 0)
			return &words[i];
	}
	return NULL;
}

/* The caller frees it with free(). */
static char *as_json(const char *text, size_t len, const char *mark, size_t *ret_len)
{
	/* a word of three bytes or more becomes one with the mark and quotes */
	char *copy = pl_alloc(len + (len / 3 + 1) * (strlen(mark) + 2) + 1);
	const char *end = text + len;
	char *out = copy;

	for (const char *at = text; at < end;) {
		const struct word *word = word_at(at, end);
		if (*at == '"')
			at = copy_string(at, end, &out);
		else if (word == NULL)
			*out++ = *at++;
		else {
			out += sprintf(out, "\"%s%s\"", mark, word->python);
			at += strlen(word->python);
		}
	}
	*ret_len = (size_t)(out - copy);
	return copy;
}

/* ---- the document ---- */

struct walk {
	const char *mark;
	struct pl_buf pointer;
	json_t *replaced;
};

static const struct word *word_of(const struct walk *walk, const json_t *value)
{
	const char *text = json_string_value(value);

	if (text == NULL || !pl_text_starts(text, walk->mark))
		return NULL;
	text += strlen(walk->mark);
	return word_at(text, text + strlen(text));
}

/* Returns the replacement of the word at this key. New reference. */
static json_t *value_of(struct walk *walk, const char *key, const struct word *word)
{
	if (word->infinite != NULL && key != NULL && PL_TEXT_IS_ONE_OF(key, infinite_keys))
		return json_string(word->infinite);
	if (json_array_size(walk->replaced) < REPLACED_MAX)
		json_array_append_new(walk->replaced,
				      json_pack("{s:o, s:s}", "pointer",
						pl_json_text(pl_buf_text(&walk->pointer)), "found",
						word->python));
	return json_null();
}

static void add_key(struct pl_buf *pointer, const char *key)
{
	pl_buf_add_char(pointer, '/');
	for (; *key != '\0'; key++) {
		if (*key == '~' || *key == '/')
			pl_buf_add_text(pointer, *key == '~' ? "~0" : "~1");
		else
			pl_buf_add_char(pointer, *key);
	}
}

static void replace_within(struct walk *walk, json_t *json)
{
	size_t len = walk->pointer.len;

	PL_JSON_EACH_MEMBER(key, value, json) {
		const struct word *word = word_of(walk, value);
		add_key(&walk->pointer, key);
		if (word != NULL)
			json_object_set_new(json, key, value_of(walk, key, word));
		else
			replace_within(walk, value);
		walk->pointer.len = len;
	}
	PL_JSON_EACH(item, json) {
		const struct word *word = word_of(walk, item);
		pl_buf_addf(&walk->pointer, "/%zu", item_at);
		if (word != NULL)
			json_array_set_new(json, item_at, value_of(walk, NULL, word));
		else
			replace_within(walk, item);
		walk->pointer.len = len;
	}
}

int res_python_json_parse(const char *text, size_t len, const char *source, json_t **ret,
			  json_t **ret_replaced, struct pl_err *err)
{
	auto_json json_t *json = NULL;
	auto_json json_t *replaced = json_array();
	char mark[MARK_BYTES];
	size_t clean_len = 0;

	make_mark(text, len, mark);
	auto_free char *clean = as_json(text, len, mark, &clean_len);
	if (pl_json_parse_texts(clean, clean_len, source, &json, err) < 0)
		return -1;
	struct walk walk = { .mark = mark,
			     .pointer = PL_BUF(POINTER_BYTES_MAX),
			     .replaced = replaced };
	replace_within(&walk, json);
	pl_buf_done(&walk.pointer);
	*ret = pl_take(json);
	if (ret_replaced != NULL)
		*ret_replaced = pl_take(replaced);
	return 0;
}
