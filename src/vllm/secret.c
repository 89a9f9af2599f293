/*
 * Secrets among vLLM's words and values. A flag may be abbreviated, misspelt or typed with a wide
 * dash, and its value is a secret all the same: what is near a secret flag is treated as one.
 */
#include "vllm/secret.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/bench_options.h"
#include "vllm/catalog.h"

/* Shorter beginnings mean several options of `bench serve`. */
enum { BENCH_FLAG_LEAST = 3 };

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
	if (value == NULL || value[0] == '\0')
		return option_secret_urls_shown(word);
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
	auto_free char *shown = option_secret_urls_shown(text);
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

static bool text_has(const char *text)
{
	auto_json json_t *shown = NULL;

	if (!option_secret_in_json(text) && strstr(text, "://") == NULL)
		return false;
	shown = text_shown(text);
	return !pl_text_equal(json_string_value(shown), text);
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
