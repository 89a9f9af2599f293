/*
 * A text that is looked for without regard to case: Unicode's simple case folding, a character for a
 * character, as PCRE2 has it. Texts that are no UTF-8 are looked through where they are.
 */
#pragma once

#include "base/mem.h"

#include <stdbool.h>

struct query_needle;

/* UTF-8; "" is in every text. Belongs to one thread. */
struct query_needle *query_needle_new(const char *text, bool at_start);
void query_needle_free(struct query_needle *needle);
PL_AUTO_DEFINE(struct query_needle, query_needle_free);
#define auto_needle PL_AUTO(query_needle_free)

bool query_needle_is_in(const struct query_needle *needle, const char *text);
