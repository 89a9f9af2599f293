/*
 * vLLM's flat result as a document of ours: with what it tells and no more, so that its fields are
 * read as those of any other result.
 */
#pragma once

#include "result/fields/fields.h"

struct res_flat;

struct res_fields;

/*
 * {timestamp, tags, config: {benchmark, server}, results}: metrics by their names, load options by theirs (model_id
 * is the model). What --metadata adds goes by its name: as a load option, as an argument of the server, else, where it is
 * a text, as a tag. Lists of single requests have no
 * place in it; `date` is the writer's local time, so that the timestamp has no zone. New reference.
 */
json_t *res_flat_document(const struct res_fields *fields, const struct res_flat *flat);

/*
 * Puts a value that the user added under the name of a load option or a server argument ("tp" too) into `config`.
 * Returns false if the name is neither, or the value does not fit.
 */
bool res_flat_take_metadata(const struct res_fields *fields, const char *key, json_t *value,
			    json_t *config);
