/*
 * The files of a form: multipart/form-data, RFC 7578 over RFC 2046.
 *
 * - The bytes of a file are the body's own, borrowed. Fields that are no files (no filename), and those
 *   for which no file was chosen (an empty name and nothing in it), are passed over.
 * - Names: "filename" with its backslashes undone, or "filename*" (RFC 5987) where a client sends that.
 *   In one line and UTF-8 afterwards, whatever came.
 * - Bounded: DASH_FORM_FILES_MAX parts, 16 KiB of head a part.
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
 * `media` is the Content-Type with its boundary. Overwrites *ret. -1: INVALID, which says at which byte
 * of the body, and *ret holds nothing.
 */
int dash_form_read(const char *media, const char *bytes, size_t len, struct dash_form *ret,
		   struct pl_err *err) PL_MUST_CHECK;
void dash_form_done(struct dash_form *form);
#define auto_form __attribute__((cleanup(dash_form_done), unused)) struct dash_form
