/*
 * The first release that is slower, of an ordered list whose first release is good and whose last is
 * bad. Each step compares one release with the first one (gate.h). If the comparison does not decide,
 * or the release does not run, its neighbors are tried instead.
 *
 *	visit 1: the last release. It must be a regression, or there is nothing to find.
 *	then:    the middle of the remaining range, until the good and the bad release are neighbors.
 *
 * With n releases at most 1 + ceil(log2(n - 1)) comparisons decide. Each of them is wrong with a
 * probability of at most res_bisect_share(), so the answer is wrong with at most that of all.
 */
#pragma once

#include "result/gate/gate.h"

enum res_bisect_state {
	RES_BISECT_RUNNING,
	RES_BISECT_FOUND,     /* `bad` is the first bad release */
	RES_BISECT_NOTHING,   /* the last release passed */
	RES_BISECT_UNDECIDED, /* the releases between good and bad, or the last one, did not decide */
};
const char *res_bisect_state_name(enum res_bisect_state state);

struct res_bisect {
	enum res_bisect_state state;
	size_t good, bad; /* the range: the last known good release, the first known bad one */
	size_t count;
	size_t decided;    /* comparisons that decided */
	bool *is_skipped;  /* [count]: did not decide */
	bool is_confirmed; /* the last release is a regression */
};

/* count: releases, at least 2. */
void res_bisect_init(size_t count, struct res_bisect *ret);
void res_bisect_done(struct res_bisect *bisect);
/* Returns false if it is finished; else *ret is the release to compare with the first one. */
bool res_bisect_next(const struct res_bisect *bisect, size_t *ret);
/* Takes the outcome of the release that res_bisect_next() named. */
void res_bisect_take(struct res_bisect *bisect, size_t at, enum res_gate_state outcome);
/* Returns the error probability of one comparison, so that all together have `error` at most. */
double res_bisect_share(size_t count, double error);
