/*
 * Regular expressions of schemas, implemented with PCRE2: only syntax with the same meaning in
 * Python's re, JavaScript and PCRE2. A compiled one is immutable and thread-safe.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct res_pattern;

/* UTF-8. On -1, err has the error and its position. */
int schema_pattern_new(const char *text, size_t len, struct res_pattern **ret,
		       struct pl_err *err) PL_MUST_CHECK;
void schema_pattern_free(struct res_pattern *pattern);
/* Returns whether it matches anywhere in the text; false if the work limit is reached. */
bool schema_pattern_matches(const struct res_pattern *pattern, const char *text, size_t len);
