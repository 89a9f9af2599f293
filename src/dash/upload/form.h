/*
 * The files of a form: multipart/form-data, RFC 7578 and RFC 2046.
 * - The bytes of a file are borrowed from the body. Fields that are not files (without filename), and those without a
 *   chosen file (no name and no content), are ignored.
 * - Names: "filename" with its backslashes removed, or "filename*" (RFC 5987) if present. The result is one line of
 *   valid UTF-8.
 * - Limits: DASH_FORM_FILES_MAX parts, 16 KiB of header per part.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define DASH_FORM_FILES_MAX 10000

struct dash_form_file {
	const char *bytes;
	size_t len;
	char *name;
};

struct dash_form {
	struct dash_form_file *files;
	size_t count;
	size_t room;
};

/*
 * `media` is the Content-Type with its boundary. Overwrites *ret. Returns -1 with INVALID, which gives the offset in
 * the body, and *ret is empty.
 */
int dash_form_read(const char *media, const char *bytes, size_t len, struct dash_form *ret,
		   struct pl_err *err) PL_MUST_CHECK;
void dash_form_done(struct dash_form *form);
#define auto_form __attribute__((cleanup(dash_form_done), unused)) struct dash_form
