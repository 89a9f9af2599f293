/*
 * A text that is looked for without regard to case: Unicode's simple case folding, a character for a
 * character, as PCRE2 has it. Texts that are no UTF-8 are looked through where they are.
 */
#pragma once

#include "base/mem.h"

#include <stdbool.h>

#define STORE_NEEDLE_BYTES_MAX 1000

struct store_needle;

/* UTF-8 of at most so many bytes; "" is in every text. Belongs to one thread. */
struct store_needle *store_needle_new(const char *text, bool at_start);
void store_needle_free(struct store_needle *needle);
PL_AUTO_DEFINE(struct store_needle, store_needle_free);
#define auto_needle PL_AUTO(store_needle_free)

bool store_needle_is_in(const struct store_needle *needle, const char *text);
