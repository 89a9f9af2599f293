/*
 * A vector of strings that is NULL-ended at every moment: words and environments of programs.
 * All zero is an empty one. The strings are its own copies, so what they came from may go away.
 */
#pragma once

#include "base/json.h"

#include <stddef.h>

struct pl_strv {
	char **items; /* NULL while nothing was added: use pl_strv_texts() */
	size_t count; /* without the NULL */
	size_t room;
};

void pl_strv_done(struct pl_strv *strv);
#define auto_strv __attribute__((cleanup(pl_strv_done), unused)) struct pl_strv

void pl_strv_add(struct pl_strv *strv, const char *text);
void pl_strv_addf(struct pl_strv *strv, const char *format, ...) PL_PRINTF(2, 3);
/* The strings of a JSON array; what is no string is passed over. NULL: none. */
void pl_strv_add_json(struct pl_strv *strv, const json_t *array);
/* "NAME=text" for each string of a JSON object, as an environment has it. NULL: none. */
void pl_strv_add_env(struct pl_strv *strv, const json_t *object);

/* As execve() takes them: never NULL; good until the next change. */
const char *const *pl_strv_texts(const struct pl_strv *strv);
