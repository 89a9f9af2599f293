/*
 * Values as Python's repr() writes them: 'text', 1, 2.5, inf, True, None, ['a'], {'k': 1}, (1, 2). Not literals, such as
 * <function f at 0x7f> and Config(a=1), are skipped.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>

/*
 * Reads "name=value" of a call's arguments and the comma after it. False: the list ends, or is none. *ret_key: the
 * caller's (free()). *ret_value: a new reference; NULL: the value is None or no literal.
 */
bool res_python_next_argument(const char **at, const char *end, char **ret_key, json_t **ret_value);
