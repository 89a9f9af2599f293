/*
 * Between yaml.c and yaml_type.c.
 */
#ifndef BASE_YAML_PRIV_H
#define BASE_YAML_PRIV_H

#include <stddef.h>

/*
 * JSON writes characters beyond U+FFFF as two \u escapes, YAML as one \U escape, and libyaml
 * refuses the former. A copy (free()) with each "\uD83D\uDE00" as "\U0001F600", or NULL when none
 * is there.
 */
char *pl_yaml_join_surrogates(const char *text, size_t len, size_t *ret_len);

#endif
