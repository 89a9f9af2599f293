/*
 * On which line of a JSON text something stands that a JSON pointer (RFC 6901) names: of a member its key's
 * line. One walk over the text, into what leads to one of the pointers only.
 */
#pragma once

#include "base/json.h"

/* Of any bytes, JSON or not: what is not found stays as it is. lines: pointer to line, from 1 (any value before). */
void store_lines_find(const char *bytes, size_t len, json_t *lines);

/*
 * Gives faults (store/documents/document.h) of the text their lines, where they have none: that of the key, or else that
 * of what the pointer names. first: the line of the text's first byte in its file.
 */
void store_lines_of_faults(const char *bytes, size_t len, int first, json_t *faults);

/* "/key" behind the pointer. */
void store_pointer_add(struct pl_buf *pointer, const char *key);
