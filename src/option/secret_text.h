/*
 * Secrets within a text of any kind, as a shell, curl, a log or a file of settings has them: the value behind
 * a name, the password of an address, the word behind a flag.
 */
#pragma once

#include <stdbool.h>

/* Is the flag ("--api-key") one of a secret? */
typedef bool option_secret_flag_fn(const char *flag);

/*
 * The text with "***" for the values of NAME=value and "NAME: value", also in the query of an address, for
 * those of flags, and for passwords in addresses. NULL: there are none; what is hidden already is none.
 * Counts ("total_tokens: 5", "tokens=512/s") are none either. The caller's (free()).
 */
char *option_secret_text_shown(const char *text, option_secret_flag_fn *is_flag);
