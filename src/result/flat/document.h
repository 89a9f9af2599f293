/*
 * vLLM's flat result converted to a result document with exactly the file's data, so that its
 * fields are read like those of any other result.
 */
#pragma once

#include "result/fields/fields.h"

struct res_flat;

struct res_fields;

/*
 * Returns {timestamp, tags, config: {benchmark, server}, results}: metrics and load options under
 * their names (model_id becomes the model). A value from --metadata becomes a load option or server
 * argument of that name, otherwise, if it is a text, a tag. Lists of single requests are dropped.
 * `date` is local time, so the timestamp has no time zone. New reference.
 */
json_t *res_flat_document(const struct res_fields *fields, const struct res_flat *flat);

/*
 * Puts a value that the user added under the name of a load option or a server argument ("tp" too) into `config`.
 * Returns false if the name is neither, or the value does not fit.
 */
bool res_flat_take_metadata(const struct res_fields *fields, const char *key, json_t *value,
			    json_t *config);
