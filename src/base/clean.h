/* Cleaning of untrusted text (names, messages of servers) for display. */
#pragma once

#include "base/buf.h"

/*
 * Returns the text as one line of valid UTF-8: invalid bytes become U+FFFD, control characters
 * become blanks. The caller frees it with free().
 */
char *pl_clean_line(const char *text);
/*
 * Appends the cleaned text for an HTML element or attribute, with & < > " ' escaped. Returns false
 * if the limit of buf is reached.
 */
bool pl_clean_html(struct pl_buf *buf, const char *text);
