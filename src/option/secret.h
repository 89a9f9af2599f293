/*
 * Secrets as recognized by names: of variables, of keys and of parts of a word. Texts:
 * option/secret_text.h. Words of vLLM's command lines and JSON values: vllm/secret.h.
 */
#pragma once

#include <stdbool.h>

#define OPTION_SECRET_SHOWN "***"

/*
 * Returns whether the value of an environment variable, key or flag with this name is secret. The
 * name is split into words (HF_TOKEN, hf-token, hfToken): TOKENIZERS_PARALLELISM and MAX_TOKENS are
 * not secret.
 */
bool option_secret_is_name(const char *name);
/* Returns whether the JSON text, well-formed or not, has a secret under a key's name. */
bool option_secret_in_json(const char *text);
/*
 * Returns whether the text is the value of a secret key within an object ("server.x.token"), or
 * contains such a value.
 */
bool option_secret_is_held(const char *key, const char *text);
/*
 * Returns whether the text has a URL with a password, "scheme://user:password@host", or with
 * "?token=…".
 */
bool option_secret_in_url(const char *text);
/* Returns the text with "***" for such values. The caller frees it with free(). */
char *option_secret_urls_shown(const char *text);
/* Returns the start of the value in a word "NAME=value" with a secret's name; NULL: none. */
const char *option_secret_assigned(const char *word);
/* Returns whether the word has such a value that is not a shell variable. */
bool option_secret_is_assigned(const char *word);
