/*
 * Over the values of a JSON text by brackets and quotes alone; whether it is JSON is for its reader to say.
 * Of any bytes: nothing at or behind `end` is looked at, and each answers `end` where the text is cut off.
 */
#pragma once

#include <stdbool.h>

bool pl_scan_is_blank(char c);
const char *pl_scan_blanks(const char *at, const char *end);
/* Behind the string that begins at `at`. */
const char *pl_scan_string(const char *at, const char *end);
/*
 * Behind the value that begins at `at`: the first place on its own level where one of `stops` stands,
 * or behind the bracket that closes it where `stops` is "".
 */
const char *pl_scan_value(const char *at, const char *end, const char *stops);
