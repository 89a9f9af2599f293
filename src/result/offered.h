/*
 * The offered load compared with the requested load, from records alone. The measure is how late a
 * request was sent after its *ideal start*: the later of its planned time and the time at which its
 * slot under max_concurrency became free. Waiting for a slot is not lateness; the time between a
 * slot's end and the next send is.
 *
 *      planned ─────────┐
 *      slot free ───────┴─ ideal start ──── lateness ──── acted ──────────── end
 *
 * Slots become free when requests actually end. Failed requests count like others: they were sent.
 */
#pragma once

#include "result/how.h"
#include "result/outcome.h"

enum res_offered_kind {
	RES_OFFERED_NOTHING, /* nothing was sent, or the schedule is unknown */
	RES_OFFERED_OPEN,    /* a rate or a trace sets the starts, or most of them */
	RES_OFFERED_CLOSED,  /* free slots set the starts */
	RES_OFFERED_BURST,   /* all were planned for the start, and none had to wait */
};

/*
 * NaN: unknown, or not defined for this kind of load. For a closed loop only the last one is known:
 * its starts follow responses, not a schedule.
 */
struct res_offered {
	enum res_offered_kind kind;
	/*
	 * Open: planned duration of the sends that the concurrency limit did not delay, divided by
	 * their actual duration, each from the start of sending to its last send.
	 */
	double rate_reached;
	/* Open: see res_offered_gap_distance(). Unknown below RES_OFFERED_GAPS_MIN gaps. */
	double gap_distance;
	/* Open and burst: p99 of acted - ideal, p95 below 100 requests. */
	double lateness_ms;
	/* Open: mean gap between the ideal starts. */
	double mean_gap_ms;
	/*
	 * Σ (acted - ideal) / Σ (end - ideal): the time integral of |planned - actual requests in
	 * flight| divided by that of the planned ones, because each late send removes one request
	 * from those in flight.
	 */
	double in_flight_distance;
};

#define RES_OFFERED_GAPS_MIN 20

void res_offered_measure(const struct res_outcome *outcome, const struct res_how *how,
			 struct res_offered *ret);

/*
 * Returns the distance between the distributions of planned and actual gaps, both in ascending
 * order, 0 to 1:
 *
 *  sup over x of max(Fa(x - tolerance) - Fp(x), Fp(x - tolerance) - Fa(x))
 *
 * With a tolerance of 0 it is the Kolmogorov-Smirnov statistic. That one is at least 0.5 if all
 * planned gaps are equal and the actual ones differ by a microsecond; here a shift by at most the
 * tolerance counts as 0 (as in Lévy's metric).
 */
double res_offered_gap_distance(const double *planned, const double *actual, size_t count,
				double tolerance);
