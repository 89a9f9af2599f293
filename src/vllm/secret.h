/*
 * What is shown to nobody, in vLLM's command lines and in JSON values: "***" stands in place of it.
 * A flag is judged by the reference release's rows, whatever overlay is in use.
 */
#pragma once

#include "base/json.h"
#include "option/secret.h"

#include <stdbool.h>

/* Is it the flag ("--hf-token", "--hf-token=x") of a secret, or one that was meant to be? */
bool vllm_secret_is_flag(const char *word);

/* The word as it is shown, whatever stands in front of it. The caller's (free()). */
char *vllm_secret_word_shown(const char *word);
/* Words of a command line as they are shown. New reference; NULL for no array. */
json_t *vllm_secret_words_shown(const json_t *words);
/* A deep copy; texts, objects and lists of secret keys are "***", lists of texts are words. */
json_t *vllm_secret_json_shown(const json_t *value);
/* Would that be another value than this one? */
bool vllm_secret_json_has(const json_t *value);
