/*
 * Bounds on order statistics of the gaps between events, if events of one read arrived some time
 * before its timestamp. The times are coupled: a late event makes one gap longer and the next one
 * shorter, so the gaps of a read can be long or short together only as far as their sum permits.
 *
 *  p ───────── B ∙∙∙∙ e_1 … e_m ∙∙∙∙ t    p: the event before the read, or none
 *              └ anywhere in here ┘└ exact tail, if any
 *  └ first ───┘
 *  └────────────── span ─────────────┘
 *
 * - At most min(gaps, 1 + (span - first) / x), or span / x if x > first, of them are x or longer.
 * - All of them are at most x only if x >= first and x * gaps >= span; otherwise all but one can
 *   be.
 *
 * Each read is treated separately: if p is not exact, its uncertainty counts here and in its own
 * read, so the bounds are those of a superset of the possible values. All times in ns.
 */
#pragma once

#include "result/metrics/families.h"
#include "result/record.h"

#include <stddef.h>
#include <stdint.h>

struct res_gap_read {
	int64_t span_ns;     /* maximum sum of its gaps */
	int64_t span_min_ns; /* minimum sum of its gaps */
	int64_t first_ns;    /* minimum of the first gap */
	int64_t gaps;
};

/* The uncertain gaps of many records. */
struct res_gap_bounds {
	struct res_gap_read *reads;
	size_t count;
	size_t room;
	struct res_values measured; /* the same gaps as measured, in seconds */
};
void res_gap_bounds_done(struct res_gap_bounds *bounds);

/* Adds one record; each of its times may be off by the step of a clock. */
void res_gap_bounds_add(struct res_gap_bounds *bounds, const struct res_record *record,
			int64_t step_ns);

/*
 * Return the smallest and the largest possible value of the sample with this rank (from 0), in
 * seconds, to the nanosecond. all: every measured gap, ascending like bounds->measured.
 */
double res_gap_bounds_least(const struct res_gap_bounds *bounds, const struct res_values *all,
			    size_t rank);
double res_gap_bounds_most(const struct res_gap_bounds *bounds, const struct res_values *all,
			   size_t rank);
