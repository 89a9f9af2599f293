#include "host/log/stamp.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"

#define HALF_YEAR_S (183 * 86400LL)
/* The years that a clock shows and int64 nanoseconds hold. */
#define YEAR_MIN 2000
#define YEAR_MAX 2199

/* Reads exactly `count` digits. */
static bool take_number(const char **at, unsigned count, int *ret)
{
	int value = 0;

	for (unsigned i = 0; i < count; i++) {
		if (!isdigit((unsigned char)(*at)[i]))
			return false;
		value = 10 * value + ((*at)[i] - '0');
	}
	*at += count;
	*ret = value;
	return true;
}

bool host_log_skip_char(const char **at, const char *any)
{
	/* strchr() finds the NUL of any text. */
	if (**at == '\0' || strchr(any, **at) == NULL)
		return false;
	(*at)++;
	return true;
}

static bool take_clock(const char **at, struct host_log_stamp *stamp)
{
	/* Digits beyond nanoseconds add nothing: the unit has become 0. */
	int64_t unit = PL_NS_PER_S / 10;

	if (!take_number(at, 2, &stamp->hour) || !host_log_skip_char(at, ":") ||
	    !take_number(at, 2, &stamp->minute) || !host_log_skip_char(at, ":") ||
	    !take_number(at, 2, &stamp->second))
		return false;
	if ((**at != '.' && **at != ',') || !isdigit((unsigned char)(*at)[1]))
		return true;
	for ((*at)++; isdigit((unsigned char)**at); (*at)++) {
		stamp->fraction_ns += unit * (**at - '0');
		unit /= 10;
	}
	return true;
}

static bool is_date(const struct host_log_stamp *stamp)
{
	return stamp->month >= 1 && stamp->month <= 12 && stamp->day >= 1 && stamp->day <= 31 &&
	       stamp->hour <= 23 && stamp->minute <= 59 && stamp->second <= 60;
}

/* "Z", "+01:00", "+0100", " +0000" */
static void skip_zone(const char **at)
{
	int ignored;
	const char *zone = *at;

	if (host_log_skip_char(&zone, "Z")) {
		*at = zone;
		return;
	}
	host_log_skip_char(&zone, " ");
	if (!host_log_skip_char(&zone, "+-") || !take_number(&zone, 2, &ignored))
		return;
	host_log_skip_char(&zone, ":");
	if (take_number(&zone, 2, &ignored))
		*at = zone;
}

/* "Fri ", which journald writes before the date and a named zone after the time */
static bool skip_weekday(const char **at)
{
	static const char *const days[] = {
		"Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(days); i++) {
		if (pl_text_starts(*at, days[i])) {
			*at += strlen(days[i]);
			return true;
		}
	}
	return false;
}

bool host_log_stamp_iso(const char **at, struct host_log_stamp *stamp)
{
	const char *text = *at;
	bool zone_is_named = skip_weekday(&text);

	if (!take_number(&text, 4, &stamp->year) || !host_log_skip_char(&text, "-/") ||
	    !take_number(&text, 2, &stamp->month) || !host_log_skip_char(&text, "-/") ||
	    !take_number(&text, 2, &stamp->day) || !host_log_skip_char(&text, "T ") ||
	    !take_clock(&text, stamp) || stamp->year < YEAR_MIN || stamp->year > YEAR_MAX ||
	    !is_date(stamp))
		return false;
	skip_zone(&text);
	if (zone_is_named && text[0] == ' ' && isupper((unsigned char)text[1])) {
		for (text++; isupper((unsigned char)*text); text++)
			;
	}
	*at = text;
	return true;
}

bool host_log_stamp_syslog(const char **at, struct host_log_stamp *stamp)
{
	static const char months[] = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ";
	const char *text = *at;

	for (int i = 0; i < 12 && stamp->month == 0; i++) {
		if (strncmp(text, months + 4 * i, 4) == 0)
			stamp->month = i + 1;
	}
	if (stamp->month == 0)
		return false;
	text += 4;
	bool padded = host_log_skip_char(&text, " ");
	if (!take_number(&text, padded ? 1 : 2, &stamp->day) || !host_log_skip_char(&text, " ") ||
	    !take_clock(&text, stamp) || !is_date(stamp))
		return false;
	*at = text;
	return true;
}

bool host_log_stamp_short(const char **at, struct host_log_stamp *stamp)
{
	const char *text = *at;

	if (!take_number(&text, 2, &stamp->month) || !host_log_skip_char(&text, "-") ||
	    !take_number(&text, 2, &stamp->day) || !host_log_skip_char(&text, " ") ||
	    !take_clock(&text, stamp) || !is_date(stamp))
		return false;
	*at = text;
	return true;
}

bool host_log_stamp_glog(const char **at, struct host_log_stamp *stamp)
{
	const char *text = *at;
	int date;

	if (!take_number(&text, 4, &date) && !take_number(&text, 3, &date))
		return false;
	stamp->month = date / 100;
	stamp->day = date % 100;
	if (!host_log_skip_char(&text, " ") || !take_clock(&text, stamp) || !is_date(stamp))
		return false;
	*at = text;
	return true;
}

bool host_log_stamp_clock(const char **at, struct host_log_stamp *stamp)
{
	const char *text = *at;

	if (!take_clock(&text, stamp))
		return false;
	*at = text;
	return true;
}

static int64_t stamp_seconds(const struct host_log_stamp *stamp, int year)
{
	struct tm when = {
		.tm_year = year - 1900,
		.tm_mon = stamp->month - 1,
		.tm_mday = stamp->day,
		.tm_hour = stamp->hour,
		.tm_min = stamp->minute,
		.tm_sec = stamp->second,
	};

	/*
	 * Treated as UTC: host/log/phases.c compares with the time of reading and derives the zone.
	 */
	return timegm(&when);
}

int64_t host_log_stamp_ns(const struct host_log_stamp *stamp, int64_t real_ns)
{
	int64_t now = real_ns / PL_NS_PER_S;
	struct tm today = { 0 };
	time_t t = (time_t)now;
	int year = stamp->year;

	if (year == 0) {
		gmtime_r(&t, &today);
		year = today.tm_year + 1900;
		int64_t away = stamp_seconds(stamp, year) - now;
		year += away < -HALF_YEAR_S ? 1 : away > HALF_YEAR_S ? -1 : 0;
	}
	return stamp_seconds(stamp, year) * PL_NS_PER_S + stamp->fraction_ns;
}
