/*
 * vLLM's flat result as a document of ours: with what it tells and no more, so that its fields are
 * read as those of any other result.
 */
#pragma once

#include "result/fields/fields.h"
#include "result/flat/read.h"

/*
 * {timestamp, tags, config: {benchmark}, results}: figures by their names, options by theirs (model_id
 * is the model), other texts, which --metadata puts there, as tags. Lists of single requests have no
 * place in it; `date` is the writer's local time, so that the timestamp has no zone. New reference.
 */
json_t *res_flat_document(const struct res_fields *fields, const struct res_flat *flat);
