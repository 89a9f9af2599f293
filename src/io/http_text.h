/*
 * Small texts of HTTP: names of header lines, reasons of a status.
 */
#pragma once

#include <stdbool.h>

/* Is there a line "NAME:" among lines that each end in CRLF? `lines` NULL: none. */
bool io_http_lines_have(const char *lines, const char *name);

/* 200 -> "OK"; "Unknown" for what has no name. */
const char *io_http_reason(int status);
