/* Times of documents as points in time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Parses RFC 3339, years 0001 to 9999: "2026-11-19T14:12:00.5+01:00". Also accepts "t", "z", a space instead of "T",
 * and a time without a zone as UTC, because Python writes such times. Digits after the microsecond are cut off; second
 * 60 is the first one of the next minute. Returns false and leaves *ret_us unchanged if the text is not a time.
 */
bool mirror_instant_parse(const char *text, int64_t *ret_us);

#define MIRROR_INSTANT_BYTES 64

/* Writes "2026-11-19T14:12:00.500Z", with the milliseconds cut off, of any time that mirror_instant_parse() returns. */
void mirror_instant_format(int64_t us, char text[MIRROR_INSTANT_BYTES]);

/*
 * Parses a relative time: "now" or "today" (the start of the day in UTC), optionally followed by "-", a whole number of
 * at most six digits and m, h, d or w: "now-30d", "today-1w". Returns false and leaves *ret_us unchanged if the text is
 * none.
 */
bool mirror_instant_parse_relative(const char *text, int64_t now_us, int64_t *ret_us);
