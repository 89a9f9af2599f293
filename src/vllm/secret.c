/*
 * Secrets among vLLM's words and values. A flag may be abbreviated, misspelled or typed with a wide
 * dash, and its value is still a secret: a flag similar to a secret one is treated as one.
 */
#include "vllm/secret.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/secret_text.h"
#include "vllm/bench_options.h"
#include "vllm/catalog.h"

/* Shorter beginnings mean several options of `bench serve`. */
enum { BENCH_FLAG_LEAST = 3 };

/* Length of the leading dashes, typed or made of two hyphens by a text editor. */
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

/* Returns whether it is the prefix of a flag; `secret`: of a secret one. */
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

/* Returns whether `bench serve` has such a flag: "--header", "--head". */
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

/* Returns whether it is the exact name of a flag. *ret_secret: of a secret one. */
static bool is_exact_flag(const char *name, bool *ret_secret)
{
	const struct vllm_catalog *catalog = vllm_catalog_reference();
	const struct option_row *arg = vllm_arg_find(catalog, name);
	enum vllm_bench_id option = vllm_bench_find(name);

	*ret_secret = arg != NULL && arg->secret;
	if (arg != NULL || vllm_arg_find_negative(catalog, name) != NULL)
		return true;
	if (option == VLLM_BENCH_COUNT)
		return false;
	*ret_secret = vllm_bench_row(option)->secret;
	return true;
}

/* The exact names decide first, in both directions; only then beginnings and the nearest name. */
bool vllm_secret_is_flag(const char *word)
{
	const struct vllm_catalog *catalog = vllm_catalog_reference();
	size_t dashes = dashes_len(word);
	auto_free char *name = pl_strndup(word + dashes, strcspn(word + dashes, "="));
	const char *member = strrchr(name, '.');
	bool is_secret;

	if (dashes == 0 || strlen(name) < 2)
		return false;
	if (member != NULL)
		return option_secret_is_name(member + 1);
	if (is_exact_flag(name, &is_secret))
		return is_secret;
	if (begins_flag(catalog, name, true) || begins_bench_flag(name))
		return true;
	if (begins_flag(catalog, name, false))
		return false;
	const char *nearest = vllm_arg_nearest(catalog, name);
	return option_secret_is_name(name) ||
	       (nearest != NULL && vllm_arg_find(catalog, nearest)->secret);
}

/* In a text that may not be a command line, similar flags do not count. */
static bool is_flag_in_text(const char *word)
{
	const char *name = word + dashes_len(word);
	const char *member = strrchr(name, '.');
	bool is_secret;

	if (member == NULL && strlen(name) > 1 && is_exact_flag(name, &is_secret))
		return is_secret;
	return option_secret_is_name(member != NULL ? member + 1 : name);
}

/* NULL: it has no secrets. */
static char *text_shown(const char *text)
{
	auto_free char *shown = option_secret_text_shown(text, is_flag_in_text);

	/* a number at a secret key, which no JSON hides, may have become a text */
	if (shown != NULL && option_secret_in_json(shown))
		return pl_strdup(OPTION_SECRET_SHOWN);
	return pl_take(shown);
}

/* Returns JSON without its secrets, "***" if it is malformed; NULL: it has no secrets. */
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
		char *shown = text_shown(word);
		return shown != NULL ? shown : pl_strdup(word);
	}
	return pl_asprintf("%.*s" OPTION_SECRET_SHOWN, (int)(value - word), word);
}

/* Shows the name of a header, "NAME=value". */
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

/* NULL: it is shown as it is. */
static json_t *lone_text_shown(const char *text)
{
	auto_free char *shown = NULL;

	if (option_secret_in_json(text))
		return json_string(OPTION_SECRET_SHOWN);
	shown = text_shown(text);
	return shown != NULL ? json_string(shown) : NULL;
}

json_t *vllm_secret_json_shown(const json_t *value)
{
	if (json_is_object(value))
		return object_shown(value);
	if (json_is_string(value)) {
		json_t *shown = lone_text_shown(json_string_value(value));
		return shown != NULL ? shown : json_deep_copy(value);
	}
	if (!json_is_array(value))
		return json_deep_copy(value);
	if (has_texts_only(value))
		return vllm_secret_words_shown(value);
	json_t *all = json_array();
	PL_JSON_EACH(item, value)
		json_array_append_new(all, vllm_secret_json_shown(item));
	return all;
}

static bool text_has(const char *text)
{
	auto_json json_t *shown = lone_text_shown(text);

	return shown != NULL;
}

static bool object_has(const json_t *object)
{
	PL_JSON_EACH_MEMBER(key, value, object) {
		if (can_be_secret(value) && option_secret_is_name(key)
			    ? !pl_text_equal(json_string_value(value), OPTION_SECRET_SHOWN)
			    : vllm_secret_json_has(value))
			return true;
	}
	return false;
}

bool vllm_secret_json_has(const json_t *value)
{
	if (json_is_object(value))
		return object_has(value);
	if (json_is_string(value))
		return text_has(json_string_value(value));
	if (json_is_array(value) && has_texts_only(value)) {
		auto_json json_t *shown = vllm_secret_words_shown(value);
		return !json_equal(shown, value);
	}
	PL_JSON_EACH(item, value) {
		if (vllm_secret_json_has(item))
			return true;
	}
	return false;
}
