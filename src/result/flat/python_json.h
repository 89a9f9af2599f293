/*
 * JSON as Python's json.dump() writes it: with NaN, Infinity and -Infinity, and with lone halves of surrogate pairs in
 * strings, none of which is JSON.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

/*
 * Parses such text. A number that is none becomes null; of a key that may be infinite (a request rate, a burstiness)
 * an infinite one becomes "inf" or "-inf". *ret_replaced (NULL: not wanted), a new reference, lists the numbers that
 * became null: {pointer, found}. `source` is the text's name in messages.
 */
int res_python_json_parse(const char *text, size_t len, const char *source, json_t **ret,
			  json_t **ret_replaced, struct pl_err *err) PL_MUST_CHECK;
