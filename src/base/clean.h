/*
 * Texts of others (names, messages of servers) made fit to be shown.
 */
#pragma once

#include "base/buf.h"

/* Valid UTF-8 (else U+FFFD) in one line: control characters become blanks. The caller's
 * (free()). */
char *pl_clean_line(const char *text);
/* As the text of an HTML element or attribute: cleaned, & < > " ' escaped. False: ceiling of
 * buf. */
bool pl_clean_html(struct pl_buf *buf, const char *text);
