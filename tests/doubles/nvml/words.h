/*
 * Reading numbers with units out of PRETEND_* texts: each takes what it read off the front of *text
 * and leaves *text as it was where there is nothing of the kind.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

bool pretend_skip(const char **text, char c);
bool pretend_number(const char **text, double *ret);
/* "10s", "250ms"; seconds without a unit */
bool pretend_seconds(const char **text, double *ret);
/* "16GiB", "200MiB", "4KiB"; bytes without a unit */
bool pretend_bytes(const char **text, double *ret);
/* Up to one of `ends` or the end of text, cut to `room`. */
void pretend_word(const char **text, const char *ends, char *ret, size_t room);
