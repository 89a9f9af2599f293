/*
 * The load that was offered against the one that was asked for, from records alone. What counts is
 * how late a request was sent after its *ideal start*: the moment it was planned for, or the moment
 * its slot under max_concurrency was free, the later. A hold by the cap is no fault; the time
 * between a slot's end and our next send is.
 *
 *     planned ─────────┐
 *     slot free ───────┴─ ideal start ──── lateness ──── acted ──────────── end
 *
 * Slots are free as requests really ended. Requests that failed count as others do: they were sent.
 */
#pragma once

#include "result/how.h"
#include "result/outcome.h"

enum res_offered_kind {
	RES_OFFERED_NOTHING, /* nothing was sent, or nobody tells when it should have been */
	RES_OFFERED_OPEN,    /* a rate or a trace sets the starts, or most of them */
	RES_OFFERED_CLOSED,  /* slots that become free do */
	RES_OFFERED_BURST,   /* all planned for the start, and none held */
};

/* NaN: not known, or nothing that this kind of load has. Of a closed loop only the last is known:
 * its starts follow answers, not a schedule. */
struct res_offered {
	enum res_offered_kind kind;
	/* Open: planned span of the sends that the cap did not hold over their actual one, each
	 * from the start of sending to its last. */
	double rate_reached;
	/* Open: see res_offered_gap_distance(). Not known below RES_OFFERED_GAPS_MIN gaps. */
	double gap_distance;
	/* Open and burst: p99 of acted - ideal, p95 below 100 requests. */
	double lateness_ms;
	/* Open: of the ideal starts. */
	double mean_gap_ms;
	/* Σ (acted - ideal) / Σ (end - ideal): the time integral of |planned - actual requests in
	 * flight| over the planned one, for each late send takes one from those in flight. */
	double in_flight_distance;
};

#define RES_OFFERED_GAPS_MIN 20

void res_offered_measure(const struct res_outcome *outcome, const struct res_how *how,
			 struct res_offered *ret);

/*
 * Distance of the distributions of planned and actual gaps, both sorted ascending, 0 to 1:
 *
 *	sup over x of max(Fa(x - tolerance) - Fp(x), Fp(x - tolerance) - Fa(x))
 *
 * With a tolerance of 0 it is the statistic of Kolmogorov and Smirnov. That one is 0.5 and more
 * where all planned gaps are equal and the actual ones a microsecond off; a shift by up to the
 * tolerance is none here (as in Lévy's metric).
 */
double res_offered_gap_distance(const double *planned, const double *actual, size_t count,
				double tolerance);
