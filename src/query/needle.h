/*
 * Case-insensitive search for a text, by Unicode's simple case folding, character by character, as in PCRE2. In texts
 * that are not UTF-8, the valid parts are searched.
 */
#pragma once

#include "base/mem.h"

#include <stdbool.h>

struct query_needle;

/* text: UTF-8; "" is in every text. Belongs to one thread. */
struct query_needle *query_needle_new(const char *text, bool at_start);
void query_needle_free(struct query_needle *needle);
PL_AUTO_DEFINE(struct query_needle, query_needle_free);
#define auto_needle PL_AUTO(query_needle_free)

bool query_needle_is_in(const struct query_needle *needle, const char *text);
