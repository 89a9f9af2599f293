/*
 * The secrets known to this process, and their removal from text. All external text is redacted
 * before it is stored or shown.
 *
 * - A secret is searched for by value, in every form of redact_forms.h, and replaced with "***".
 * - A secret has at least 4 bytes. Words such as "true", "EMPTY" or "vllm" and numbers of fewer
 *   than 6 digits are not secrets, because they occur in any text.
 * - Secrets are never removed while the process runs. All functions are thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

#define PL_REDACT_SHOWN "***"
/*
 * Minimum length of a secret that is searched for: in external text, and in text that is mostly
 * ours.
 */
#define PL_REDACT_OTHERS 4
#define PL_REDACT_OURS   8

/* Adds a secret. Ignores NULL and texts that cannot be secrets. */
void pl_redact_add(const char *secret);
/* Returns whether any secret is known. */
bool pl_redact_is_needed(void);
/* Calls `take` for each secret in the form in which it was added. */
void pl_redact_each(void (*take)(void *context, const char *secret), void *context);

/* Redacts in place and returns the new length, which is never larger. */
size_t pl_redact(char *bytes, size_t len, size_t least);
/* The same for truncated text: also redacts the start of a secret at the end. */
size_t pl_redact_cut(char *bytes, size_t len, size_t least);
/* The same for a C string. */
void pl_redact_text(char *text, size_t least);
void pl_redact_text_cut(char *text, size_t least);
/*
 * Redacts every string and key. Returns a new reference, to `value` itself if it contains no
 * secret.
 */
json_t *pl_redact_json(const json_t *value, size_t least);

/* A redactor for a stream that arrives in pieces. One thread at a time. */
struct pl_redactor;
struct pl_redactor *pl_redactor_new(void);
void pl_redactor_free(struct pl_redactor *redactor);
/*
 * *ret: the bytes that can be written now, valid until the next call. Holds back an end that may be
 * the start of a secret until the next call decides.
 */
size_t pl_redactor_feed(struct pl_redactor *redactor, const char *bytes, size_t len,
			const char **ret);
/* Ends the stream and returns the remaining bytes. Redacts the start of a secret at the end. */
size_t pl_redactor_end(struct pl_redactor *redactor, const char **ret);
