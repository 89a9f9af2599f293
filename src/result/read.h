/*
 * A result file of any form as a document: our own of every schema_version, with what it has; our
 * flat result, which holds one; vLLM's flat result of any release, or the table that it prints.
 */
#pragma once

#include "result/fields/fields.h"

enum res_form { RES_FORM_OWN, RES_FORM_FLAT };

/* `source` is the file's name in messages; ret_form may be NULL. New reference. */
int res_read_text(const struct res_fields *fields, const char *text, size_t len, const char *source,
		  json_t **ret, enum res_form *ret_form, struct pl_err *err) PL_MUST_CHECK;
/*
 * Of a document of ours that one member alone, {} where it has none: the text in front of and behind it is passed over, which is
 * ten times as fast as to make JSON of it. Of any other form, and of what is odd, the whole document.
 */
int res_read_member(const struct res_fields *fields, const char *text, size_t len,
		    const char *source, const char *member, json_t **ret,
		    struct pl_err *err) PL_MUST_CHECK;
/* Of what was parsed already. */
int res_read_json(const struct res_fields *fields, json_t *json, const char *source, json_t **ret,
		  enum res_form *ret_form, struct pl_err *err) PL_MUST_CHECK;
int res_read_file(const struct res_fields *fields, const char *path, json_t **ret,
		  enum res_form *ret_form, struct pl_err *err) PL_MUST_CHECK;
/* The document of ours that parsed JSON is, or holds under `profllm`; borrowed. NULL: there is none. */
json_t *res_read_own(json_t *json);
