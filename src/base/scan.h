/*
 * Skipping JSON values by brackets and quotes alone; a JSON reader must validate the text. The
 * functions accept any bytes, never read at or after `end`, and return `end` if the text is
 * truncated.
 */
#pragma once

#include <stdbool.h>

bool pl_scan_is_blank(char c);
const char *pl_scan_blanks(const char *at, const char *end);
/* Returns the position after the string that starts at `at`. */
const char *pl_scan_string(const char *at, const char *end);
/*
 * Returns the end of the value that starts at `at`: the first position on its level with one of
 * `stops`, or, if `stops` is "", the position after its closing bracket.
 */
const char *pl_scan_value(const char *at, const char *end, const char *stops);
