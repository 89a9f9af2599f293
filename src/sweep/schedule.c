#include "sweep/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/*
 * Above this number of jobs, the order is that of a rule without exchanges, because it is computed again after each
 * job.
 */
#define TRIED_MAX     400
#define EXCHANGED_MAX 16
/* A smaller improvement than this share is rounding. */
#define BETTER 1e-9

static bool shares_token(const struct sweep_job *a, const struct sweep_job *b)
{
	for (size_t i = 0; i < a->token_count; i++) {
		for (size_t k = 0; k < b->token_count; k++) {
			if (a->tokens[i] == b->tokens[k])
				return true;
		}
	}
	return false;
}

static bool excludes(const struct sweep_job *a, const struct sweep_job *b)
{
	return (a->names_gpus && b->gpus > 0) || (b->names_gpus && a->gpus > 0) ||
	       shares_token(a, b);
}

bool sweep_fits(const struct sweep_job *jobs, size_t count, const struct sweep_room *room, size_t k)
{
	size_t running = 0, gpus = 0;

	for (size_t i = 0; i < count; i++) {
		if (jobs[i].state != SWEEP_RUNS)
			continue;
		if (excludes(&jobs[i], &jobs[k]))
			return false;
		running++;
		gpus += jobs[i].gpus;
	}
	if (running >= room->slots)
		return false;
	return jobs[k].gpus == 0 || gpus == 0 || gpus + jobs[k].gpus <= room->gpus;
}

double sweep_makespan(const struct sweep_job *jobs, size_t count, const struct sweep_room *room,
		      const size_t *order, size_t order_count)
{
	auto_free struct sweep_job *now = (struct sweep_job *)pl_memdup(jobs,
									count * sizeof(*jobs));
	double at_s = 0;

	for (;;) {
		for (size_t i = 0; i < order_count; i++) {
			size_t k = order[i];
			if (now[k].state == SWEEP_WAITS && sweep_fits(now, count, room, k))
				now[k].state = SWEEP_RUNS;
		}
		double passed_s = -1;
		for (size_t i = 0; i < count; i++) {
			if (now[i].state == SWEEP_RUNS &&
			    (passed_s < 0 || now[i].seconds < passed_s))
				passed_s = now[i].seconds;
		}
		for (size_t i = 0; passed_s >= 0 && i < count; i++) {
			if (now[i].state != SWEEP_RUNS)
				continue;
			now[i].seconds -= passed_s;
			if (now[i].seconds <= passed_s * BETTER)
				now[i].state = SWEEP_OVER;
		}
		if (passed_s < 0)
			return at_s;
		at_s += passed_s;
	}
}

/* ---- rules ---- */

enum rule { AS_GIVEN, LONGEST, WIDEST, LARGEST, RULES };

struct ranked {
	double first; /* larger ones come earlier */
	double then;
	size_t job;
};

static int compare(const void *a, const void *b)
{
	const struct ranked *one = a;
	const struct ranked *other = b;

	if (one->first != other->first)
		return one->first < other->first ? 1 : -1;
	if (one->then != other->then)
		return one->then < other->then ? 1 : -1;
	return one->job < other->job ? -1 : one->job > other->job;
}

static double width(const struct sweep_job *job)
{
	return (double)(job->names_gpus ? job->token_count : job->gpus);
}

static void sort(const struct sweep_job *jobs, enum rule rule, size_t *order, size_t count)
{
	auto_free struct ranked *ranked = pl_alloc_array(count, sizeof(*ranked));

	for (size_t i = 0; i < count; i++) {
		const struct sweep_job *job = &jobs[order[i]];
		double seconds = job->seconds, wide = width(job);
		ranked[i] = (struct ranked){
			.first = rule == LONGEST  ? seconds
				 : rule == WIDEST ? wide
						  : seconds * wide,
			.then = rule == LONGEST ? wide : seconds,
			.job = order[i],
		};
	}
	qsort(ranked, count, sizeof(*ranked), compare);
	for (size_t i = 0; i < count; i++)
		order[i] = ranked[i].job;
}

/* ---- exchanges ---- */

static void exchange(size_t *order, size_t a, size_t b)
{
	size_t retained = order[a];

	order[a] = order[b];
	order[b] = retained;
}

/* Applies every exchange of two that improves the order, until none does. */
static double improve(const struct sweep_job *jobs, size_t count, const struct sweep_room *room,
		      size_t *order, size_t waiting, double best_s)
{
	for (bool better = true; better;) {
		better = false;
		for (size_t a = 0; a + 1 < waiting; a++) {
			for (size_t b = a + 1; b < waiting; b++) {
				exchange(order, a, b);
				double now_s = sweep_makespan(jobs, count, room, order, waiting);
				if (now_s < best_s * (1 - BETTER)) {
					best_s = now_s;
					better = true;
				} else {
					exchange(order, a, b);
				}
			}
		}
	}
	return best_s;
}

double sweep_schedule(const struct sweep_job *jobs, size_t count, const struct sweep_room *room,
		      bool keeps, size_t *order, size_t *ret_count)
{
	auto_free size_t *tried = pl_alloc_array(count, sizeof(*tried));
	size_t waiting = 0;

	for (size_t i = 0; i < count; i++) {
		if (jobs[i].state == SWEEP_WAITS)
			order[waiting++] = i;
	}
	*ret_count = waiting;
	if (!keeps && waiting > TRIED_MAX)
		sort(jobs, LONGEST, order, waiting);
	double best_s = sweep_makespan(jobs, count, room, order, waiting);
	/* in sequence, all orders take equally long, and users expect that of the file */
	if (keeps || waiting > TRIED_MAX || room->slots == 1)
		return best_s;
	for (enum rule rule = LONGEST; rule < RULES; rule++) {
		memcpy(tried, order, waiting * sizeof(*tried));
		sort(jobs, rule, tried, waiting);
		double now_s = sweep_makespan(jobs, count, room, tried, waiting);
		if (now_s >= best_s * (1 - BETTER))
			continue;
		best_s = now_s;
		memcpy(order, tried, waiting * sizeof(*tried));
	}
	return waiting <= EXCHANGED_MAX ? improve(jobs, count, room, order, waiting, best_s)
					: best_s;
}
