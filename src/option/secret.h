/*
 * What is shown to nobody, as far as names tell: which variables, keys and parts of a word hold
 * secrets. Texts: option/secret_text.h. Words of vLLM's command lines and JSON values: vllm/secret.h.
 */
#pragma once

#include <stdbool.h>

#define OPTION_SECRET_SHOWN "***"

/*
 * Is the value of this environment variable, or of a key or flag named so, shown to nobody? The
 * name is taken word by word (HF_TOKEN, hf-token, hfToken): TOKENIZERS_PARALLELISM and
 * MAX_TOKENS are none.
 */
bool option_secret_is_name(const char *name);
/* Does the JSON text, well formed or not, have a secret by a key's name? */
bool option_secret_in_json(const char *text);
/* Does the text stand at a secret key within an object ("server.x.token"), or hold such a one? */
bool option_secret_is_held(const char *key, const char *text);
/* Does the text hold a URL with a password, "scheme://user:password@host", or with "?token=…"? */
bool option_secret_in_url(const char *text);
/* The text with "***" for such values. The caller's (free()). */
char *option_secret_urls_shown(const char *text);
/* Where the value of "NAME=value" with a secret's name begins in the word; NULL: there is none. */
const char *option_secret_assigned(const char *word);
/* Does the word hold such a value, and one that no shell fills in? */
bool option_secret_is_assigned(const char *word);
