/*
 * How far order statistics of the gaps between events can lie from those measured, where events of
 * one read came some time before its stamp. Times are coupled: a late event makes one gap longer and
 * the next one shorter, so the gaps of a read can be long or short together only as far as their sum
 * allows.
 *
 *	p ───────── B ∙∙∙∙ e_1 … e_m ∙∙∙∙ t		p: the event before the read, or none
 *	            └ anywhere in here ┘└ exact tail, if any
 *	└ first ───┘
 *	└────────────── span ─────────────┘
 *
 * - At most min(gaps, 1 + (span - first) / x), or span / x where x > first, of them are x or longer.
 * - All of them are at most x only where x >= first and x * gaps >= span; else all but one can be.
 *
 * A read is taken by itself: where p is not exact, its own freedom counts here and in its read, so
 * that the bounds are those of a superset of what can be. All ns.
 */
#pragma once

#include "result/metrics/families.h"
#include "result/record.h"

#include <stddef.h>
#include <stdint.h>

struct res_gap_read {
	int64_t span_ns;     /* of its gaps together, at the most */
	int64_t span_min_ns; /* and at the least */
	int64_t first_ns;    /* the first one is not shorter */
	int64_t gaps;
};

/* The uncertain gaps of many records. */
struct res_gap_bounds {
	struct res_gap_read *reads;
	size_t count;
	size_t room;
	struct res_values measured; /* the same gaps as they were measured, in seconds */
};
void res_gap_bounds_done(struct res_gap_bounds *bounds);

/* Of one record; each of its times may be off by the step of a clock. */
void res_gap_bounds_add(struct res_gap_bounds *bounds, const struct res_record *record,
			int64_t step_ns);

/* The least and the greatest that the sample of this rank, from 0, can be, in seconds, to the
 * nanosecond; all: every measured gap, and like bounds->measured ascending. */
double res_gap_bounds_least(const struct res_gap_bounds *bounds, const struct res_values *all,
			    size_t rank);
double res_gap_bounds_most(const struct res_gap_bounds *bounds, const struct res_values *all,
			   size_t rank);
