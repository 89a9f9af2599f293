/* Columns that text takes on a terminal: wide characters (CJK, emoji) take two, combining ones none. */
#pragma once

#include <stddef.h>

/* text: one line of UTF-8. A control character counts as one column. */
size_t pl_width(const char *text, size_t len);
/* Returns the bytes of the longest start of the text, in whole characters, that takes at most `columns`. */
size_t pl_width_fit(const char *text, size_t columns);
/*
 * Returns the bytes of the first line of text that is wrapped to `columns`: up to a blank, if there is one. At least one
 * character, unless the text is empty.
 */
size_t pl_width_line(const char *text, size_t columns);
