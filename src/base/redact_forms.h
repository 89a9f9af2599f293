/*
 * The spellings of a secret that programs produce when they print it.
 */
#pragma once

#include <stddef.h>

typedef void pl_redact_form_fn(void *context, const char *form, size_t len);

/*
 * Calls `take` for the bytes as they are, and as they appear percent-encoded, in JSON (also with
 * every character as \uXXXX), in HTML, in hexadecimal, and within base64 text at any offset. A form
 * may be passed more than once.
 */
void pl_redact_forms(const char *secret, size_t len, pl_redact_form_fn *take, void *context);
