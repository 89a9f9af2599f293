#include "mirror/instant.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define US_PER_S        1000000LL
#define S_PER_DAY       86400LL
#define US_PER_MS       1000
#define US_DIGITS       6
#define RELATIVE_DIGITS 6
#define YEARS_OF_AGE    400 /* period of the calendar */
#define DAYS_OF_AGE     146097LL
#define DAYS_TO_1970    719468LL /* from 0000-03-01 */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Parses a fixed number of digits with a value from low to high. */
static bool take_number(const char **at, int digits, int low, int high, int *ret)
{
	int number = 0;

	for (int i = 0; i < digits; i++) {
		if (!is_digit((*at)[i]))
			return false;
		number = number * 10 + ((*at)[i] - '0');
	}
	*at += digits;
	*ret = number;
	return number >= low && number <= high;
}

static bool take(const char **at, char wanted, char also)
{
	if (**at != wanted && **at != also)
		return false;
	++*at;
	return true;
}

static int days_in(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leaps = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leaps);
}

/* Returns days since 1970. Years start in March, so that the leap day is the last one. */
static int64_t days_of(int year, int month, int day)
{
	int64_t shifted = month > 2 ? year : year - 1;
	int64_t age = shifted / YEARS_OF_AGE;
	int64_t of_age = shifted % YEARS_OF_AGE;
	int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

	return age * DAYS_OF_AGE + of_age * 365 + of_age / 4 - of_age / 100 + of_year -
	       DAYS_TO_1970;
}

/* Parses ".5", with at least one digit. */
static bool take_fraction(const char **at, int *ret_us)
{
	int count = 0;

	*ret_us = 0;
	if (!take(at, '.', '.'))
		return true;
	for (; is_digit(**at); ++*at, count++) {
		if (count < US_DIGITS)
			*ret_us = *ret_us * 10 + (**at - '0');
	}
	for (int i = count; i < US_DIGITS; i++)
		*ret_us *= 10;
	return count > 0;
}

static bool take_zone(const char **at, int *ret_minutes)
{
	int hours, minutes, sign = **at == '-' ? -1 : 1;

	*ret_minutes = 0;
	if (**at == '\0' || take(at, 'Z', 'z'))
		return true;
	if (!take(at, '+', '-') || !take_number(at, 2, 0, 23, &hours) || !take(at, ':', ':') ||
	    !take_number(at, 2, 0, 59, &minutes))
		return false;
	*ret_minutes = sign * (hours * 60 + minutes);
	return true;
}

bool mirror_instant_parse(const char *text, int64_t *ret_us)
{
	int year, month, day, hour, minute, second, us, zone_minutes;

	if (!take_number(&text, 4, 1, 9999, &year) || !take(&text, '-', '-') ||
	    !take_number(&text, 2, 1, 12, &month) || !take(&text, '-', '-') ||
	    !take_number(&text, 2, 1, days_in(year, month), &day) ||
	    (!take(&text, 'T', 't') && !take(&text, ' ', ' ')) ||
	    !take_number(&text, 2, 0, 23, &hour) || !take(&text, ':', ':') ||
	    !take_number(&text, 2, 0, 59, &minute) || !take(&text, ':', ':') ||
	    !take_number(&text, 2, 0, 60, &second) || !take_fraction(&text, &us) ||
	    !take_zone(&text, &zone_minutes) || *text != '\0')
		return false;
	*ret_us = (days_of(year, month, day) * S_PER_DAY + hour * 3600LL + minute * 60LL + second -
		   zone_minutes * 60LL) *
			  US_PER_S +
		  us;
	return true;
}

bool mirror_instant_parse_relative(const char *text, int64_t now_us, int64_t *ret_us)
{
	static const struct {
		char letter;
		int64_t seconds;
	} units[] = { { 'm', 60 }, { 'h', 3600 }, { 'd', S_PER_DAY }, { 'w', 7 * S_PER_DAY } };
	const int64_t day_us = S_PER_DAY * US_PER_S;
	bool is_today = strncmp(text, "today", 5) == 0;
	int64_t from_us = is_today ? now_us - (now_us % day_us + day_us) % day_us : now_us;
	int64_t count = 0;
	size_t digits = 0;

	if (!is_today && strncmp(text, "now", 3) != 0)
		return false;
	text += is_today ? 5 : 3;
	if (*text == '\0') {
		*ret_us = from_us;
		return true;
	}
	if (*text++ != '-')
		return false;
	for (; is_digit(*text) && digits < RELATIVE_DIGITS; text++, digits++)
		count = count * 10 + (*text - '0');
	for (size_t i = 0; digits > 0 && i < sizeof(units) / sizeof(units[0]); i++) {
		if (text[0] != units[i].letter || text[1] != '\0')
			continue;
		*ret_us = from_us - count * units[i].seconds * US_PER_S;
		return true;
	}
	return false;
}

/* A count of nanoseconds, as base/clock.h takes, ends in 2262. */
void mirror_instant_format(int64_t us, char text[MIRROR_INSTANT_BYTES])
{
	time_t seconds = us / US_PER_S - (us % US_PER_S < 0);
	int part_ms = (int)((us - seconds * US_PER_S) / US_PER_MS);
	char rest[24] = "";
	struct tm fields;

	gmtime_r(&seconds, &fields);
	strftime(rest, sizeof(rest), "%m-%dT%H:%M:%S", &fields);
	snprintf(text, MIRROR_INSTANT_BYTES, "%04d-%s.%03dZ", fields.tm_year + 1900, rest, part_ms);
}
