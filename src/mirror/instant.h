/* Times of documents as instants. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * RFC 3339, years 0001 to 9999: "2026-11-19T14:12:00.5+01:00". "t", "z" and a blank for the "T" are taken too, and
 * a time without a zone, which is UTC: Python writes such ones. Digits behind the microsecond are cut
 * off; second 60 is the first one of the next minute. False, with *ret_us untouched: it is none.
 */
bool mirror_instant_parse(const char *text, int64_t *ret_us);

/*
 * A moment told from another one: "now", or "today", when its day began (UTC), and "-" and a whole number of at most six
 * digits with m, h, d or w behind them, if one goes back from there: "now-30d", "today-1w". False, with *ret_us
 * untouched: it is none.
 */
bool mirror_instant_parse_relative(const char *text, int64_t now_us, int64_t *ret_us);
