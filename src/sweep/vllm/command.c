#include "sweep/vllm/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sweep/vllm/params.h"
#include "vllm/python_text.h"
#include "vllm/shell/words.h"

#define TEXT_BYTES_MAX (4u << 20)

/* ---- splitting ---- */

/* Reads one word and moves *at after it. Returns false for an unclosed quote, or a '\' at the end. */
static bool read_word(const char **at, struct pl_buf *word)
{
	char quote = 0;

	for (; **at != '\0' && (quote != 0 || strchr(" \t\r\n", **at) == NULL); (*at)++) {
		bool escapes = **at == '\\' &&
			       (quote == 0 || (quote == '"' && strchr("\"\\", (*at)[1]) != NULL &&
					       (*at)[1] != '\0'));
		if (**at == quote) {
			quote = 0;
		} else if (quote == 0 && (**at == '"' || **at == '\'')) {
			quote = **at;
		} else if (escapes && (*at)[1] == '\0') {
			return false;
		} else {
			*at += escapes;
			pl_buf_add_char(word, **at);
		}
	}
	return quote == 0;
}

int sweep_vllm_command_split(const char *option, const char *text, json_t **ret, struct pl_err *err)
{
	auto_json json_t *words = json_array();

	if (!pl_text_is_utf8(text))
		return pl_err_invalid(err, "%s: expected UTF-8", option);
	for (const char *at = text + strspn(text, " \t\r\n"); *at != '\0';
	     at += strspn(at, " \t\r\n")) {
		auto_buf word = PL_BUF(TEXT_BYTES_MAX);
		if (!read_word(&at, &word))
			return pl_err_invalid(err,
					      "%s: found an unclosed quote or a trailing '\\': %s",
					      option, text);
		json_array_append_new(words, json_string(pl_buf_text(&word)));
	}
	if (json_array_size(words) == 0)
		return pl_err_invalid(err, "%s: expected a command", option);
	*ret = pl_take(words);
	return 0;
}

/* ---- setting ---- */

static char *spelt(const char *key, char from, char to)
{
	char *text = pl_asprintf("--%s", key);
	char *end = strchr(text, '.');

	for (char *at = text + 2; *at != '\0' && at != end; at++)
		*at = *at == from ? to : *at;
	return text;
}

static const char *word_of(const json_t *command, size_t at)
{
	return json_string_value(json_array_get(command, at));
}

/* *ret_joined: its value follows '=' in the same word. */
static bool is_flag(const char *word, const char *flag, bool *ret_joined)
{
	size_t len = strlen(flag);

	*ret_joined = strncmp(word, flag, len) == 0 && word[len] == '=';
	return *ret_joined || strcmp(word, flag) == 0;
}

/* Returns the index of the last occurrence of one of the flags; SIZE_MAX: none. */
static size_t find_last(const json_t *command, char *const flags[3], bool *ret_joined)
{
	for (size_t at = json_array_size(command); at > 1; at--) {
		for (size_t i = 0; i < 3; i++) {
			if (is_flag(word_of(command, at - 1), flags[i], ret_joined))
				return at - 1;
		}
	}
	return SIZE_MAX;
}

/* Returns the value of a parameter as a word. */
static char *value_text(const json_t *value)
{
	return json_is_object(value) || json_is_array(value)
		       ? pl_json_to_text(value, PL_JSON_PYTHON)
		       : vllm_python_text(value);
}

/* Replaces `gone` words at `at`, or appends; value NULL: none. */
static void put(json_t *command, size_t at, size_t gone, const char *word, const char *value)
{
	if (at == SIZE_MAX)
		at = json_array_size(command);
	for (size_t i = 0; i < gone && at < json_array_size(command); i++)
		json_array_remove(command, at);
	json_array_insert_new(command, at, json_string(word));
	if (value != NULL)
		json_array_insert_new(command, at + 1, json_string(value));
}

static void set_one(json_t *command, const char *key, const json_t *value)
{
	char *flags[] = { spelt(key, '_', '-'), spelt(key, '-', '_'), pl_asprintf("--%s", key) };
	auto_free char *text = value_text(value);
	auto_free char *word = NULL;
	bool joined = false;
	size_t at = find_last(command, flags, &joined);

	if (!json_is_boolean(value)) {
		put(command, at, joined ? 1 : 2, flags[0], text);
	} else if (strchr(key, '.') != NULL) {
		const char *next = at != SIZE_MAX ? word_of(command, at + 1) : NULL;
		/* its value may be a separate word */
		bool apart = !joined && next != NULL &&
			     (strcmp(next, "true") == 0 || strcmp(next, "false") == 0);
		word = pl_asprintf("%s=%s", flags[0], json_is_true(value) ? "true" : "false");
		put(command, at, apart ? 2 : 1, word, NULL);
	} else {
		word = json_is_true(value) ? pl_strdup(flags[0])
					   : pl_asprintf("--no-%s", flags[0] + strlen("--"));
		put(command, at, 1, word, NULL);
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(flags); i++)
		free(flags[i]);
}

void sweep_vllm_command_set(json_t *command, const json_t *parameters)
{
	PL_JSON_EACH_MEMBER(key, value, parameters) {
		if (strcmp(key, SWEEP_VLLM_NAME) != 0)
			set_one(command, key, value);
	}
}

void sweep_vllm_command_drop(json_t *command, const char *flag)
{
	char *flags[] = { spelt(flag, '_', '-'), spelt(flag, '-', '_'), pl_asprintf("--%s", flag) };
	bool joined = false;
	size_t at;

	while ((at = find_last(command, flags, &joined)) != SIZE_MAX) {
		json_array_remove(command, at);
		if (!joined && at < json_array_size(command))
			json_array_remove(command, at);
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(flags); i++)
		free(flags[i]);
}

const char *sweep_vllm_command_value(const json_t *command, const char *flag, const char *letter)
{
	for (size_t at = json_array_size(command); at > 1; at--) {
		const char *word = word_of(command, at - 1);
		bool joined = false;
		if (is_flag(word, flag, &joined))
			return joined ? word + strlen(flag) + 1 : word_of(command, at);
		if (letter != NULL && strcmp(word, letter) == 0)
			return word_of(command, at);
	}
	return NULL;
}

void sweep_vllm_command_add(json_t *command, const char *flag, const char *value)
{
	json_array_append_new(command, json_string(flag));
	json_array_append_new(command, json_string(value));
}

char *sweep_vllm_command_text(const json_t *command)
{
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	PL_JSON_EACH(word, command) {
		pl_buf_add_text(&text, word_at > 0 ? " " : "");
		vllm_word_quote(json_string_value(word), &text);
	}
	return pl_strdup(pl_buf_text(&text));
}
