/*
 * Hides secrets in vLLM's command lines and in JSON values: "***" replaces them. Flags are judged
 * by the reference release's rows, whatever overlay is in use.
 */
#pragma once

#include "base/json.h"
#include "option/secret.h"

#include <stdbool.h>

/*
 * Returns whether it is the flag of a secret ("--hf-token", "--hf-token=x"), or a misspelled one.
 */
bool vllm_secret_is_flag(const char *word);

/*
 * Returns the word for display, independent of the preceding words. The caller frees it with
 * free().
 */
char *vllm_secret_word_shown(const char *word);
/*
 * Returns the words of a command line for display. New reference; NULL if `words` is not an array.
 */
json_t *vllm_secret_words_shown(const json_t *words);
/*
 * Returns a deep copy; texts, objects and lists of secret keys are "***", lists of texts are
 * treated as words.
 */
json_t *vllm_secret_json_shown(const json_t *value);
/* Returns whether that copy would differ from the value. */
bool vllm_secret_json_has(const json_t *value);
