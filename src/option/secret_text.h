/*
 * Secrets within any text, from a shell, curl, a log or a settings file: the value after a name,
 * the password of a URL, the word after a flag.
 */
#pragma once

#include <stdbool.h>

/* Returns whether the flag ("--api-key") takes a secret. */
typedef bool option_secret_flag_fn(const char *flag);

/*
 * Returns the text with "***" for the values of NAME=value and "NAME: value", also in the query of
 * a URL, for those of flags, and for passwords in URLs. NULL: none; hidden values and counts
 * ("total_tokens: 5", "tokens=512/s") are not secrets. The caller frees it with free().
 */
char *option_secret_text_shown(const char *text, option_secret_flag_fn *is_flag);
