/*
 * A vector of strings that is NULL-terminated at all times, for arguments and environments of
 * programs. All zero is an empty vector. It owns copies of its strings.
 */
#pragma once

#include "base/json.h"

#include <stddef.h>

struct pl_strv {
	char **items; /* NULL until something was added: use pl_strv_texts() */
	size_t count; /* without the NULL */
	size_t room;
};

void pl_strv_done(struct pl_strv *strv);
#define auto_strv __attribute__((cleanup(pl_strv_done), unused)) struct pl_strv

void pl_strv_add(struct pl_strv *strv, const char *text);
void pl_strv_addf(struct pl_strv *strv, const char *format, ...) PL_PRINTF(2, 3);
/* Adds the strings of a JSON array and ignores other items. NULL adds nothing. */
void pl_strv_add_json(struct pl_strv *strv, const json_t *array);
/* Adds "NAME=text" for each string of a JSON object, as in an environment. NULL adds nothing. */
void pl_strv_add_env(struct pl_strv *strv, const json_t *object);

/* Returns the texts in the form that execve() takes: never NULL; valid until the next change. */
const char *const *pl_strv_texts(const struct pl_strv *strv);
