/*
 * Case-insensitive search for a text, by Unicode's simple case folding, character by character, as in PCRE2. In texts
 * that are not UTF-8, the valid parts are searched.
 */
#pragma once

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

struct query_needle;

/* text: UTF-8; "" is in every text. Belongs to one thread. */
struct query_needle *query_needle_new(const char *text, bool at_start);
void query_needle_free(struct query_needle *needle);
PL_AUTO_DEFINE(struct query_needle, query_needle_free);
#define auto_needle PL_AUTO(query_needle_free)

/* Finds the first match at or after the byte `from`, which begins a character; *ret_at: its first byte. */
bool query_needle_find(const struct query_needle *needle, const char *text, size_t len, size_t from,
		       size_t *ret_at);
/* A match has at most so many bytes per byte of the needle: "k" matches the Kelvin sign, which has three. */
#define QUERY_NEEDLE_GROWTH 3
bool query_needle_is_in(const struct query_needle *needle, const char *text);
