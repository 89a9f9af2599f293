#include "vllm/secret.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/server_args.h"

static bool has_one_of(const char *name, const char *const *parts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strstr(name, parts[i]) != NULL)
			return true;
	}
	return false;
}

/* "_HF_TOKEN_" of "hfToken2": upper case, one '_' around each word, no digits at a word's end. */
static char *name_of_words(const char *text)
{
	char *name = pl_alloc(2 * strlen(text) + 3);
	size_t len = 0;

	name[len++] = '_';
	for (const char *at = text; *at != '\0'; at++) {
		unsigned char c = (unsigned char)*at;
		bool begins = at > text && isupper(c) && islower((unsigned char)at[-1]);
		if (begins || !isalnum(c)) {
			while (isdigit((unsigned char)name[len - 1]))
				len--;
			if (name[len - 1] != '_')
				name[len++] = '_';
		}
		if (isalnum(c))
			name[len++] = (char)toupper(c);
	}
	while (isdigit((unsigned char)name[len - 1]))
		len--;
	if (name[len - 1] != '_')
		name[len++] = '_';
	name[len] = '\0';
	return name;
}

bool vllm_variable_is_secret(const char *name)
{
	/* also glued to what stands before: PGPASSWORD */
	static const char *const anywhere[] = {
		"SECRET_",     "SECRETS_",        "PASSWORD_",    "PASSWORDS_",  "PASSWD_",
		"APIKEY_",     "APIKEYS_",        "CREDENTIAL_",  "SECRETKEY_",  "ACCESSKEY_",
		"PASSPHRASE_", "_AUTHORIZATION_", "CREDENTIALS_", "PRIVATEKEY_", "_API_KEY_",
		"_API_KEYS_",  "_ACCESS_KEY_",
	};
	static const char *const last[] = { "_KEY_", "_KEYS_", "_PASS_" };
	/* keys by which something is looked up */
	static const char *const lookups[] = { "_CONFIG_KEY_", "_CACHE_KEY_", "_SORT_KEY_",
					       "_PUBLIC_KEY_" };
	static const char *const tokens[] = { "TOKEN_", "TOKENS_" };
	/* counts of tokens, and the tokens of a vocabulary */
	static const char *const of_models[] = {
		"_MAX_",         "_MIN_",    "_NUM_",     "_PER_",       "_BATCHED_",
		"_SPECULATIVE_", "_ID_",     "_IDS_",     "_EOS_",       "_BOS_",
		"_PAD_",         "_UNK_",    "_SEP_",     "_CLS_",       "_MASK_",
		"_STOP_",        "_FROM_",   "_IMAGE_",   "_VIDEO_",     "_AUDIO_",
		"_SPECIAL_",     "_BUDGET_", "_BUDGETS_", "_THRESHOLD_", "_ADDED_",
	};
	auto_free char *words = name_of_words(name);

	if (has_one_of(words, anywhere, PL_ARRAY_SIZE(anywhere)))
		return true;
	for (size_t i = 0;
	     i < PL_ARRAY_SIZE(last) && !has_one_of(words, lookups, PL_ARRAY_SIZE(lookups)); i++) {
		if (pl_text_ends(words, last[i]))
			return true;
	}
	/* not the folder in PWD */
	if (pl_text_ends(words, "_PWD_") && strcmp(words, "_PWD_") != 0)
		return true;
	return has_one_of(words, tokens, PL_ARRAY_SIZE(tokens)) &&
	       !has_one_of(words, of_models, PL_ARRAY_SIZE(of_models));
}

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
static bool begins_flag(const char *name, bool secret)
{
	auto_free char *flag = pl_asprintf("--%s", name);

	for (char *at = flag; *at != '\0'; at++)
		*at = *at == '_' ? '-' : *at;
	for (size_t i = 0; i < vllm_arg_count(); i++) {
		const struct vllm_arg *arg = vllm_arg_at(i);
		if (vllm_arg_is_secret(arg) == secret && pl_text_starts(arg->flag, flag))
			return true;
	}
	return false;
}

bool vllm_secret_is_flag(const char *word)
{
	size_t dashes = dashes_len(word);
	auto_free char *name = pl_strndup(word + dashes, strcspn(word + dashes, "="));
	const char *member = strrchr(name, '.');

	if (dashes == 0 || strlen(name) < 2)
		return false;
	if (member != NULL)
		return vllm_variable_is_secret(member + 1);
	const struct vllm_arg *arg = vllm_arg_find(name);
	if (arg != NULL)
		return vllm_arg_is_secret(arg);
	if (vllm_arg_find_negative(name) != NULL)
		return false;
	if (begins_flag(name, true))
		return true;
	if (begins_flag(name, false))
		return false;
	const char *nearest = vllm_arg_nearest(name);
	return vllm_variable_is_secret(name) ||
	       (nearest != NULL && vllm_arg_is_secret(vllm_arg_find(nearest)));
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Does a secret's name end at `end` (not below `text`)? */
static bool is_named_secret(const char *text, const char *end)
{
	const char *begin = end;

	while (begin > text && is_name_char(begin[-1]))
		begin--;
	auto_free char *name = pl_strndup(begin, (size_t)(end - begin));
	return name[0] != '\0' && vllm_variable_is_secret(name);
}

/* A number, a truth value or null: no secret whatever its key is. */
static bool is_plain_json(const char *value)
{
	value += strspn(value, " \t\n");
	auto_free char *text = pl_strndup(value, strcspn(value, ",}] \t\n"));
	double number;

	return strcmp(text, "true") == 0 || strcmp(text, "false") == 0 ||
	       strcmp(text, "null") == 0 || pl_text_to_f64(text, &number);
}

bool vllm_secret_in_json(const char *text)
{
	text += strspn(text, " \t\n");
	if (text[0] != '{' && text[0] != '[')
		return false;
	for (const char *at = text; *at != '\0'; at++) {
		const char *end = at;
		if (*at != ':')
			continue;
		/* a key of a JSON text in a JSON text ends in \" */
		while (end > text && strchr(" \t\n\"'\\", end[-1]) != NULL)
			end--;
		if (is_named_secret(text, end) && !is_plain_json(at + 1))
			return true;
	}
	return false;
}

/*
 * Where the next password of a URL begins, and its length; NULL: there is none. Alone in front of
 * the '@' of a web address stands a token.
 */
static const char *find_url_password(const char *text, size_t *ret_len)
{
	const char *begin = text;

	for (const char *at = strstr(text, "://"); at != NULL; at = strstr(at, "://")) {
		at += strlen("://");
		size_t host = strcspn(at, "/?#\"' \t\r\n");
		const char *sign = memrchr(at, '@', host);
		const char *colon = sign != NULL ? memchr(at, ':', (size_t)(sign - at)) : NULL;
		const char *from = colon != NULL ? colon + 1 : at;
		bool is_web = at - begin >= 7 && (memcmp(at - 7, "http://", 7) == 0 ||
						  memcmp(at - 7, "ttps://", 7) == 0);
		if (sign == NULL || from == sign || (colon == NULL && !is_web))
			continue;
		*ret_len = (size_t)(sign - from);
		return from;
	}
	return NULL;
}

bool vllm_secret_in_url(const char *text)
{
	size_t len;

	const char *password = find_url_password(text, &len);

	return password != NULL && strncmp(password, VLLM_SECRET_SHOWN, len) != 0;
}

char *vllm_secret_urls_shown(const char *text)
{
	auto_buf shown = { 0 };
	const char *password;
	size_t len;

	pl_buf_init(&shown, SIZE_MAX / 2);
	while ((password = find_url_password(text, &len)) != NULL) {
		pl_buf_add(&shown, text, (size_t)(password - text));
		pl_buf_add_text(&shown, VLLM_SECRET_SHOWN);
		text = password + len;
	}
	pl_buf_add_text(&shown, text);
	return pl_buf_take(&shown);
}

bool vllm_secret_is_held(const char *key, const char *text)
{
	const char *last = key != NULL ? strrchr(key, '.') : NULL;
	bool in_object = last != NULL && (key[0] == '-' || strchr(key, '.') != last);

	return vllm_secret_in_json(text) || vllm_secret_in_url(text) ||
	       (in_object && vllm_variable_is_secret(last + 1) && vllm_arg_find(last + 1) == NULL);
}

/* Where the value of "NAME=value" begins in the word; NULL: there is none. */
static const char *assigned_value(const char *word)
{
	const char *from = word;

	if (pl_text_starts(word, "--"))
		from += strcspn(word, "=");
	for (const char *at = from; *at != '\0'; at++) {
		if (*at == '=' && at > from && is_named_secret(from, at))
			return at + 1;
	}
	return NULL;
}

bool vllm_secret_is_assigned(const char *word)
{
	const char *value = assigned_value(word);

	if (value == NULL)
		return false;
	value += strspn(value, "\"'");
	bool filled_in = value[0] == '$' && (isalpha((unsigned char)value[1]) || value[1] == '_' ||
					     value[1] == '{' || value[1] == '(');
	return value[0] != '\0' && !filled_in;
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
		return vllm_secret_in_json(text) ? pl_strdup(VLLM_SECRET_SHOWN) : NULL;
	auto_json json_t *shown = vllm_secret_json_shown(json);
	return json_equal(json, shown) ? NULL : pl_json_to_text(shown, PL_JSON_COMPACT);
}

char *vllm_secret_word_shown(const char *word)
{
	size_t name_len = strcspn(word, "=");
	bool is_joined = dashes_len(word) > 0 && word[name_len] == '=';
	size_t value_at = is_joined ? name_len + 1 : 0;

	if (is_joined && word[value_at] != '\0' && vllm_secret_is_flag(word))
		return pl_asprintf("%.*s" VLLM_SECRET_SHOWN, (int)value_at, word);
	auto_free char *json = json_text_shown(word + value_at);
	if (json != NULL)
		return pl_asprintf("%.*s%s", (int)value_at, word, json);
	const char *value = assigned_value(word);
	if (value == NULL || value[0] == '\0')
		return vllm_secret_urls_shown(word);
	return pl_asprintf("%.*s" VLLM_SECRET_SHOWN, (int)(value - word), word);
}

json_t *vllm_secret_words_shown(const json_t *words)
{
	json_t *all = json_is_array(words) ? json_array() : NULL;
	bool hides = false;
	size_t i;
	json_t *item;

	json_array_foreach((json_t *)words, i, item)
	{
		const char *word = json_string_value(item);
		if (word == NULL) {
			json_array_append_new(all, json_deep_copy(item));
			continue;
		}
		bool is_flag = dashes_len(word) > 0;
		auto_free char *text = vllm_secret_word_shown(word);
		hides = hides && !is_flag;
		json_array_append_new(all, json_string(hides ? VLLM_SECRET_SHOWN : text));
		hides = hides || (is_flag && vllm_secret_is_flag(word));
	}
	return all;
}

/* No number or truth value is one, nor is a list of them. */
static bool can_be_secret(const json_t *value)
{
	if (!json_is_array(value))
		return json_is_string(value) || json_is_object(value);
	for (size_t i = 0; i < json_array_size(value); i++) {
		if (can_be_secret(json_array_get(value, i)))
			return true;
	}
	return false;
}

static json_t *object_shown(const json_t *object)
{
	json_t *all = json_object();
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		json_object_set_new(all, key,
				    can_be_secret(value) && vllm_variable_is_secret(key)
					    ? json_string(VLLM_SECRET_SHOWN)
					    : vllm_secret_json_shown(value));
	}
	return all;
}

static bool has_texts_only(const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		if (!json_is_string(json_array_get(list, i)))
			return false;
	}
	return true;
}

static json_t *text_shown(const char *text)
{
	if (vllm_secret_in_json(text))
		return json_string(VLLM_SECRET_SHOWN);
	auto_free char *shown = vllm_secret_urls_shown(text);
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
	for (size_t i = 0; i < json_array_size(value); i++)
		json_array_append_new(all, vllm_secret_json_shown(json_array_get(value, i)));
	return all;
}
