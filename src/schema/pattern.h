/*
 * Regular expressions of schemas, by PCRE2: only what Python's re, JavaScript and PCRE2 read alike.
 * A compiled one is const and may be used by many threads at once.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct res_pattern;

/* UTF-8; -1: what is wrong with it, and where. */
int schema_pattern_new(const char *text, size_t len, struct res_pattern **ret,
		       struct pl_err *err) PL_MUST_CHECK;
void schema_pattern_free(struct res_pattern *pattern);
/* Is it somewhere in the text? One that cannot be told within the bound of work is not. */
bool schema_pattern_matches(const struct res_pattern *pattern, const char *text, size_t len);
