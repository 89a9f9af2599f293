/*
 * Secrets among vLLM's words and values. A flag may be abbreviated, misspelt or typed with a wide
 * dash, and its value is a secret all the same: what is near a secret flag is treated as one.
 */
#include "vllm/secret.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "vllm/bench_options.h"
#include "vllm/catalog.h"

/* Shorter beginnings mean several options of `bench serve`. */
enum { BENCH_FLAG_LEAST = 3 };
/* Of one text: what no command has is a text of another kind, and the search for near names is slow. */
enum { FLAGS_MAX = 1000 };
/* Levels of quotes in quotes; behind them all is hidden. */
enum { QUOTES_MAX = 8 };

/* Length of the dashes in front, typed or made of two hyphens by a text editor. */
static size_t dashes_len(const char *word)
{
	size_t len = 0;

	while (true) {
		if (word[len] == '-')
			len++;
		else if (pl_text_starts(word + len, "\xE2\x80\x93") ||
			 pl_text_starts(word + len, "\xE2\x80\x94"))
			len += 3;
		else
			return len;
	}
}

/* Is it the beginning of a flag? `secret`: of a secret one. */
static bool begins_flag(const struct vllm_catalog *catalog, const char *name, bool secret)
{
	auto_free char *flag = pl_asprintf("--%s", name);

	for (char *at = flag; *at != '\0'; at++)
		*at = *at == '_' ? '-' : *at;
	for (size_t i = 0; i < vllm_arg_count(catalog); i++) {
		const struct option_row *arg = vllm_arg_at(catalog, i);
		if (arg->secret == secret && pl_text_starts(arg->flag, flag))
			return true;
	}
	return false;
}

/* Of `bench serve`: "--header", "--head". */
static bool begins_bench_flag(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		const struct option_row *row = vllm_bench_row((enum vllm_bench_id)i);
		if (row->secret && len >= BENCH_FLAG_LEAST &&
		    strncmp(row->flag + strlen("--"), name, len) == 0)
			return true;
	}
	return false;
}

/* The exact names decide first, in both directions; only then beginnings and the nearest name. */
bool vllm_secret_is_flag(const char *word)
{
	const struct vllm_catalog *catalog = vllm_catalog_reference();
	size_t dashes = dashes_len(word);
	auto_free char *name = pl_strndup(word + dashes, strcspn(word + dashes, "="));
	const char *member = strrchr(name, '.');

	if (dashes == 0 || strlen(name) < 2)
		return false;
	if (member != NULL)
		return option_secret_is_name(member + 1);
	const struct option_row *arg = vllm_arg_find(catalog, name);
	if (arg != NULL)
		return arg->secret;
	if (vllm_arg_find_negative(catalog, name) != NULL)
		return false;
	enum vllm_bench_id option = vllm_bench_find(name);
	if (option != VLLM_BENCH_COUNT)
		return vllm_bench_row(option)->secret;
	if (begins_flag(catalog, name, true) || begins_bench_flag(name))
		return true;
	if (begins_flag(catalog, name, false))
		return false;
	const char *nearest = vllm_arg_nearest(catalog, name);
	return option_secret_is_name(name) ||
	       (nearest != NULL && vllm_arg_find(catalog, nearest)->secret);
}

/* JSON without its secrets, "***" where it is not well formed; NULL: there are none. */
static char *json_text_shown(const char *text)
{
	size_t blanks = strspn(text, " \t\n");
	auto_json json_t *json = NULL;

	if (text[blanks] != '{' && text[blanks] != '[')
		return NULL;
	json = json_loads(text, 0, NULL);
	if (json == NULL)
		return option_secret_in_json(text) ? pl_strdup(OPTION_SECRET_SHOWN) : NULL;
	auto_json json_t *shown = vllm_secret_json_shown(json);
	return json_equal(json, shown) ? NULL : pl_json_to_text(shown, PL_JSON_COMPACT);
}

/* ---- commands that are kept as one text ----------------------------------------------------- */

/* Behind the quote that `at` opens; `at` where nothing closes it, as in "don't". */
static const char *quote_end(const char *at)
{
	const char *end = at + 1;

	while (*end != '\0' && *end != *at)
		end += *at == '"' && end[0] == '\\' && end[1] != '\0' ? 2 : 1;
	return *end != '\0' ? end + 1 : at;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* Blanks, and lines that go on, as between a shell's words. */
static const char *skip_blanks(const char *at)
{
	while (strchr(" \t\r\n", *at) != NULL || (at[0] == '\\' && at[1] == '\n')) {
		if (*at == '\0')
			break;
		at += *at == '\\' ? 2 : 1;
	}
	return at;
}

/*
 * Where a shell ends the word that begins at `at`; without quotes and backslashes it is appended to
 * `plain`.
 */
static const char *take_word(const char *at, struct pl_buf *plain)
{
	while (*at != '\0' && skip_blanks(at) == at) {
		const char *end = is_quote(*at) ? quote_end(at) : at;
		const char quote = *at;
		if (end == at) {
			at += at[0] == '\\' && at[1] != '\0';
			pl_buf_add_char(plain, *at++);
			continue;
		}
		for (at++; at < end - 1; at++) {
			at += quote == '"' && at[0] == '\\' && at + 1 < end - 1;
			pl_buf_add_char(plain, *at);
		}
		at = end;
	}
	return at;
}

/* Between two words: a new line that is no continued one. */
static bool has_new_line(const char *at, const char *end)
{
	for (; at < end; at++) {
		if (*at == '\n')
			return true;
		at += *at == '\\';
	}
	return false;
}

static bool is_operator(const char *word)
{
	static const char *const operators[] = { "&&", "||", "|", ";", "&" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(operators); i++) {
		if (strcmp(word, operators[i]) == 0)
			return true;
	}
	return false;
}

struct command_text {
	struct pl_buf shown;
	unsigned depth; /* of quotes in quotes */
	unsigned flags;
	bool hides; /* words, up to the next flag or the command's end */
	bool is_header;
};

static bool is_secret_flag(struct command_text *command, const char *word)
{
	const char *name = word + dashes_len(word);

	if (name == word || !isalpha((unsigned char)*name))
		return false;
	if (command->flags++ < FLAGS_MAX)
		return vllm_secret_is_flag(word);
	auto_free char *alone = pl_strndup(name, strcspn(name, "="));
	return option_secret_is_name(alone);
}

/* Where a secret begins in the word; NULL: nowhere. Variables are those of an environment: other texts
 * have "key=value", too. */
static const char *value_in(const struct command_text *command, const char *word, bool is_secret)
{
	size_t len = strcspn(word, "=");
	const char *value = NULL;

	if (is_secret || command->hides)
		value = word[len] == '=' && (is_secret || command->is_header) ? word + len + 1
									      : NULL;
	else if (dashes_len(word) > 0)
		value = option_secret_assigned(word);
	else if (strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == len)
		value = option_secret_assigned(word);
	return value != NULL && value[0] != '\0' ? value : NULL;
}

static char *command_shown(const char *text, unsigned depth);

/* A word that is JSON, or a command itself (bash -c "…"); NULL: it has no secrets. */
static char *inner_shown(const struct command_text *command, const char *word)
{
	size_t len = strcspn(word, "=");
	size_t value_at = dashes_len(word) > 0 && word[len] == '=' ? len + 1 : 0;
	bool has_words = strpbrk(word, " \t\r\n") != NULL;
	/* else it is the begin of an object that stands in the text unquoted */
	bool is_whole = has_words || pl_text_ends(word, "}") || pl_text_ends(word, "]");
	auto_free char *inner = is_whole ? json_text_shown(word + value_at) : NULL;

	if (inner == NULL && has_words) {
		value_at = 0;
		inner = command->depth < QUOTES_MAX ? command_shown(word, command->depth + 1)
						    : pl_strdup(OPTION_SECRET_SHOWN);
	}
	if (inner == NULL || strcmp(inner, word + value_at) == 0)
		return NULL;
	return pl_asprintf("%.*s'%s'", (int)value_at, word, inner);
}

/* `at` to `end`: as it stands in the text. */
static void show_word(struct command_text *command, const char *at, const char *end,
		      const char *word)
{
	bool is_flag = dashes_len(word) > 0;
	bool is_secret = is_secret_flag(command, word);

	command->hides = command->hides && !is_flag;
	const char *value = value_in(command, word, is_secret);
	auto_free char *inner = NULL;
	if (value != NULL)
		pl_buf_addf(&command->shown, "%.*s" OPTION_SECRET_SHOWN, (int)(value - word), word);
	else if (command->hides)
		pl_buf_add_text(&command->shown, OPTION_SECRET_SHOWN);
	else if ((inner = inner_shown(command, word)) != NULL)
		pl_buf_add_text(&command->shown, inner);
	else
		pl_buf_add(&command->shown, at, (size_t)(end - at));
	command->hides = command->hides || is_secret;
	if (is_flag)
		command->is_header = begins_bench_flag(word + dashes_len(word));
}

/* The text with "***" for what the flags and variables of commands give away. The caller's (free()). */
static char *command_shown(const char *text, unsigned depth)
{
	struct command_text command = { .shown = PL_BUF(SIZE_MAX / 2), .depth = depth };

	for (const char *at = text; *at != '\0';) {
		auto_buf word = PL_BUF(SIZE_MAX / 2);
		const char *begin = skip_blanks(at);
		pl_buf_add(&command.shown, at, (size_t)(begin - at));
		const char *end = take_word(begin, &word);
		if (has_new_line(at, begin) || is_operator(pl_buf_text(&word)))
			command.hides = false;
		if (end > begin)
			show_word(&command, begin, end, pl_buf_text(&word));
		at = end;
	}
	return command.shown.data != NULL ? pl_buf_take(&command.shown) : pl_strdup("");
}

/* ---- words and values ----------------------------------------------------------------------- */

char *vllm_secret_word_shown(const char *word)
{
	size_t name_len = strcspn(word, "=");
	bool is_joined = dashes_len(word) > 0 && word[name_len] == '=';
	size_t value_at = is_joined ? name_len + 1 : 0;

	if (is_joined && word[value_at] != '\0' && vllm_secret_is_flag(word))
		return pl_asprintf("%.*s" OPTION_SECRET_SHOWN, (int)value_at, word);
	auto_free char *json = json_text_shown(word + value_at);
	if (json != NULL)
		return pl_asprintf("%.*s%s", (int)value_at, word, json);
	const char *value = option_secret_assigned(word);
	if (value == NULL || value[0] == '\0') {
		auto_free char *shown = option_secret_urls_shown(word);
		return strpbrk(shown, " \t\r\n") != NULL ? command_shown(shown, 0) : pl_take(shown);
	}
	return pl_asprintf("%.*s" OPTION_SECRET_SHOWN, (int)(value - word), word);
}

/* Of a header, "NAME=value", the name is shown. */
static json_t *hidden_word(const char *word, bool is_header)
{
	size_t len = strcspn(word, "=");

	if (is_header && word[len] == '=')
		return json_sprintf("%.*s=" OPTION_SECRET_SHOWN, (int)len, word);
	return json_string(OPTION_SECRET_SHOWN);
}

/* A list flag hides each word up to the next flag. */
json_t *vllm_secret_words_shown(const json_t *words)
{
	json_t *all = json_is_array(words) ? json_array() : NULL;
	bool hides = false, is_header = false;

	PL_JSON_EACH(item, words) {
		const char *word = json_string_value(item);
		if (word == NULL) {
			json_array_append_new(all, json_deep_copy(item));
			continue;
		}
		bool is_flag = dashes_len(word) > 0;
		auto_free char *text = vllm_secret_word_shown(word);
		hides = hides && !is_flag;
		json_array_append_new(all,
				      hides ? hidden_word(word, is_header) : json_string(text));
		hides = hides || (is_flag && vllm_secret_is_flag(word));
		if (is_flag)
			is_header = begins_bench_flag(word + dashes_len(word));
	}
	return all;
}

/* No number or truth value is one, nor is a list of them. */
static bool can_be_secret(const json_t *value)
{
	if (!json_is_array(value))
		return json_is_string(value) || json_is_object(value);
	PL_JSON_EACH(item, value) {
		if (can_be_secret(item))
			return true;
	}
	return false;
}

static json_t *object_shown(const json_t *object)
{
	json_t *all = json_object();

	PL_JSON_EACH_MEMBER(key, value, object) {
		json_object_set_new(all, key,
				    can_be_secret(value) && option_secret_is_name(key)
					    ? json_string(OPTION_SECRET_SHOWN)
					    : vllm_secret_json_shown(value));
	}
	return all;
}

static bool has_texts_only(const json_t *list)
{
	PL_JSON_EACH(item, list) {
		if (!json_is_string(item))
			return false;
	}
	return true;
}

static json_t *text_shown(const char *text)
{
	if (option_secret_in_json(text))
		return json_string(OPTION_SECRET_SHOWN);
	auto_free char *without = option_secret_urls_shown(text);
	auto_free char *shown = command_shown(without, 0);
	return json_string(shown);
}

json_t *vllm_secret_json_shown(const json_t *value)
{
	if (json_is_object(value))
		return object_shown(value);
	if (json_is_string(value))
		return text_shown(json_string_value(value));
	if (!json_is_array(value))
		return json_deep_copy(value);
	if (has_texts_only(value))
		return vllm_secret_words_shown(value);
	json_t *all = json_array();
	PL_JSON_EACH(item, value)
		json_array_append_new(all, vllm_secret_json_shown(item));
	return all;
}
