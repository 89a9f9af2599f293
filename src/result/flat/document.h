/*
 * vLLM's flat result converted to a result document with exactly the file's data, so that its
 * fields are read like those of any other result.
 */
#pragma once

#include "result/fields/fields.h"

struct res_fields;

/*
 * Puts a value that the user added under the name of a load option or a server argument ("tp" too) into `config`.
 * Returns false if the name is neither, or the value does not fit.
 */
bool res_flat_take_metadata(const struct res_fields *fields, const char *key, json_t *value,
			    json_t *config);
