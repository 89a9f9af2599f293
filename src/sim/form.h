/* The parts of a form (multipart/form-data, RFC 7578): texts and one file. */
#pragma once

#include "base/json.h"
#include "sim/refusal.h"

#include <stddef.h>

#define SIM_FORM_PARTS_MAX      64
#define SIM_FORM_NAME_BYTES_MAX 256
#define SIM_FORM_TEXT_BYTES_MAX ((size_t)1 << 20)

struct sim_form {
	json_t *fields;   /* an object of texts; the last one of a name counts */
	const char *file; /* the part with a filename, in the body; NULL: none */
	size_t file_len;
};

/* `type` is the Content-Type with the boundary, or NULL. The form must be freed in all cases. */
int sim_form_read(const char *type, const char *body, size_t len, struct sim_form *ret,
		  struct sim_refusal *refusal) PL_MUST_CHECK;
void sim_form_done(struct sim_form *form);
