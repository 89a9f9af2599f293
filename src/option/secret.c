/*
 * Secrets are recognized by names, because values have no typical form: a name in any spelling
 * (HF_TOKEN, hfToken, --api-key), a key in JSON, a password in a URL. Hiding too many values is a
 * nuisance, showing one secret is a leak.
 */
#include "option/secret.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"

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

/* Three letters of each word that one of the names below has: most names have none of them. */
static bool may_be_name(const char *name)
{
	static const char *const parts[] = {
		"sec", "pas", "key", "cre", "aut", "tok", "pwd", "coo"
	};

	for (; *name != '\0'; name++) {
		for (size_t i = 0; i < PL_ARRAY_SIZE(parts); i++) {
			if ((name[0] | 0x20) == parts[i][0] && strncasecmp(name, parts[i], 3) == 0)
				return true;
		}
	}
	return false;
}

/* "token" is ambiguous: a part of a model's text, or a credential. */
bool option_secret_is_name(const char *name)
{
	/* also without a separator before it: PGPASSWORD */
	static const char *const anywhere[] = {
		"SECRET_",     "SECRETS_",        "PASSWORD_",    "PASSWORDS_",  "PASSWD_",
		"APIKEY_",     "APIKEYS_",        "CREDENTIAL_",  "SECRETKEY_",  "ACCESSKEY_",
		"PASSPHRASE_", "_AUTHORIZATION_", "CREDENTIALS_", "PRIVATEKEY_", "_API_KEY_",
		"_API_KEYS_",  "_ACCESS_KEY_",
	};
	static const char *const last[] = { "_KEY_", "_KEYS_", "_PASS_", "_COOKIE_", "_COOKIES_" };
	/* keys for lookups */
	static const char *const lookups[] = { "_CONFIG_KEY_", "_CACHE_KEY_", "_SORT_KEY_",
					       "_PUBLIC_KEY_" };
	static const char *const tokens[] = { "TOKEN_", "TOKENS_" };
	/* counts of tokens, and the tokens of a vocabulary */
	static const char *const of_models[] = {
		"_MAX_",         "_MIN_",      "_NUM_",       "_PER_",       "_BATCHED_",
		"_SPECULATIVE_", "_TOKEN_ID_", "_TOKEN_IDS_", "_EOS_",       "_BOS_",
		"_PAD_",         "_UNK_",      "_SEP_",       "_CLS_",       "_MASK_",
		"_STOP_",        "_FROM_",     "_IMAGE_",     "_VIDEO_",     "_AUDIO_",
		"_SPECIAL_",     "_BUDGET_",   "_BUDGETS_",   "_THRESHOLD_", "_ADDED_",
		"_COUNT_",       "_COUNTS_",   "_LEN_",       "_LENGTH_",    "_LENGTHS_",
		"_THROUGHPUT_",
	};
	/* of several: one alone may open an account (INPUT_TOKEN) */
	static const char *const counted[] = { "_TOTAL_TOKENS_",      "_INPUT_TOKENS_",
					       "_OUTPUT_TOKENS_",     "_PROMPT_TOKENS_",
					       "_GENERATION_TOKENS_", "_GENERATED_TOKENS_",
					       "_COMPLETION_TOKENS_" };
	if (!may_be_name(name))
		return false;
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
	       !has_one_of(words, of_models, PL_ARRAY_SIZE(of_models)) &&
	       !has_one_of(words, counted, PL_ARRAY_SIZE(counted));
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Returns whether a secret's name ends at `end` (not below `text`). */
static bool is_named_secret(const char *text, const char *end)
{
	const char *begin = end;

	while (begin > text && is_name_char(begin[-1]))
		begin--;
	auto_free char *name = pl_strndup(begin, (size_t)(end - begin));
	return name[0] != '\0' && option_secret_is_name(name);
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

/* The text need not be well-formed: an error in it must not reveal it. */
bool option_secret_in_json(const char *text)
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

/* "https://host/x?a=1&token=S": the next such value. */
static const char *find_url_member(const char *text, size_t *ret_len)
{
	for (const char *at = strchr(text, '='); at != NULL; at = strchr(at + 1, '=')) {
		const char *begin = at;
		while (begin > text && is_name_char(begin[-1]))
			begin--;
		if (begin == text || (begin[-1] != '?' && begin[-1] != '&') ||
		    !is_named_secret(text, at))
			continue;
		*ret_len = strcspn(at + 1, "&#<>\"' \t\r\n");
		if (*ret_len > 0)
			return at + 1;
	}
	return NULL;
}

/*
 * Returns the start of the next password of a URL, and its length; NULL: none. A name alone before
 * the '@' of a web address is a token.
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

typedef const char *find_fn(const char *text, size_t *ret_len);

/* Returns whether any of them is not hidden yet. */
static bool has_found(const char *text, find_fn *find)
{
	size_t len;

	while ((text = find(text, &len)) != NULL) {
		if (len != strlen(OPTION_SECRET_SHOWN) ||
		    memcmp(text, OPTION_SECRET_SHOWN, len) != 0)
			return true;
		text += len;
	}
	return false;
}

bool option_secret_in_url(const char *text)
{
	return strstr(text, "://") != NULL &&
	       (has_found(text, find_url_password) || has_found(text, find_url_member));
}

static char *found_shown(const char *text, find_fn *find)
{
	auto_buf shown = PL_BUF(SIZE_MAX / 2);
	const char *found;
	size_t len;

	while ((found = find(text, &len)) != NULL) {
		pl_buf_add(&shown, text, (size_t)(found - text));
		pl_buf_add_text(&shown, OPTION_SECRET_SHOWN);
		text = found + len;
	}
	pl_buf_add_text(&shown, text);
	return pl_buf_take(&shown);
}

char *option_secret_urls_shown(const char *text)
{
	if (!option_secret_in_url(text))
		return pl_strdup(text);
	auto_free char *without = found_shown(text, find_url_password);
	return found_shown(without, find_url_member);
}

bool option_secret_is_held(const char *key, const char *text)
{
	const char *last = key != NULL ? strrchr(key, '.') : NULL;
	bool in_object = last != NULL && (key[0] == '-' || strchr(key, '.') != last);

	return option_secret_in_json(text) || option_secret_in_url(text) ||
	       (in_object && option_secret_is_name(last + 1));
}

const char *option_secret_assigned(const char *word)
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

bool option_secret_is_assigned(const char *word)
{
	const char *value = option_secret_assigned(word);

	if (value == NULL)
		return false;
	value += strspn(value, "\"'");
	bool filled_in = value[0] == '$' && (isalpha((unsigned char)value[1]) || value[1] == '_' ||
					     value[1] == '{' || value[1] == '(');
	return value[0] != '\0' && !filled_in;
}
