#include "host/log/phases.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "host/log/line.h"

/*
 * All offsets from UTC are multiples of this, so the remainder of a timestamp's difference is not
 * due to its zone.
 */
#define ZONE_STEP_NS (15 * 60 * PL_NS_PER_S)

enum which { FIRST, LAST };

static const enum which phases[] = {
#define LOG_PHASE(id, name, which) which,
#include "tbl/log_lines.h"
};

static const struct {
	enum host_log_phase phase;
	const char *phrase;
} marks[] = {
#define LOG_MARK(phase, phrase) { HOST_LOG_##phase, phrase },
#include "tbl/log_lines.h"
};

/* Lines of workers arrive in any order, so their timestamps decide, if present. */
static bool is_earlier(const struct host_log_moment *a, const struct host_log_moment *b)
{
	if (a->stamped && b->stamped)
		return a->stamp_ns < b->stamp_ns;
	return a->seen.mono_ns < b->seen.mono_ns;
}

void host_log_phases_take(struct host_log_moment *moments, const struct host_log_line *line,
			  const struct host_log_time *seen)
{
	struct host_log_moment now = {
		.reached = true,
		.stamped = line->stamped,
		.seen = *seen,
		.stamp_ns = line->stamp_ns,
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(marks); i++) {
		struct host_log_moment *moment = &moments[marks[i].phase];
		/* A mark without a phrase: the first line of all. */
		bool is_first_line = marks[i].phrase[0] == '\0';
		if (is_first_line ? moment->reached : strstr(line->body, marks[i].phrase) == NULL)
			continue;
		bool take = phases[marks[i].phase] == FIRST ? is_earlier(&now, moment)
							    : !is_earlier(&now, moment);
		if (!moment->reached || take)
			*moment = now;
	}
}

/*
 * Time zones differ by multiples of a quarter of an hour: the remainder is how late the line was
 * seen.
 */
static int64_t lateness_ns(const struct host_log_moment *moment)
{
	int64_t ahead_ns = moment->stamp_ns - moment->seen.real_ns;
	/* C's remainder has the sign of the dividend. */
	int64_t late_ns = -ahead_ns % ZONE_STEP_NS;

	return late_ns < 0 ? late_ns + ZONE_STEP_NS : late_ns;
}

static int64_t moment_ns(const struct host_log_moment *moment)
{
	if (!moment->reached)
		return INT64_MIN;
	int64_t late_ns = moment->stamped ? lateness_ns(moment) : 0;
	/* stamps are of whole seconds; nothing is read half a zone late while a server is waited
	 * for */
	if (late_ns < PL_NS_PER_S || late_ns > ZONE_STEP_NS / 2)
		return moment->seen.mono_ns;
	return moment->seen.mono_ns - late_ns;
}

/* A timestamp is up to a second early; it cannot precede the previous phase. */
int64_t host_log_phases_ns(const struct host_log_moment *moments, enum host_log_phase phase)
{
	int64_t at_ns = moment_ns(&moments[phase]);

	for (int i = 0; at_ns != INT64_MIN && i < (int)phase; i++) {
		int64_t before_ns = moment_ns(&moments[i]);
		if (before_ns > at_ns && before_ns - at_ns < PL_NS_PER_S)
			at_ns = before_ns;
	}
	return at_ns;
}
