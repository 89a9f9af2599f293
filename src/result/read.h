/*
 * Reads a result file as a document: a result of ProfLLM of any schema_version, a flat file that contains one
 * (key `profllm`), or a file of another producer (result/producer.h).
 * Renames the former names in a result of an earlier schema_version (schema/former.h).
 */
#pragma once

#include "result/fields/fields.h"

/* `source` is the file's name in messages. *ret is a new reference; it has a run_id if the result is ProfLLM's. */
int res_read_text(const struct res_fields *fields, const char *text, size_t len, const char *source,
		  json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/*
 * For our own documents returns only this member, {} if it is missing: the other text is skipped,
 * which is ten times as fast as parsing it. For any other form, and for unusual text, returns the
 * whole document.
 */
int res_read_member(const struct res_fields *fields, const char *text, size_t len,
		    const char *source, const char *member, json_t **ret,
		    struct pl_err *err) PL_MUST_CHECK;
/* The same for parsed JSON. */
int res_read_json(const struct res_fields *fields, json_t *json, const char *source, json_t **ret,
		  struct pl_err *err) PL_MUST_CHECK;
/* Also refuses a metric that is neither a number nor null. */
int res_read_file(const struct res_fields *fields, const char *path, json_t **ret,
		  struct pl_err *err) PL_MUST_CHECK;
/* Returns our document: the JSON itself, or its member `profllm`; borrowed. NULL: none. */
json_t *res_read_native(json_t *json);
