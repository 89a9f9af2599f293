/* HTTP helpers: header names, reason phrases. */
#pragma once

#include <stdbool.h>

/* Returns whether a line "NAME:" is among `lines`, each of which ends in CRLF. NULL: no lines. */
bool io_http_lines_have(const char *lines, const char *name);

/* 200 -> "OK"; "Unknown" for an unknown status. */
const char *io_http_reason(int status);
