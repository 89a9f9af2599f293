/*
 * Finds the line of a value that a JSON pointer (RFC 6901) names; for a member, the line of its key. Walks the text
 * once, and only into values on the path of a pointer.
 */
#pragma once

#include "base/json.h"

/* Accepts any bytes, JSON or not. lines: pointer to line, from 1. Pointers that are not found keep their value. */
void store_lines_find(const char *bytes, size_t len, json_t *lines);

/*
 * Sets the lines of faults (store/documents/document.h) that have none: the line of the key, or else of what the
 * pointer names. first: the line of the text's first byte in its file.
 */
void store_lines_of_faults(const char *bytes, size_t len, int first, json_t *faults);

/* Appends "/key" to the pointer. */
void store_pointer_add(struct pl_buf *pointer, const char *key);
