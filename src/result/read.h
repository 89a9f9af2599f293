/*
 * Reads a result file of any form as a document: our own of every schema_version, with the keys
 * that it has; our flat result, which contains one; vLLM's flat result of any release, or its
 * printed table. Renames the former names in a result of an earlier schema_version (schema/former.h).
 */
#pragma once

#include "result/fields/fields.h"

enum res_form { RES_FORM_OWN, RES_FORM_FLAT };

/* `source` is the file's name for errors; ret_form may be NULL. New reference. */
int res_read_text(const struct res_fields *fields, const char *text, size_t len, const char *source,
		  json_t **ret, enum res_form *ret_form, struct pl_err *err) PL_MUST_CHECK;
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
		  enum res_form *ret_form, struct pl_err *err) PL_MUST_CHECK;
int res_read_file(const struct res_fields *fields, const char *path, json_t **ret,
		  enum res_form *ret_form, struct pl_err *err) PL_MUST_CHECK;
/* Returns our document: the JSON itself, or its member `profllm`; borrowed. NULL: none. */
json_t *res_read_own(json_t *json);
