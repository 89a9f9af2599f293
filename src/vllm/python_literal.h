/*
 * Python values as they are printed, and JSON as Python reads it.
 */
#pragma once

#include "base/json.h"

/*
 * Converts "['*']", "{'a': None}", "0.5", "True" to JSON, tuples to lists. Returns NULL for other
 * texts: words, objects ("Config(a=1)"), numbers that JSON cannot represent. New reference.
 */
json_t *vllm_python_literal(const char *text);

/*
 * Parses JSON like Python's json.load(): the last of repeated keys counts. NaN and the infinities,
 * which JSON lacks, become 0 and null.
 */
int vllm_python_json(const char *text, size_t len, const char *source, json_t **ret,
		     struct pl_err *err) PL_MUST_CHECK;
