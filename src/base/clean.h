/* Cleaning of untrusted text (names, messages of servers) for display. */
#pragma once

#include "base/buf.h"

/*
 * Returns the text as one line of valid UTF-8: invalid bytes become U+FFFD, control characters
 * become blanks. The caller frees it with free().
 */
char *pl_clean_line(const char *text);
/*
 * The same for readers: characters that change the direction of text (Unicode's Bidi_Control)
 * become U+FFFD, too. They make a text look like another one.
 */
char *pl_clean_shown(const char *text);
/*
 * Appends the text of pl_clean_shown() for an HTML element or attribute, with & < > " ' escaped. Returns false
 * if the limit of buf is reached.
 */
bool pl_clean_html(struct pl_buf *buf, const char *text);
