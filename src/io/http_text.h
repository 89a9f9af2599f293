/*
 * Small texts of HTTP: escapes of a target, reasons of a status.
 */
#ifndef IO_HTTP_TEXT_H
#define IO_HTTP_TEXT_H

#include <stdbool.h>

/* Percent-decodes in place; false when malformed or when a NUL would come out. */
bool io_http_percent_decode(char *text);

/* Is there a line "NAME:" among lines that each end in CRLF? `lines` NULL: none. */
bool io_http_lines_have(const char *lines, const char *name);

/* 200 -> "OK"; "Unknown" for what has no name. */
const char *io_http_reason(int status);

#endif
