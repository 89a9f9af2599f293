/*
 * What is shown to nobody: which variables, keys and flags hold secrets, and command lines and JSON
 * values with "***" in place of them.
 */
#ifndef VLLM_SECRET_H
#define VLLM_SECRET_H

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

#define VLLM_SECRET_SHOWN "***"

/*
 * Is the value of this environment variable, or of a key or flag named so, shown to nobody? The
 * name is taken word by word (HF_TOKEN, hf-token, hfToken): TOKENIZERS_PARALLELISM and
 * MAX_TOKENS are none.
 */
bool vllm_variable_is_secret(const char *name);

/* Is it the flag ("--hf-token", "--hf-token=x") of a secret, or one that was meant to be? */
bool vllm_secret_is_flag(const char *word);
/* Does the JSON text, well formed or not, have a secret by a key's name? */
bool vllm_secret_in_json(const char *text);
/* Does the text stand at a secret key within an object ("server.x.token"), or hold such a one? */
bool vllm_secret_is_held(const char *key, const char *text);
/* Does the text hold a URL with a password, "scheme://user:password@host"? */
bool vllm_secret_in_url(const char *text);
/* The text with "***" for such passwords. The caller's (free()). */
char *vllm_secret_urls_shown(const char *text);
/* Does the word hold "NAME=value" with a secret's name and a value that no shell fills in? */
bool vllm_secret_is_assigned(const char *word);

/* The word as it is shown, whatever stands in front of it. The caller's (free()). */
char *vllm_secret_word_shown(const char *word);
/* Words of a command line as they are shown. New reference; NULL for no array. */
json_t *vllm_secret_words_shown(const json_t *words);
/* A deep copy; texts, objects and lists of secret keys are "***", lists of texts are words. */
json_t *vllm_secret_json_shown(const json_t *value);

#endif
