/*
 * Values as printed by Python's repr(): 'text', 1, 2.5, inf, True, None, ['a'], {'k': 1}, (1, 2).
 * Other objects, such as <function f at 0x7f> and Config(a=1), are skipped.
 */
#pragma once

#include "base/json.h"

#include <stdbool.h>

/*
 * Reads "name=value" of a call's arguments and the comma after it. Returns false at the end of the
 * list or if it is malformed. The caller frees *ret_key with free(). *ret_value: a new reference;
 * NULL: the value is None or not a literal.
 */
bool res_python_next_argument(const char **at, const char *end, char **ret_key, json_t **ret_value);
