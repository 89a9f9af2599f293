/*
 * A result file of any form as a document: our own of every schema_version, with what it has; our
 * flat result, which holds one; vLLM's flat result of any release.
 */
#pragma once

#include "result/fields/fields.h"

enum res_form { RES_FORM_OWN, RES_FORM_FLAT };

/* `source` is the file's name in messages; ret_form may be NULL. New reference. */
int res_read_text(const struct res_fields *fields, const char *text, size_t len, const char *source,
		  json_t **ret, enum res_form *ret_form, struct pl_err *err) PL_MUST_CHECK;
/* Of what was parsed already. */
int res_read_json(const struct res_fields *fields, json_t *json, const char *source, json_t **ret,
		  enum res_form *ret_form, struct pl_err *err) PL_MUST_CHECK;
int res_read_file(const struct res_fields *fields, const char *path, json_t **ret,
		  enum res_form *ret_form, struct pl_err *err) PL_MUST_CHECK;
/* The document of ours that parsed JSON is, or holds under `profllm`; borrowed. NULL: there is none. */
json_t *res_read_own(json_t *json);
