#include "mirror/instant.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/mem.h"

#define NONE INT64_MIN
#define S    1000000LL /* in microseconds */

static const struct {
	const char *text;
	int64_t us;
} cases[] = {
	{ "1970-01-01T00:00:00Z", 0 },
	{ "1970-01-01T00:00:00", 0 },
	{ "1970-01-01 00:00:00z", 0 },
	{ "1970-01-01t02:00:00+02:00", 0 },
	{ "1969-12-31T14:30:00-09:30", 0 },
	{ "1969-12-31T23:59:59.999999Z", -1 },
	{ "2026-11-19T14:12:00.5Z", 1795097520500000 },
	{ "2026-11-19T14:12:00.1234567Z", 1795097520123456 },
	{ "2000-02-29T00:00:00Z", 951782400000000 },
	{ "2024-02-29T12:00:00+00:00", 1709208000000000 },
	{ "1900-03-01T00:00:00Z", -2203891200000000 },
	{ "2016-12-31T23:59:60Z", 1483228800000000 },
	{ "0001-01-01T00:00:00Z", -62135596800000000 },
	{ "9999-12-31T23:59:59.999999Z", 253402300799999999 },
	{ "2023-02-29T00:00:00Z", NONE },
	{ "1900-02-29T00:00:00Z", NONE },
	{ "2026-13-01T00:00:00Z", NONE },
	{ "2026-00-01T00:00:00Z", NONE },
	{ "2026-04-31T00:00:00Z", NONE },
	{ "2026-11-19T24:00:00Z", NONE },
	{ "2026-11-19T14:60:00Z", NONE },
	{ "2026-11-19T14:12:61Z", NONE },
	{ "2026-11-19T14:12:00.Z", NONE },
	{ "2026-11-19T14:12:00+0200", NONE },
	{ "2026-11-19T14:12:00+24:00", NONE },
	{ "2026-11-19T14:12:00Z ", NONE },
	{ "2026-11-19T14:12Z", NONE },
	{ "2026-11-19", NONE },
	{ "20261119-141200", NONE },
	{ "0000-01-01T00:00:00Z", NONE },
	{ "yesterday", NONE },
	{ "", NONE },
};

static void test_mirror_instant__is_when_it_is_whatever_it_looks_like(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		int64_t us = NONE;
		bool is_time = mirror_instant_parse(cases[i].text, &us);
		if (us != cases[i].us || is_time != (us != NONE))
			fail_msg("'%s': %lld", cases[i].text, (long long)us);
	}
}

/* 2026-11-19T14:12:00.25Z */
#define NOW_US (1795097520 * S + 250000)
#define DAY_US (1795046400 * S)

static const struct {
	const char *text;
	int64_t us;
} relative[] = {
	{ "now", NOW_US },
	{ "now-15m", NOW_US - 15 * 60 * S },
	{ "now-12h", NOW_US - 12 * 3600 * S },
	{ "now-30d", NOW_US - 30 * 86400 * S },
	{ "now-2w", NOW_US - 14 * 86400 * S },
	{ "now-0d", NOW_US },
	{ "now-999999w", NOW_US - 999999LL * 7 * 86400 * S },
	{ "today", DAY_US },
	{ "today-1d", DAY_US - 86400 * S },
	{ "today-90m", DAY_US - 5400 * S },
	{ "now-", NONE },
	{ "now-d", NONE },
	{ "now-1", NONE },
	{ "now-1y", NONE },
	{ "now-1dd", NONE },
	{ "now-1 d", NONE },
	{ "now-1000000w", NONE },
	{ "now+1d", NONE },
	{ "now - 1d", NONE },
	{ "now-1.5d", NONE },
	{ "nowhere", NONE },
	{ "todays", NONE },
	{ "Now", NONE },
	{ "", NONE },
};

static void test_mirror_instant__goes_back_from_a_moment(void **state)
{
	int64_t us = NONE;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(relative); i++) {
		us = NONE;
		bool is_time = mirror_instant_parse_relative(relative[i].text, NOW_US, &us);
		if (us != relative[i].us || is_time != (us != NONE))
			fail_msg("'%s': %lld", relative[i].text, (long long)us);
	}
	/* a day also begins before a moment that is before 1970 */
	assert_true(mirror_instant_parse_relative("today", -1, &us));
	assert_int_equal(us, -86400 * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mirror_instant__is_when_it_is_whatever_it_looks_like),
		cmocka_unit_test(test_mirror_instant__goes_back_from_a_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
