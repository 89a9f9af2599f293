/*
 * The secrets that this process knows, and their removal from text. Everything that comes from
 * outside passes through here before it is stored or shown.
 *
 * - A secret is searched for by value, in every form of redact_forms.h, and becomes "***".
 * - A secret has at least 4 bytes. Words such as "true", "EMPTY" or "vllm" and numbers of fewer than 6
 *   digits are none: they occur in any text.
 * - Secrets are only added; they live as long as the process. All functions are safe in any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

#define PL_REDACT_SHOWN "***"
/* The shortest secret that is searched for: in text of others, and in text that is mostly ours. */
#define PL_REDACT_OTHERS 4
#define PL_REDACT_OURS   8

/* NULL and texts that cannot be secrets change nothing. */
void pl_redact_add(const char *secret);
/* Is any secret known? */
bool pl_redact_is_needed(void);
/* Calls `take` for every secret as it was added. */
void pl_redact_each(void (*take)(void *context, const char *secret), void *context);

/* Redacts in place, and returns the new length, which is never larger. */
size_t pl_redact(char *bytes, size_t len, size_t least);
/* The same where the text was cut off: the first part of a secret at the end is redacted too. */
size_t pl_redact_cut(char *bytes, size_t len, size_t least);
/* The same for a C string. */
void pl_redact_text(char *text, size_t least);
void pl_redact_text_cut(char *text, size_t least);
/* Redacts every string and key. New reference; the value itself if it has no secret. */
json_t *pl_redact_json(const json_t *value, size_t least);

/* Redacts a stream that comes in pieces. One thread at a time. */
struct pl_redactor;
struct pl_redactor *pl_redactor_new(void);
void pl_redactor_free(struct pl_redactor *redactor);
/*
 * *ret: the bytes that can be written now, valid until the next call. A last part that may begin a
 * secret is held back until the next call shows whether it does.
 */
size_t pl_redactor_feed(struct pl_redactor *redactor, const char *bytes, size_t len,
			const char **ret);
/* The stream has ended: the rest. The first part of a secret at the end is redacted. */
size_t pl_redactor_end(struct pl_redactor *redactor, const char **ret);
