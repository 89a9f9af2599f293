#include "result/change/change.h"

#include <stdlib.h>

static bool is_alarm(const struct res_change *change)
{
	return change->state == RES_CHANGE_REGRESSION || change->state == RES_CHANGE_IMPROVEMENT ||
	       change->state == RES_CHANGE_SHIFTED;
}

/* After the point at `from` and at or before the one at `to`. */
struct range {
	int64_t from, to;
};

static bool is_empty(const struct range *range)
{
	return range->from >= range->to;
}

static struct range common_of(const struct range *a, const struct range *b)
{
	return (struct range){ a->from > b->from ? a->from : b->from,
			       a->to < b->to ? a->to : b->to };
}

/*
 * A change and the part of the axis that contains it. One of 20 such parts misses its change, mostly
 * by a position or two, so a wider one decides which changes belong together.
 */
struct hit {
	struct res_incident_member member;
	struct range likely, wide;
};

static int compare_hits(const void *a, const void *b)
{
	const struct hit *one = a, *other = b;

	if (one->wide.to != other->wide.to)
		return one->wide.to < other->wide.to ? -1 : 1;
	if (one->wide.from != other->wide.from)
		return one->wide.from < other->wide.from ? -1 : 1;
	if (one->member.analysis != other->member.analysis)
		return one->member.analysis < other->member.analysis ? -1 : 1;
	return one->member.change < other->member.change ? -1 : 1;
}

static struct hit hit_of(const struct res_change_analysis *analysis,
			 const struct res_change *change, size_t drift)
{
	const struct res_change_point *points = analysis->series->points;
	size_t before = change->low - 1, last = analysis->series->count - 1;
	size_t wide_before = before > drift ? before - drift : 0;
	size_t wide_high = last - change->high > drift ? change->high + drift : last;

	return (struct hit){
		.likely = { points[before].at, points[change->high].at },
		.wide = { points[wide_before].at, points[wide_high].at },
	};
}

static struct hit *collect_hits(const struct res_change_analysis *analyses, size_t count,
				size_t drift, size_t *ret_count)
{
	struct hit *hits = NULL;
	size_t room = 0;

	*ret_count = 0;
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < analyses[i].change_count; j++) {
			if (!is_alarm(&analyses[i].changes[j]))
				continue;
			struct hit hit = hit_of(&analyses[i], &analyses[i].changes[j], drift);
			hit.member = (struct res_incident_member){ i, j };
			*PL_PUSH(hits, *ret_count, room) = hit;
		}
	}
	if (*ret_count > 0)
		qsort(hits, *ret_count, sizeof(hits[0]), compare_hits);
	return hits;
}

static void close_incident(struct res_incident *incident, const struct range *likely,
			   const struct range *wide)
{
	const struct range *range = is_empty(likely) ? wide : likely;

	incident->from = range->from;
	incident->to = range->to;
}

/*
 * The smallest number of incidents: the first wide part to end opens one, and all that begin before
 * its end belong to it.
 */
void res_change_incidents(const struct res_change_analysis *analyses, size_t count, size_t drift,
			  struct res_incident **ret, size_t *ret_count)
{
	struct res_incident *incidents = NULL, *open = NULL;
	struct range likely = { 0 }, wide = { 0 };
	size_t hit_count, incident_count = 0, room = 0;
	auto_free struct hit *hits = collect_hits(analyses, count, drift, &hit_count);

	for (size_t i = 0; i < hit_count; i++) {
		if (open == NULL || hits[i].wide.from >= wide.to) {
			open = PL_PUSH(incidents, incident_count, room);
			*open = (struct res_incident){ 0 };
			likely = hits[i].likely;
			wide = hits[i].wide;
		}
		likely = common_of(&likely, &hits[i].likely);
		wide = common_of(&wide, &hits[i].wide);
		*PL_PUSH(open->members, open->count, open->room) = hits[i].member;
		close_incident(open, &likely, &wide);
	}
	*ret = incidents;
	*ret_count = incident_count;
}

void res_incidents_free(struct res_incident *incidents, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(incidents[i].members);
	free(incidents);
}
