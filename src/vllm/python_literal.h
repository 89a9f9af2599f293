/*
 * Python values as they are printed, and JSON as Python reads it.
 */
#pragma once

#include "base/json.h"

/*
 * "['*']", "{'a': None}", "0.5", "True" as JSON, tuples as lists; NULL where the text is no such
 * value: words, objects ("Config(a=1)"), numbers that JSON does not have. New reference.
 */
json_t *vllm_python_literal(const char *text);

/*
 * A JSON text as Python's json.load() takes it: of a key that is there twice the last counts; NaN
 * and the infinities, which JSON does not have, are 0 and null.
 */
int vllm_python_json(const char *text, size_t len, const char *source, json_t **ret,
		     struct pl_err *err) PL_MUST_CHECK;
