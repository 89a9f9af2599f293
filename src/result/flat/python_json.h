/*
 * JSON as written by Python's json.dump(): with NaN, Infinity and -Infinity, and with unpaired
 * surrogates in strings, none of which is valid JSON.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

/*
 * Parses such text. NaN and infinities become null; for a key that may be infinite (a request rate,
 * a burstiness) an infinity becomes "inf" or "-inf". *ret_replaced (NULL: not needed), a new
 * reference, lists the numbers that became null: {pointer, found}. `source` is the text's name for
 * errors.
 */
int res_python_json_parse(const char *text, size_t len, const char *source, json_t **ret,
			  json_t **ret_replaced, struct pl_err *err) PL_MUST_CHECK;
